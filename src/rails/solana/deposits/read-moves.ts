import { limits } from '../../../base/limits.js'
import type { Logger } from '../../../base/log.js'
import type { HistoryRange, TokenHistory, TokenTransaction } from '../../../collections/ports.js'
import type { Dispute } from '../../../payouts/reconciliation/disputes.js'
import { findAgreed, majorityOf } from '../rpc/majority.js'
import { type RpcNodes, Unavailable } from '../rpc/nodes.js'
import type { SignatureInfo } from './history.js'
import { type Listing, listHistories } from './list-histories.js'
import {
  findSender,
  type ReadTransaction,
  readTransactions,
  type Transaction,
  toMove,
} from './read-transactions.js'

const { blockhashAge } = limits.solana

/** One node's histories, and its version of each transaction that any node listed. */
type NodeHistory = Listing & { transactions: Map<string, ReadTransaction | null> }

/**
 * The finalized changes of token accounts. Any node may list a transaction, but it counts only
 * if a majority of the configured nodes returns it identically.
 */
export function createReadMoves({ nodes, logger }: { nodes: RpcNodes; logger: Logger }) {
  const { all } = nodes
  return async (ranges: HistoryRange[]): Promise<(TokenHistory | Error)[]> => {
    const listed = await Promise.all(all.map((node) => listHistories(node, logger, ranges)))
    const listings = listed.filter((listing) => listing !== undefined)
    if (listings.length === 0) throw new Unavailable('no RPC node answers')
    // A set: one transaction may pay several of our wallets.
    const infos = listings.flatMap(({ histories }) => histories.flat())
    const signatures = new Set(infos.flatMap((info) => (isSuccess(info) ? info.signature : [])))
    const histories = await Promise.all(
      listings.map(async (listing) => ({
        ...listing,
        transactions: await readTransactions(listing.node, logger, [...signatures]),
      })),
    )
    return ranges.map(({ tokenAccount }, index) => {
      const moves = agreeOnMoves({ tokenAccount, index, histories, nodes: all.length })
      if (!(moves instanceof Error))
        for (const dispute of moves.disputes ?? [])
          logger.error({ tokenAccount, ...dispute }, 'RPC nodes contradict each other')
      return moves
    })
  }
}

function isSuccess(info: SignatureInfo | undefined): info is SignatureInfo {
  return info?.err === null
}

/** What all nodes returned about one token account, the `index`-th of the ranges. */
type Evidence = {
  tokenAccount: string
  index: number
  histories: NodeHistory[]
  /** How many are configured. */
  nodes: number
}

/**
 * Decides which transactions of one account count. The result ends before the slot of a transaction
 * that waits for more nodes; the next read continues there.
 */
function agreeOnMoves(evidence: Evidence): TokenHistory | Error {
  const { tokenAccount, index, histories, nodes } = evidence
  const needed = majorityOf(nodes)
  const listing = histories.filter((history) => history.histories[index])
  if (listing.length < needed && histories.length >= needed)
    return new Error('too few RPC nodes can list this history')

  const infos = listing.flatMap((history) => history.histories[index]!).filter(isSuccess)
  const agreed: TokenTransaction[] = []
  const unreadable: string[] = []
  const disputes: Dispute[] = []
  const waitingSlots: bigint[] = []
  for (const [signature, info] of new Map(infos.map((listed) => [listed.signature, listed]))) {
    const { state, disputedBy, slot, transaction } = judgeTransaction(info, evidence)
    const move = transaction && toMove(info, transaction, tokenAccount)
    if (move) agreed.push(move)
    if (state === 'unreadable') unreadable.push(signature)
    if (state === 'waiting') waitingSlots.push(slot)
    if (disputedBy.length > 0) disputes.push({ subject: signature, hosts: disputedBy })
  }
  const isBeforeWaiting = (move: TokenTransaction) => waitingSlots.every((slot) => move.slot < slot)
  const moves = agreed.filter(isBeforeWaiting).reverse()
  moves.sort((left, right) => Number(left.slot - right.slot))
  const isPartial = waitingSlots.length > 0 || listing.length < needed
  return { moves, unreadable: unreadable.reverse(), disputes, isPartial }
}

