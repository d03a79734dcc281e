import type { JsonText } from '../../base/json-text.js'
import { limits } from '../../base/limits.js'
import { type CsvColumn, csvHeader, csvRows } from './csv.js'
import { listText, successText } from './envelope.js'
import type { RouteAnswer } from './route.js'

export type ListPage = { items: JsonText[]; nextCursor: string | null }

type ListRequest = {
  query: { limit?: number; cursor?: string }
  wantsCsv: boolean
  forExcel: boolean
}

type List = {
  title: string
  columns: CsvColumn[]
  readPage: (page: { cursor: string | undefined; limit: number }) => Promise<ListPage>
}

/**
 * A page as JSON, or everything from the cursor on as CSV. An export reads as much as the caller
 * takes, so it needs little memory and has no end.
 */
export async function answerList(
  { query, wantsCsv, forExcel }: ListRequest,
  { title, columns, readPage }: List,
): Promise<RouteAnswer> {
  const { cursor, limit = limits.http.pageSizeDefault } = query
  if (!wantsCsv) {
    const { items, nextCursor } = await readPage({ cursor, limit })
    return successText(200, title, listText(items, nextCursor))
  }
  const readMore = (from: string | undefined) =>
    readPage({ cursor: from, limit: limits.http.csvRowsPerRead })
  // Read before the answer begins, so that a wrong cursor is refused.
  const first = await readMore(cursor)
  return {
    status: 200,
    pages: writePages({ columns, forExcel }, first, readMore),
    contentType: 'text/csv; charset=utf-8',
    headers: { vary: 'Accept', 'content-disposition': `attachment; filename="${fileOf(title)}"` },
  }
}

function fileOf(title: string): string {
  return `${title.toLowerCase().replaceAll(' ', '-')}.csv`
}

type Sheet = { columns: CsvColumn[]; forExcel: boolean }

async function* writePages(
  sheet: Sheet,
  first: ListPage,
  readMore: (cursor: string) => Promise<ListPage>,
): AsyncGenerator<string> {
  let page = first
  yield csvHeader(sheet.columns, sheet) + toRows(sheet, page)
  while (page.nextCursor !== null) {
    page = await readMore(page.nextCursor)
    yield toRows(sheet, page)
  }
}

function toRows(sheet: Sheet, { items }: ListPage): string {
  return csvRows(
    sheet.columns,
    items.map((item) => JSON.parse(item) as object),
    sheet,
  )
}
