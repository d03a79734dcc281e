import type { HistoryRange } from '../../collections/ports.js'
import { limits } from '../../limits.js'
import { type Endpoints, inGroups, resultOf, Unavailable } from './endpoints.js'
import type { Line } from './history.js'

const { signaturesPerCall, historyPages, longAnswersPerRequest } = limits.solana

type Page = { lines: Line[]; isFull: boolean }

/**
 * What is final in each history, newest first. All of it or nothing: throws when one is longer
 * than may be read, or when the nodes lose their place in it.
 */
export async function listHistories(
  endpoints: Endpoints,
  ranges: HistoryRange[],
): Promise<Line[][]> {
  const calls = ranges.map((range) => callFor(range))
  const first: Line[][] = []
  for (const group of inGroups(calls, longAnswersPerRequest))
    first.push(...(await endpoints.ask(group)).map((answer) => resultOf<Line[]>(answer)))
  const histories: Line[][] = []
  for (const [index, range] of ranges.entries())
    histories.push(await walkOn(endpoints, range, toPage(first[index]!)))
  return histories
}

/** A node that does not know the newest we know lists everything it has. */
function callFor({ tokenAccount, after, since }: HistoryRange, before?: string) {
  const options = {
    ...{ commitment: 'finalized', limit: signaturesPerCall },
    ...(after !== null && !since && { until: after }),
    ...(before && { before }),
  }
  return { method: 'getSignaturesForAddress', params: [tokenAccount, options] }
}

function toPage(lines: Line[]): Page {
  return { lines, isFull: lines.length === signaturesPerCall }
}

async function walkOn(endpoints: Endpoints, range: HistoryRange, first: Page): Promise<Line[]> {
  const history: Line[] = []
  let page = first
  // What is known may be older than the time since which everything is wanted.
  let isKnownPassed = range.after === null
  for (let pages = 1; ; pages++) {
    const known = page.lines.findIndex(({ signature }) => signature === range.after)
    const end = known === -1 ? page.lines.length : known + 1
    const unknown = isKnownPassed ? 0 : end
    const wanted = page.lines.filter((line, index) => index < unknown || isWanted(range, line))
    isKnownPassed ||= known !== -1
    history.push(...wanted)
    if (!page.isFull || wanted.length < page.lines.length) return history
    if (pages === historyPages) throw new Unavailable('the history is too long to read')
    page = await readNext(endpoints, range, page)
  }
}

/**
 * Asks for one more than is missing, which must be the last that is known: a node that does not
 * know the place answers nothing, and that must not be taken for the beginning of the history.
 */
async function readNext(endpoints: Endpoints, range: HistoryRange, page: Page): Promise<Page> {
  const [place, last] = page.lines.slice(-2)
  const { method, params } = callFor(range, place!.signature)
  const lines = await endpoints.call<Line[]>(method, ...params)
  if (lines[0]?.signature !== last!.signature)
    throw new Unavailable('a node has lost its place in a history')
  return { ...toPage(lines), lines: lines.slice(1) }
}

/** Chains tell whole seconds. What has no time might be younger. */
function isWanted({ since }: HistoryRange, { blockTime }: Line): boolean {
  if (!since || blockTime === undefined || blockTime === null) return true
  return blockTime >= Math.floor(since.getTime() / 1_000)
}
