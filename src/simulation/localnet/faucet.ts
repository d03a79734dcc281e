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
import type { LocalnetChain } from './chain.js'
import { decimals } from './genesis.js'
import { type Key, textOf } from './keys.js'
import type { VmTransactionError } from './vm-errors.js'
import { readWire, type Wire } from './wire.js'

export type MintOrder = { owner: string; mint: string; amount: bigint; key: string }
export type MintOutcome = { key: string; signature: string | null; err: VmTransactionError | null }

/**
 * Mints to the owner's associated token account, at most once per key: a repeat is answered with
 * the first signature. The memo of the transaction is the key.
 */
export function mint(chain: LocalnetChain, orders: MintOrder[]): Promise<MintOutcome[]> {
  return fulfilAll(chain, orders, { build: buildMint, prefix: '' })
}

/**
 * Pays to the owner's associated token account as any customer would, from a token account of the
 * faucet. At most once per key, and the keys are others than those of mints.
 */
export function transfer(chain: LocalnetChain, orders: MintOrder[]): Promise<MintOutcome[]> {
  return fulfilAll(chain, orders, { build: buildTransfer, prefix: 'transfer:' })
}

/** What an order takes: a transaction that is its own, and maybe one that must be before it. */
type Plan = { own: Instruction[]; before?: Instruction[] }

type Kind = {
  build: (chain: LocalnetChain, order: MintOrder) => Promise<Plan>
  /** Tells the keys of one kind of order from those of another. */
  prefix: string
}

async function fulfilAll(
  chain: LocalnetChain,
  orders: MintOrder[],
  kind: Kind,
): Promise<MintOutcome[]> {
  const outcomes: MintOutcome[] = []
  for (const order of orders) {
    const orderKey = kind.prefix + order.key
    const plan = chain.orders.has(orderKey) ? { own: [] } : await kind.build(chain, order)
    outcomes.push({ key: order.key, ...fulfil(chain, orderKey, plan) })
  }
  return outcomes
}

/** Looks for the key again: a copy may have been fulfilled while this one was built. */
function fulfil(
  chain: LocalnetChain,
  orderKey: string,
  { own, before }: Plan,
): Omit<MintOutcome, 'key'> {
  const first = chain.orders.get(orderKey)
  if (first !== undefined) return { signature: textOf(first), err: null }
  if (before) chain.land(sign(chain, before))
  const transaction = sign(chain, own)
  const refused = chain.land(transaction, { orderKey })
  if (refused) return { signature: null, err: refused.err }
  const { ordinal, hasFailed } = chain.find(transaction.signature)!
  const err = hasFailed ? chain.read(ordinal).meta.err : null
  return { signature: textOf(transaction.signature), err }
}

async function buildMint(chain: LocalnetChain, order: MintOrder): Promise<Plan> {
  return { own: await mintTo(chain, order) }
}

/**
 * What is paid is minted before: the faucet never runs dry. By a transaction of its own, or nobody
 * could tell from the payment whose coins became less.
 */
async function buildTransfer(chain: LocalnetChain, order: MintOrder): Promise<Plan> {
  const authority = createNoopSigner(faucetAddress(chain))
  const [owner, mint] = [address(order.owner), address(order.mint)]
  const source = await findTokenAccount(authority.address, mint)
  const destination = await findTokenAccount(owner, mint)
  const { amount, key } = order
  const create = { payer: authority, ata: destination, owner, mint }
  const transfer = { source, mint, destination, authority, amount, decimals }
  return {
    before: await mintTo(chain, { ...order, owner: authority.address, key: `for ${key}` }),
    own: [
      getAddMemoInstruction({ memo: key }),
      getCreateAssociatedTokenIdempotentInstruction(create),
      getTransferCheckedInstruction(transfer),
    ],
  }
}

async function mintTo(chain: LocalnetChain, order: MintOrder): Promise<Instruction[]> {
  const faucet = createNoopSigner(faucetAddress(chain))
  const { amount, key } = order
  const [owner, mint] = [address(order.owner), address(order.mint)]
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

/** Gives lamports by a transfer from the faucet. */
export function airdrop(chain: LocalnetChain, to: string, lamports: number): Key {
  const transaction = sign(chain, [
    // Without it, two equal gifts in one block would be one transaction.
    getAddMemoInstruction({ memo: randomUUID() }),
    getTransferSolInstruction({
      source: createNoopSigner(faucetAddress(chain)),
      destination: address(to),
      amount: lamports,
    }),
  ])
  const refused = chain.land(transaction)
  if (refused) throw new Error(`the faucet cannot give: ${JSON.stringify(refused.err)}`)
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
