import { randomUUID } from 'node:crypto'
import {
  type Address,
  address,
  appendTransactionMessageInstructions,
  type Blockhash,
  compileTransactionMessage,
  createNoopSigner,
  createTransactionMessage,
  getCompiledTransactionMessageEncoder,
  type Instruction,
  setTransactionMessageFeePayer,
  setTransactionMessageLifetimeUsingBlockhash,
} from '@solana/kit'
import { getAddMemoInstruction } from '@solana-program/memo'
import { getTransferSolInstruction } from '@solana-program/system'
import {
  findAssociatedTokenPda,
  getCreateAssociatedTokenIdempotentInstruction,
  getMintToInstruction,
  getTransferCheckedInstruction,
  TOKEN_PROGRAM_ADDRESS,
} from '@solana-program/token'
import type { LocalnetChain } from './chain/chain.js'
import { decimals } from './chain/genesis.js'
import { type Key, textOf } from './chain/keys.js'
import type { VmTransactionError } from './chain/vm-errors.js'
import { readWire, type Wire } from './server/wire.js'

export type FaucetRequest = { owner: string; mint: string; amount: bigint; key: string }
export type FaucetOutcome = {
  key: string
  signature: string | null
  err: VmTransactionError | null
}

/**
 * Mints to the owner's associated token account, at most once per key: a repeat returns the first
 * signature. The memo of the transaction is the key.
 */
export function mint(chain: LocalnetChain, requests: FaucetRequest[]): Promise<FaucetOutcome[]> {
  return fulfilAll(chain, requests, { build: buildMint, prefix: '' })
}

/**
 * Pays to the owner's associated token account from a token account of the faucet, as a payer
 * would. At most once per key; mints have separate keys.
 */
export function transfer(
  chain: LocalnetChain,
  requests: FaucetRequest[],
): Promise<FaucetOutcome[]> {
  return fulfilAll(chain, requests, { build: buildTransfer, prefix: 'transfer:' })
}

/** The transaction that fulfils a request, and one that must land first, if any. */
type Plan = { instructions: Instruction[]; first?: Instruction[] }

type Kind = {
  build: (chain: LocalnetChain, request: FaucetRequest) => Promise<Plan>
  /** Separates the keys of the two kinds. */
  prefix: string
}

async function fulfilAll(
  chain: LocalnetChain,
  requests: FaucetRequest[],
  kind: Kind,
): Promise<FaucetOutcome[]> {
  const outcomes: FaucetOutcome[] = []
  for (const request of requests) {
    const requestKey = kind.prefix + request.key
    const plan = chain.fulfilled.has(requestKey)
      ? { instructions: [] }
      : await kind.build(chain, request)
    outcomes.push({ key: request.key, ...fulfil(chain, requestKey, plan) })
  }
  return outcomes
}

/** Checks the key again: a repeat may have been fulfilled while this one was built. */
function fulfil(
  chain: LocalnetChain,
  requestKey: string,
  { instructions, first }: Plan,
): Omit<FaucetOutcome, 'key'> {
  const known = chain.fulfilled.get(requestKey)
  if (known !== undefined) return { signature: textOf(known), err: null }
  if (first) chain.land(sign(chain, first))
  const transaction = sign(chain, instructions)
  const refused = chain.land(transaction, { requestKey })
  if (refused) return { signature: null, err: refused.err }
  const { ordinal, hasFailed } = chain.find(transaction.signature)!
  const err = hasFailed ? chain.read(ordinal).meta.err : null
  return { signature: textOf(transaction.signature), err }
}

async function buildMint(chain: LocalnetChain, request: FaucetRequest): Promise<Plan> {
  return { instructions: await mintTo(chain, request) }
}

/**
 * Mints the amount to the faucet first, so that it never runs out. In a separate transaction:
 * otherwise the sender of the payment could not be read from its balance changes.
 */
async function buildTransfer(chain: LocalnetChain, request: FaucetRequest): Promise<Plan> {
  const authority = createNoopSigner(faucetAddress(chain))
  const [owner, mint] = [address(request.owner), address(request.mint)]
  const source = await findTokenAccount(authority.address, mint)
  const destination = await findTokenAccount(owner, mint)
  const { amount, key } = request
  const create = { payer: authority, ata: destination, owner, mint }
  const transfer = { source, mint, destination, authority, amount, decimals }
  return {
    first: await mintTo(chain, { ...request, owner: authority.address, key: `for ${key}` }),
    instructions: [
      getAddMemoInstruction({ memo: key }),
      getCreateAssociatedTokenIdempotentInstruction(create),
      getTransferCheckedInstruction(transfer),
    ],
  }
}

async function mintTo(chain: LocalnetChain, request: FaucetRequest): Promise<Instruction[]> {
  const faucet = createNoopSigner(faucetAddress(chain))
  const { amount, key } = request
  const [owner, mint] = [address(request.owner), address(request.mint)]
  const account = await findTokenAccount(owner, mint)
  return [
    getAddMemoInstruction({ memo: key }),
    getCreateAssociatedTokenIdempotentInstruction({ payer: faucet, ata: account, owner, mint }),
    getMintToInstruction({ mint, token: account, mintAuthority: faucet, amount }),
  ]
}

async function findTokenAccount(owner: string, mint: string): Promise<Address> {
  const [account] = await findAssociatedTokenPda({
    owner: address(owner),
    mint: address(mint),
    tokenProgram: TOKEN_PROGRAM_ADDRESS,
  })
  return account
}

/** Transfers lamports from the faucet. */
export function airdrop(chain: LocalnetChain, to: string, lamports: number): Key {
  const transaction = sign(chain, [
    // Without a memo, two equal airdrops in one block would be the same transaction.
    getAddMemoInstruction({ memo: randomUUID() }),
    getTransferSolInstruction({
      source: createNoopSigner(faucetAddress(chain)),
      destination: address(to),
      amount: lamports,
    }),
  ])
  const refused = chain.land(transaction)
  if (refused) throw new Error(`the faucet transfer was refused: ${JSON.stringify(refused.err)}`)
  return transaction.signature
}

function faucetAddress(chain: LocalnetChain): Address {
  return address(textOf(chain.genesis.faucet.key))
}

function sign({ blocks, genesis }: LocalnetChain, instructions: Instruction[]): Wire {
  const blockhash = textOf(blocks.hashAt(blocks.height)) as Blockhash
  const empty = setTransactionMessageFeePayer(
    address(textOf(genesis.faucet.key)),
    createTransactionMessage({ version: 0 }),
  )
  const timed = setTransactionMessageLifetimeUsingBlockhash(
    { blockhash, lastValidBlockHeight: 0n },
    empty,
  )
  const message = getCompiledTransactionMessageEncoder().encode(
    compileTransactionMessage(appendTransactionMessageInstructions(instructions, timed)),
  )
  const signature = genesis.faucet.sign(message as Uint8Array)
  return readWire(Buffer.concat([Buffer.from([1]), signature, message as Uint8Array]))
}
