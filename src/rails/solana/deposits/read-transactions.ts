import { limits } from '../../../base/limits.js'
import type { Logger } from '../../../base/log.js'
import type { TokenTransaction } from '../../../collections/ports.js'
import type { TransactionError } from '../rpc/chain-errors.js'
import type { RpcNode } from '../rpc/node.js'
import { inGroups } from '../rpc/nodes.js'
import { callMany } from '../rpc/quorum.js'
import { readMemos, type SignatureInfo } from './history.js'

type TokenBalance = {
  accountIndex: number
  mint: string
  owner?: string
  uiTokenAmount: { amount: string }
}

/** The fields that we read of `getTransaction`. */
export type RpcTransaction = {
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

/** What a transaction did to the token accounts that it references. */
export type Transaction = {
  slot: bigint
  /** Block time; null if the node has none. */
  at: Date | null
  hasFailed: boolean
  addresses: Set<string>
  holdings: Map<string, Holding>
}

const options = { encoding: 'json', commitment: 'finalized', maxSupportedTransactionVersion: 0 }

export function transactionCall(signature: string) {
  return { method: 'getTransaction', params: [signature, options] }
}

function statusesCall(signatures: string[]) {
  return {
    method: 'getSignatureStatuses',
    params: [signatures, { searchTransactionHistory: true }],
  }
}

type SignatureStatus = { confirmationStatus?: string | null; err: TransactionError | null } | null

/** A transaction that the node reports as finalized, or one that is not final yet. */
export type ReadTransaction = Transaction & { isFinalized: boolean }

/**
 * Transactions as one node returns them. Null: the node does not know the transaction.
 * Missing: it did not respond, or omitted fields that deposits are judged by. Whether one is
 * finalized is read from its status: the commitment in our request proves nothing.
 */
export async function readTransactions(
  node: RpcNode,
  logger: Logger,
  signatures: string[],
): Promise<Map<string, ReadTransaction | null>> {
  const { callsPerRequestMax: perRequest, requestsInFlightMax: underWay } = limits.solana
  const groups = inGroups(signatures, limits.solana.statusesPerCall)
  const calls = [...signatures.map(transactionCall), ...groups.map(statusesCall)]
  const results = await callMany(node, logger, calls, { perRequest, underWay })
  const statuses = groups.flatMap((group, index) => {
    const result = results[signatures.length + index] as { value: SignatureStatus[] } | undefined
    return result?.value ?? group.map(() => null)
  })
  const transactions = new Map<string, ReadTransaction | null>()
  for (const [index, signature] of signatures.entries()) {
    const result = results[index] as RpcTransaction | null | undefined
    const transaction = result ? toTransaction(result) : result
    if (transaction === undefined) continue
    const isFinalized = transaction !== null && isFinalStatus(statuses[index]!, transaction)
    transactions.set(signature, transaction && { ...transaction, isFinalized })
  }
  return transactions
}

/** A node that contradicts itself about the result is not final, either. */
function isFinalStatus(status: SignatureStatus, { hasFailed }: Transaction): boolean {
  if (status?.confirmationStatus !== 'finalized') return false
  return (status.err !== null) === hasFailed
}

/** Undefined when the node omits balances. */
export function toTransaction(result: RpcTransaction): Transaction | undefined {
  const { meta, blockTime } = result
  const before = meta?.preTokenBalances
  const after = meta?.postTokenBalances
  if (!meta || !before || !after) return undefined
  const addresses = listAddresses(result)
  return {
    slot: BigInt(result.slot),
    addresses: new Set(addresses),
    at: toTime(blockTime),
    hasFailed: meta.err !== null,
    holdings: readHoldings(addresses, before, after),
  }
}

/** Null when there is no time, or none that a date can hold. */
function toTime(blockTime: number | null | undefined): Date | null {
  if (typeof blockTime !== 'number') return null
  const at = new Date(blockTime * 1_000)
  return Number.isNaN(at.getTime()) ? null : at
}

function listAddresses({ meta, transaction }: RpcTransaction): string[] {
  const { writable = [], readonly = [] } = meta?.loadedAddresses ?? {}
  return [...transaction.message.accountKeys, ...writable, ...readonly]
}

/** An account that the transaction creates or closes is listed on one side only. */
function readHoldings(
  addresses: string[],
  before: TokenBalance[],
  after: TokenBalance[],
): Map<string, Holding> {
  const holdings = new Map<string, Holding>()
  for (const [side, balances] of Object.entries({ before, after }))
    for (const { accountIndex, mint, owner, uiTokenAmount } of balances) {
      const address = addresses[accountIndex] ?? ''
      const holding = holdings.get(address) ?? { mint, owner, before: 0n, after: 0n }
      holdings.set(address, { ...holding, [side]: BigInt(uiTokenAmount.amount) })
    }
  return holdings
}

/**
 * Undefined when the transaction failed, or lists no balance of the account: anyone can reference
 * our account in a transaction that calls no token program.
 */
export function toMove(
  info: SignatureInfo,
  transaction: Transaction,
  tokenAccount: string,
): TokenTransaction | undefined {
  const { slot, at, hasFailed, holdings } = transaction
  const holding = holdings.get(tokenAccount)
  if (hasFailed || !holding) return undefined
  const { before, after } = holding
  const memos = readMemos(info)
  return {
    signature: info.signature,
    slot,
    at,
    change: after - before,
    left: after,
    sender: after > before ? findSender(transaction, tokenAccount) : null,
    memo: memos.length === 1 ? memos[0]! : null,
  }
}

/** The owner whose balance of the coin decreased; null if there are several or none. */
export function findSender({ holdings }: Transaction, tokenAccount: string): string | null {
  const { mint } = holdings.get(tokenAccount)!
  const senders = new Set<string | undefined>()
  for (const holding of holdings.values())
    if (holding.mint === mint && holding.after < holding.before) senders.add(holding.owner)
  const [sender = null] = senders
  return senders.size === 1 ? sender : null
}
