export type Page<Row> = { rows: Row[]; meta: object }

const perPageMax = 100

/**
 * One page of the matching rows, newest first, by cursor or by page number, as in the query. The
 * specification names the size `per_page` for some lists and `perPage` for others; both work.
 */
export function pageOf<Row extends { id: number }>(given: {
  oldestFirst: Row[]
  query: URLSearchParams
  isShown: (row: Row) => boolean
}): Page<Row> {
  const { query } = given
  const perPage = Math.min(toCount(query.get('perPage') ?? query.get('per_page'), 50), perPageMax)
  if (query.get('use_cursor') === 'true') return cursorPage(given, perPage, query.get('next'))
  const matching = given.oldestFirst.filter(given.isShown).reverse()
  const total = matching.length
  const page = toCount(query.get('page'), 1)
  const skipped = (page - 1) * perPage
  const pageCount = Math.ceil(total / perPage)
  const rows = matching.slice(skipped, skipped + perPage)
  return { rows, meta: { total, skipped, perPage, page, pageCount } }
}

function cursorPage<Row extends { id: number }>(
  { oldestFirst, isShown }: { oldestFirst: Row[]; isShown: (row: Row) => boolean },
  perPage: number,
  cursor: string | null,
): Page<Row> {
  const below = cursor === null ? Number.POSITIVE_INFINITY : readCursor(cursor)
  const rows: Row[] = []
  for (let index = oldestFirst.length - 1; index >= 0 && rows.length <= perPage; index -= 1) {
    const row = oldestFirst[index]!
    if (row.id < below && isShown(row)) rows.push(row)
  }
  const hasMore = rows.length > perPage
  if (hasMore) rows.pop()
  const next = hasMore ? writeCursor(rows.at(-1)!.id) : null
  return { rows, meta: { next, previous: null, perPage } }
}

function writeCursor(id: number): string {
  return Buffer.from(`undefined:${id}`).toString('base64')
}

function readCursor(text: string): number {
  return Number(Buffer.from(text, 'base64').toString('utf8').split(':')[1])
}

function toCount(text: string | null, otherwise: number): number {
  const count = Number(text)
  return text !== null && Number.isInteger(count) && count > 0 ? count : otherwise
}