type TransactionVerdict = {
  /**
   * Waiting: nodes that do not know it may only lag. Ignored: a majority does not know it, and
   * lag does not explain that. Unreadable: it may hide money.
   */
  state: 'agreed' | 'waiting' | 'ignored' | 'unreadable'
  transaction?: Transaction
  slot: bigint
  disputedBy: string[]
}

function judgeTransaction(info: SignatureInfo, evidence: Evidence): TransactionVerdict {
  const { histories, index, tokenAccount, nodes } = evidence
  const { signature } = info
  const needed = majorityOf(nodes)
  const hostsOf = (some: NodeHistory[]) => some.map(({ node }) => node.host)
  const knowing = histories.filter(({ transactions }) => transactions.get(signature))
  const returning = knowing.filter(({ transactions }) => transactions.get(signature)!.isFinalized)
  const versionOf = ({ transactions }: NodeHistory) =>
    toVersion(transactions.get(signature)!, tokenAccount)
  const timeOf = ({ transactions }: NodeHistory) => transactions.get(signature)!.at
  const agreeing = findAgreed(returning, needed, versionOf)
  if (agreeing) {
    const version = versionOf(agreeing)
    const same = returning.filter((history) => versionOf(history) === version)
    // Nodes may lack the time. Without a majority for one, the deposit has none.
    const times = same.map(timeOf).filter((time) => time !== null)
    const at = findAgreed(times, needed, String) ?? null
    const transaction = { ...agreeing.transactions.get(signature)!, at }
    const isTimeDisputed = new Set(times.map(String)).size > 1
    const hasOtherTime = (time: Date | null) =>
      isTimeDisputed && time !== null && time.getTime() !== at?.getTime()
    const dissenting = returning.filter(
      (history) => versionOf(history) !== version || hasOtherTime(timeOf(history)),
    )
    return {
      state: 'agreed',
      transaction,
      slot: transaction.slot,
      disputedBy: hostsOf(dissenting),
    }
  }
  const slot = knowing[0]?.transactions.get(signature)?.slot ?? BigInt(info.slot)
  const lists = (history: NodeHistory) =>
    history.histories[index]?.some((listed) => listed.signature === signature) ?? false
  const unaware = histories.filter(
    (history) => history.transactions.get(signature) === null && !lists(history),
  )
  // A node far past the slot denies the transaction. One far before the slot is stuck, or the
  // slot is made up.
  const far = BigInt(blockhashAge)
  const denying = unaware.filter((history) => history.slot >= slot + far)
  const distant = unaware.filter(
    (history) => history.slot >= slot + far || history.slot + far < slot,
  )
  const claiming = histories.filter((history) => lists(history) || knowing.includes(history))
  const isDisputed = denying.length > 0 || returning.length > 1
  const disputedBy = isDisputed ? hostsOf([...claiming, ...denying]) : []
  if (distant.length >= needed) return { state: 'ignored', slot, disputedBy }
  const isOneVersion = new Set(returning.map(versionOf)).size === 1
  // A node that knows it, but not as final, may report it as final later.
  const mayBecomeFinal =
    returning.length < knowing.length && new Set(knowing.map(versionOf)).size === 1
  const mayBeLag = mayBecomeFinal || (isOneVersion && returning.length + denying.length < nodes)
  if (mayBeLag) return { state: 'waiting', slot, disputedBy: denying.length > 0 ? disputedBy : [] }
  return { state: 'unreadable', slot, disputedBy }
}

/** Everything in a transaction that a deposit is judged by, but its time. */
function toVersion(transaction: Transaction, tokenAccount: string): string {
  const { slot, hasFailed, addresses, holdings } = transaction
  const { mint, before, after } = holdings.get(tokenAccount) ?? {}
  const isReferenced = addresses.has(tokenAccount)
  const sender = holdings.has(tokenAccount) && findSender(transaction, tokenAccount)
  return [slot, hasFailed, isReferenced, mint, before, after, sender].join()
}
