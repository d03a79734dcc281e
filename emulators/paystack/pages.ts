import type { ProviderAnswer } from '../http-server.js'
import { readCount } from '../read-count.js'
import { succeed } from './answers.js'

type Listed = { id: number; createdAt?: number }

type Listing<Row> = {
  oldestFirst: readonly Row[]
  query: URLSearchParams
  /** Undefined: all rows of the period. */
  isShown?: (row: Row) => boolean
}

const perPageMax = 100

export function answerPage<Row extends Listed>(
  message: string,
  listing: Listing<Row> & { show: (row: Row) => object },
): ProviderAnswer {
  const { rows, meta } = pageOf(listing)
  return succeed(message, rows.map(listing.show), meta)
}

/**
 * One page of the matching rows, newest first, by cursor or by page number, as in the query. The
 * specification names the size `per_page` for some lists and `perPage` for others; both work.
 */
export function pageOf<Row extends Listed>(listing: Listing<Row>): { rows: Row[]; meta: object } {
  const { oldestFirst, query, isShown = () => true } = listing
  const perPage = Math.min(readCount(query.get('perPage') ?? query.get('per_page'), 50), perPageMax)
  const isInPeriod = periodOf(query)
  const matching = oldestFirst
    .filter((row) => isInPeriod(row.createdAt ?? 0) && isShown(row))
    .reverse()
  if (query.get('use_cursor') === 'true') return cursorPage(matching, perPage, query.get('next'))
  const total = matching.length
  const page = readCount(query.get('page'), 1)
  const skipped = (page - 1) * perPage
  const pageCount = Math.ceil(total / perPage)
  const rows = matching.slice(skipped, skipped + perPage)
  return { rows, meta: { total, skipped, perPage, page, pageCount } }
}

function cursorPage<Row extends Listed>(matching: Row[], perPage: number, cursor: string | null) {
  const below = cursor === null ? Number.POSITIVE_INFINITY : readCursor(cursor)
  const rest = matching.filter(({ id }) => id < below)
  const rows = rest.slice(0, perPage)
  const next = rest.length > perPage ? writeCursor(rows.at(-1)!.id) : null
  return { rows, meta: { next, previous: null, perPage } }
}

function writeCursor(id: number): string {
  return Buffer.from(`undefined:${id}`).toString('base64')
}

function readCursor(text: string): number {
  return Number(Buffer.from(text, 'base64').toString('utf8').split(':')[1])
}

/** Both ends are included. */
function periodOf(query: URLSearchParams): (ms: number) => boolean {
  const from = Date.parse(query.get('from') ?? '') || 0
  const to = Date.parse(query.get('to') ?? '') || Number.POSITIVE_INFINITY
  return (ms) => ms >= from && ms <= to
}
