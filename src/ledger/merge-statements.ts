import type { StatementEntry, StatementPage } from './statement.js'

/**
 * The newest entries of several statements. Takes the first entries of each page in their order,
 * although times may differ a little from it: a cursor names the last one taken. Stops where a page
 * whose search is unfinished has no more entries, because the next one of its statement may be
 * newer than what remains.
 */
export function mergeNewestFirst(pages: StatementPage[], limit: number): StatementEntry[] {
  const remaining = pages.map(({ entries, searchedTo }) => ({
    entries: entries.toReversed(),
    searchedTo,
  }))
  const merged: StatementEntry[] = []
  while (merged.length < limit) {
    const nonEmpty = remaining.filter(({ entries }) => entries.length > 0)
    if (nonEmpty.length === 0) break
    const { entries } = nonEmpty.reduce((left, right) =>
      timeOfNext(right) > timeOfNext(left) ? right : left,
    )
    const time = entries.at(-1)!.createdAt
    if (remaining.some((page) => mayHaveNewer(page, time))) break
    merged.push(entries.pop()!)
  }
  return merged
}

function timeOfNext({ entries }: StatementPage): Date {
  return entries.at(-1)!.createdAt
}

function mayHaveNewer({ entries, searchedTo }: StatementPage, time: Date): boolean {
  return entries.length === 0 && searchedTo !== undefined && searchedTo.createdAt > time
}
