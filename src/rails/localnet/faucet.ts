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
  TOKEN_PROGRAM_ADDRESS,
} from '@solana-program/token'
import type { Chain } from './chain.js'
import { type Key, textOf } from './keys.js'
import type { TransactionError } from './vm-errors.js'
import { readWire, type Wire } from './wire.js'

export type MintOrder = { owner: string; mint: string; amount: bigint; key: string }
export type MintOutcome = { key: string; signature: string | null; err: TransactionError | null }

/**
 * Mints to the owner's associated token account, at most once per key: a repeat is answered with
 * the first signature. The memo of the transaction is the key.
 */
export async function mint(chain: Chain, orders: MintOrder[]): Promise<MintOutcome[]> {
  const outcomes: MintOutcome[] = []
  for (const order of orders) {
    const instructions = chain.orders.has(order.key) ? [] : await buildMint(chain, order)
    outcomes.push(fulfil(chain, order, instructions))
  }
  return outcomes
}

/** Looks for the key again: a copy may have been fulfilled while this one was built. */
function fulfil(chain: Chain, { key }: MintOrder, instructions: Instruction[]): MintOutcome {
  const first = chain.orders.get(key)
  if (first !== undefined) return { key, signature: textOf(first), err: null }
  const transaction = sign(chain, instructions)
  const refused = chain.land(transaction, { orderKey: key })
  if (refused) return { key, signature: null, err: refused.err }
  const { ordinal, hasFailed } = chain.find(transaction.signature)!
  const err = hasFailed ? chain.read(ordinal).meta.err : null
  return { key, signature: textOf(transaction.signature), err }
}

async function buildMint(chain: Chain, order: MintOrder): Promise<Instruction[]> {
  const faucet = createNoopSigner(faucetAddress(chain))
  const owner = address(order.owner)
  const coin = address(order.mint)
  const [account] = await findAssociatedTokenPda({
    owner,
    mint: coin,
    tokenProgram: TOKEN_PROGRAM_ADDRESS,
  })
  return [
    getAddMemoInstruction({ memo: order.key }),
    getCreateAssociatedTokenIdempotentInstruction({
      payer: faucet,
      ata: account,
      owner,
      mint: coin,
    }),
    getMintToInstruction({
      mint: coin,
      token: account,
      mintAuthority: faucet,
      amount: order.amount,
    }),
  ]
}

/** Gives lamports by a transfer from the faucet. */
export function airdrop(chain: Chain, to: string, lamports: number): Key {
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

function faucetAddress(chain: Chain): Address {
  return address(textOf(chain.genesis.faucet.key))
}

function sign({ blocks, genesis }: Chain, instructions: Instruction[]): Wire {
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
