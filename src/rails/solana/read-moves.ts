import { limits } from '../../base/limits.js'
import type { Logger } from '../../base/log.js'
import type { HistoryRange, Move, Moves } from '../../collections/ports.js'
import type { Dispute } from '../../payouts/disputes.js'
import { type Endpoints, Unavailable } from './endpoints.js'
import type { SignatureLine } from './history.js'
import { type Listing, listHistories } from './list-histories.js'
import { findAgreed, majorityOf } from './quorum.js'
import { findSender, type Transaction, toMove } from './read-transaction.js'
import { readTransactions } from './read-transactions.js'

const { blockhashAge } = limits.solana

type Parts = { endpoints: Endpoints; logger: Logger }

/** What one endpoint says: its lists, and the transactions that any endpoint listed. */
type Witness = Listing & { shown: Map<string, Transaction | null> }

/**
 * What final transactions did to token accounts. Any endpoint may list a transaction, but only what
 * a majority of the configured endpoints shows identically is a move.
 */
export function createReadMoves({ endpoints, logger }: Parts) {
  const { all } = endpoints
  return async (ranges: HistoryRange[]): Promise<(Moves | Error)[]> => {
    const listed = await Promise.all(all.map((each) => listHistories(each, logger, ranges)))
    const listings = listed.filter((listing) => listing !== undefined)
    if (listings.length === 0) throw new Unavailable('no endpoint answers')
    // One transaction may pay several of our wallets.
    const lines = listings.flatMap(({ histories }) => histories.flat())
    const signatures = new Set(lines.flatMap((line) => (isCandidate(line) ? line.signature : [])))
    const witnesses = await Promise.all(
      listings.map(async (listing) => {
        return {
          ...listing,
          shown: await readTransactions(listing.endpoint, logger, [...signatures]),
        }
      }),
    )
    return ranges.map(({ tokenAccount }, index) => {
      const read = judgeHistory(tokenAccount, witnesses, { index, endpoints: all.length })
      if (!(read instanceof Error))
        for (const dispute of read.disputes ?? [])
          logger.error({ tokenAccount, ...dispute }, 'endpoints contradict each other')
      return read
    })
  }
}

function isCandidate(line: SignatureLine | undefined): line is SignatureLine {
  return line?.err === null
}

/**
 * Decides which transactions in the lists of one account count. A history ends before the slot of a
 * transaction that waits for more endpoints: reading goes on there another time.
 */
function judgeHistory(
  tokenAccount: string,
  witnesses: Witness[],
  { index, endpoints }: { index: number; endpoints: number },
): Moves | Error {
  const needed = majorityOf(endpoints)
  const listing = witnesses.filter(({ histories }) => histories[index])
  if (listing.length < needed && witnesses.length >= needed)
    return new Error('too few endpoints can list this history')

  const lines = listing.flatMap(({ histories }) => histories[index]!).filter(isCandidate)
  const court = { witnesses, index, tokenAccount, endpoints }
  const moves: Move[] = []
  const unreadable: string[] = []
  const disputes: Dispute[] = []
  const waiting: bigint[] = []
  for (const [signature, line] of new Map(lines.map((each) => [each.signature, each]))) {
    const { state, hosts, slot, transaction } = judgeTransaction(line, court)
    const move = transaction && toMove(line, transaction, tokenAccount)
    if (move) moves.push(move)
    if (state === 'unreadable') unreadable.push(signature)
    if (state === 'waiting') waiting.push(slot)
    if (hosts.length > 0) disputes.push({ subject: signature, hosts })
  }
  const read = moves.filter((move) => waiting.every((slot) => move.slot < slot)).reverse()
  read.sort((one, other) => Number(one.slot - other.slot))
  const isPartial = waiting.length > 0 || listing.length < needed
  return { moves: read, unreadable: unreadable.reverse(), disputes, isPartial }
}

type Verdict = {
  /**
   * Waiting: one endpoint shows it, and others may be late. Ignored: a majority does not know it,
   * though it is of another time. Unreadable: it may hide money.
   */
  state: 'agreed' | 'waiting' | 'ignored' | 'unreadable'
  /** As a majority shows it. */
  transaction?: Transaction
  slot: bigint
  /** Endpoints that contradict each other about it. */
  hosts: string[]
}

function judgeTransaction(
  line: SignatureLine,
  court: { witnesses: Witness[]; index: number; tokenAccount: string; endpoints: number },
): Verdict {
  const { witnesses, index, tokenAccount, endpoints } = court
  const { signature } = line
  const needed = majorityOf(endpoints)
  const hostsOf = (some: Witness[]) => some.map(({ endpoint }) => endpoint.host)
  const showing = witnesses.filter(({ shown }) => shown.get(signature))
  const keyOf = ({ shown }: Witness) => identify(shown.get(signature)!, tokenAccount)
  const agreeing = findAgreed(showing, needed, keyOf)
  if (agreeing) {
    const transaction = agreeing.shown.get(signature)!
    const dissenting = showing.filter((one) => keyOf(one) !== keyOf(agreeing))
    return { state: 'agreed', transaction, slot: transaction.slot, hosts: hostsOf(dissenting) }
  }
  const slot = showing[0]?.shown.get(signature)?.slot ?? BigInt(line.slot)
  const lists = ({ histories }: Witness) =>
    histories[index]?.some((each) => each.signature === signature) ?? false
  const unknowing = witnesses.filter((one) => one.shown.get(signature) === null && !lists(one))
  // An endpoint denies what it does not know once it is far past the slot. One that is far before
  // it may be stuck, or the slot is made up.
  const far = BigInt(blockhashAge)
  const denying = unknowing.filter((one) => one.slot >= slot + far)
  const distant = unknowing.filter((one) => one.slot >= slot + far || one.slot + far < slot)
  const claiming = witnesses.filter((one) => lists(one) || showing.includes(one))
  const hosts = denying.length > 0 || showing.length > 1 ? hostsOf([...claiming, ...denying]) : []
  if (distant.length >= needed) return { state: 'ignored', slot, hosts }
  const isOneVersion = new Set(showing.map(keyOf)).size === 1
  const mayBeLate = isOneVersion && showing.length + denying.length < endpoints
  if (mayBeLate) return { state: 'waiting', slot, hosts: denying.length > 0 ? hosts : [] }
  return { state: 'unreadable', slot, hosts }
}

/** Everything of a transaction that a deposit is judged by. */
function identify(transaction: Transaction, tokenAccount: string): string {
  const { slot, at, hasFailed, addresses, holdings } = transaction
  const { mint, before, after } = holdings.get(tokenAccount) ?? {}
  const isNamed = addresses.has(tokenAccount)
  const sender = holdings.has(tokenAccount) && findSender(transaction, tokenAccount)
  return [slot, at.getTime(), hasFailed, isNamed, mint, before, after, sender].join()
}
