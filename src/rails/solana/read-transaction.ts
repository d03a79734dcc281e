import type { Move } from '../../collections/ports.js'
import type { TransactionError } from './chain-errors.js'
import { readMemos, type SignatureLine } from './history.js'

type TokenBalance = {
  accountIndex: number
  mint: string
  owner?: string
  uiTokenAmount: { amount: string }
}

/** As nodes show a transaction, as far as we look. */
export type ShownTransaction = {
  slot: number | string
  blockTime?: number | null
  meta: {
    err: TransactionError | null
    preTokenBalances?: TokenBalance[] | null
    postTokenBalances?: TokenBalance[] | null
    loadedAddresses?: { writable: string[]; readonly: string[] }
  } | null
  transaction: { message: { accountKeys: string[] } }
}

type Holding = { mint: string; owner: string | undefined; before: bigint; after: bigint }

/** What a transaction did to the token accounts that it names. */
export type Transaction = {
  slot: bigint
  at: Date
  hasFailed: boolean
  addresses: Set<string>
  holdings: Map<string, Holding>
}

function listAddresses({ meta, transaction }: ShownTransaction): string[] {
  const { writable = [], readonly = [] } = meta?.loadedAddresses ?? {}
  return [...transaction.message.accountKeys, ...writable, ...readonly]
}

/** Nothing, where the node does not tell all that there is to know. */
export function readTransaction(shown: ShownTransaction): Transaction | undefined {
  const { meta, blockTime } = shown
  const before = meta?.preTokenBalances
  const after = meta?.postTokenBalances
  if (!meta || !before || !after || typeof blockTime !== 'number') return undefined
  return {
    slot: BigInt(shown.slot),
    addresses: new Set(listAddresses(shown)),
    at: new Date(blockTime * 1_000),
    hasFailed: meta.err !== null,
    holdings: readHoldings(listAddresses(shown), before, after),
  }
}

/** An account that is made or given up in the transaction is on one of the sides only. */
function readHoldings(
  addresses: string[],
  before: TokenBalance[],
  after: TokenBalance[],
): Map<string, Holding> {
  const holdings = new Map<string, Holding>()
  for (const [side, balances] of Object.entries({ before, after }))
    for (const { accountIndex, mint, owner, uiTokenAmount } of balances) {
      const address = addresses[accountIndex] ?? ''
      const known = holdings.get(address) ?? { mint, owner, before: 0n, after: 0n }
      holdings.set(address, { ...known, [side]: BigInt(uiTokenAmount.amount) })
    }
  return holdings
}

/**
 * Nothing, where it failed or the account neither won nor lost: nodes show no balances where no
 * token program is named, and anybody may name an account of ours so.
 */
export function toMove(
  line: SignatureLine,
  transaction: Transaction,
  tokenAccount: string,
): Move | undefined {
  const { slot, at, hasFailed, holdings } = transaction
  const held = holdings.get(tokenAccount)
  if (hasFailed || !held) return undefined
  const { before, after } = held
  const memos = readMemos(line)
  return {
    signature: line.signature,
    slot,
    at,
    change: after - before,
    left: after,
    sender: after > before ? findSender(transaction, tokenAccount) : null,
    memo: memos.length === 1 ? memos[0]! : null,
  }
}

/** Whose coins became less, if that is one and the same. */
export function findSender({ holdings }: Transaction, tokenAccount: string): string | null {
  const { mint } = holdings.get(tokenAccount)!
  const senders = new Set<string | undefined>()
  for (const holding of holdings.values())
    if (holding.mint === mint && holding.after < holding.before) senders.add(holding.owner)
  const [sender = null] = senders
  return senders.size === 1 ? sender : null
}
