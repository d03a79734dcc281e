import { limits } from '../../base/limits.js'
import type { Logger } from '../../base/log.js'
import type { HistoryRange } from '../../collections/ports.js'
import type { RpcEndpoint } from './endpoint.js'
import { Unavailable } from './endpoints.js'
import type { SignatureLine } from './history.js'
import { askMany, orSilence } from './quorum.js'

const { signaturesPerCall, historyPages, longAnswersPerRequest } = limits.solana

/** What one endpoint lists of several accounts. */
export type Listing = {
  endpoint: RpcEndpoint
  /** Its finalized slot before it listed anything. */
  slot: bigint
  /** Newest first, in the order of the ranges; undefined where it could not list a whole range. */
  histories: (SignatureLine[] | undefined)[]
}

/** Undefined when the endpoint does not answer. */
export async function listHistories(
  endpoint: RpcEndpoint,
  logger: Logger,
  ranges: HistoryRange[],
): Promise<Listing | undefined> {
  const calls = [
    { method: 'getEpochInfo', params: [{ commitment: 'finalized' }] },
    ...ranges.map((range) => callFor(range)),
  ]
  const asking = { perRequest: longAnswersPerRequest, underWay: 1 }
  const [info, ...first] = await askMany(endpoint, logger, calls, asking)
  if (!info) return undefined
  const histories: (SignatureLine[] | undefined)[] = []
  for (const [index, range] of ranges.entries()) {
    const page = first[index] as SignatureLine[] | undefined
    histories.push(page && (await orSilence(logger, endpoint, walkOn(endpoint, range, page))))
  }
  return { endpoint, slot: BigInt((info as { absoluteSlot: number }).absoluteSlot), histories }
}

/** A node that does not know `after` lists everything it has. */
function callFor({ tokenAccount, after, since }: HistoryRange, before?: string) {
  const options = {
    commitment: 'finalized',
    limit: signaturesPerCall,
    ...(after !== null && !since && { until: after }),
    ...(before && { before }),
  }
  return { method: 'getSignaturesForAddress', params: [tokenAccount, options] }
}

/** All of it or nothing: throws when it is longer than may be read, or the node loses its place. */
async function walkOn(
  endpoint: RpcEndpoint,
  range: HistoryRange,
  first: SignatureLine[],
): Promise<SignatureLine[]> {
  const history: SignatureLine[] = []
  let lines = first
  let isFull = lines.length === signaturesPerCall
  // The newest known transaction may be older than the time since which everything is wanted.
  let isKnownPassed = range.after === null || !range.since
  for (let pages = 1; ; pages++) {
    const known = lines.findIndex(({ signature }) => signature === range.after)
    const unknown = isKnownPassed ? 0 : known === -1 ? lines.length : known + 1
    const wanted = lines.filter((line, index) => index < unknown || isWanted(range, line))
    isKnownPassed ||= known !== -1
    history.push(...wanted)
    if (!isFull || wanted.length < lines.length) return history
    if (pages === historyPages) throw new Unavailable('the history is too long to read')
    // One line more than is missing: an empty page must not pass for the end of the history.
    const [place, last] = lines.slice(-2)
    const { method, params } = callFor(range, place!.signature)
    const page = await endpoint.call<SignatureLine[]>(method, ...params)
    if (page[0]?.signature !== last!.signature)
      throw new Unavailable('the endpoint lost its place in a history')
    isFull = page.length === signaturesPerCall
    lines = page.slice(1)
  }
}

/**
 * Incremental reading begins after the slot of the newest known transaction: endpoints order the
 * transactions of one slot differently. Block times are whole seconds; a line without one counts.
 */
function isWanted({ since, afterSlot }: HistoryRange, { blockTime, slot }: SignatureLine): boolean {
  if (!since) return afterSlot === undefined || BigInt(slot) > afterSlot
  return typeof blockTime !== 'number' || blockTime >= Math.floor(since.getTime() / 1_000)
}
