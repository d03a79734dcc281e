import { limits } from '../../../base/limits.js'
import type { Logger } from '../../../base/log.js'
import type { HistoryRange } from '../../../collections/ports.js'
import type { RpcNode } from '../rpc/node.js'
import { Unavailable } from '../rpc/nodes.js'
import { callMany, orUndefined } from '../rpc/quorum.js'
import type { SignatureInfo } from './history.js'

const { signaturesPerCall, historyPagesMax, longAnswersPerRequestMax } = limits.solana

/** The histories of several accounts at one node. */
export type Listing = {
  node: RpcNode
  /** The node's finalized slot before it listed anything. */
  slot: bigint
  /** Per range, newest first; undefined where the range could not be listed completely. */
  histories: (SignatureInfo[] | undefined)[]
}

/** Undefined when the node does not respond. */
export async function listHistories(
  node: RpcNode,
  logger: Logger,
  ranges: HistoryRange[],
): Promise<Listing | undefined> {
  const calls = [
    { method: 'getEpochInfo', params: [{ commitment: 'finalized' }] },
    ...ranges.map((range) => toCall(range)),
  ]
  const [info, ...firstPages] = await callMany(node, logger, calls, {
    perRequest: longAnswersPerRequestMax,
    underWay: 1,
  })
  if (!info) return undefined
  const histories: (SignatureInfo[] | undefined)[] = []
  for (const [index, range] of ranges.entries()) {
    const page = firstPages[index] as SignatureInfo[] | undefined
    histories.push(page && (await orUndefined(logger, node, listWhole(node, range, page))))
  }
  return { node, slot: BigInt((info as { absoluteSlot: number }).absoluteSlot), histories }
}

/** A node that does not know `after` lists its whole history. */
function toCall({ tokenAccount, after, since }: HistoryRange, before?: string) {
  const options = {
    commitment: 'finalized',
    limit: signaturesPerCall,
    ...(after !== null && !since && { until: after }),
    ...(before && { before }),
  }
  return { method: 'getSignaturesForAddress', params: [tokenAccount, options] }
}

/** Throws when the history exceeds the page limit, or the node loses its position in it. */
async function listWhole(
  node: RpcNode,
  range: HistoryRange,
  firstPage: SignatureInfo[],
): Promise<SignatureInfo[]> {
  const history: SignatureInfo[] = []
  let page = firstPage
  let isFull = page.length === signaturesPerCall
  // With `since`, the range also includes everything newer than the last known transaction.
  let isKnownReached = range.after === null || !range.since
  for (let pages = 1; ; pages++) {
    const known = page.findIndex(({ signature }) => signature === range.after)
    const newer = isKnownReached ? 0 : known === -1 ? page.length : known + 1
    const inRange = page.filter((info, index) => index < newer || isInRange(range, info))
    isKnownReached ||= known !== -1
    history.push(...inRange)
    if (!isFull || inRange.length < page.length) return history
    if (pages === historyPagesMax) throw new Unavailable('the history is too long to read')
    // The next page repeats the last line: an empty page must not pass for the end of the history.
    const [secondLast, last] = page.slice(-2)
    const { method, params } = toCall(range, secondLast!.signature)
    const nextPage = await node.call<SignatureInfo[]>(method, ...params)
    if (nextPage[0]?.signature !== last!.signature)
      throw new Unavailable('the RPC node lost its position in a history')
    isFull = nextPage.length === signaturesPerCall
    page = nextPage.slice(1)
  }
}

/**
 * Without `since`, the range starts after the slot of the last known transaction: nodes order
 * the transactions of one slot differently. Block times are whole seconds; a transaction without
 * one is in range.
 */
function isInRange(
  { since, afterSlot }: HistoryRange,
  { blockTime, slot }: SignatureInfo,
): boolean {
  if (!since) return afterSlot === undefined || BigInt(slot) > afterSlot
  return typeof blockTime !== 'number' || blockTime >= Math.floor(since.getTime() / 1_000)
}
