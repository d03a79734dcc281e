import type { Static, TObject, TSchema } from 'typebox'
import type { JsonText } from '../../base/json-text.js'
import { readList } from '../../postgres/lists/find-ids.js'
import type { CommonFilter, List, Page, RowPage } from '../../postgres/lists/list.js'
import type { Queryable } from '../../postgres/transactions/tx.js'
import { closed, page, pageQuery } from '../parse/schemas.js'
import { answerList, type ListPage } from './answer-list.js'
import type { CsvColumn } from './csv.js'
import type { CursorFormat } from './cursor.js'
import type { OpenPage } from './page-source.js'
import { type Route, type RouteDefinition, type RouteRequest, route } from './route.js'

type ListRequest<Filters extends Record<string, TSchema>, Params extends TSchema> = RouteRequest<
  unknown,
  Static<TObject<Filters>>,
  Static<Params>
>

type ListDefinition<
  Filters extends Record<string, TSchema>,
  Params extends TSchema,
  Filter,
  Row,
> = Omit<RouteDefinition<TSchema, TSchema, Params>, 'method' | 'query' | 'answers' | 'handle'> & {
  title: string | ((request: ListRequest<Filters, Params>) => string)
  /** Parameters of the query, besides those of pages. */
  filters: Filters
  /** Schema of a row. */
  item: TSchema
  /** Columns of the CSV; without them the list has none. */
  columns?: CsvColumn[]
  cursor: CursorFormat
  /** Called once per request. Throws refusals. */
  toFilter: (request: ListRequest<Filters, Params>) => Filter | Promise<Filter>
  /** What to read, in the environment of the caller; or how, if that takes more than a list. */
  rows:
    | List<Filter, Row>
    | ((
        db: Queryable,
        request: ListRequest<Filters, Params>,
        filter: Filter,
        page: Page,
      ) => Promise<RowPage<Row>>)
  /** A row as JSON. */
  show: (row: Row, request: ListRequest<Filters, Params>) => JsonText
}

/** Defines the route of a list: a page as JSON, or everything as CSV. */
export function listRoute<
  Filters extends Record<string, TSchema>,
  Params extends TSchema,
  Filter,
  Row,
>(openPage: OpenPage, definition: ListDefinition<Filters, Params, Filter, Row>): Route {
  const { title, filters, item, columns, cursor, toFilter, rows, show, ...rest } = definition
  return route({
    ...rest,
    method: 'GET',
    query: closed<Record<string, TSchema>>({ ...filters, ...pageQuery }),
    answers: { 200: page(item) },
    hasCsv: columns !== undefined,
    async handle(given) {
      const { query, wantsCsv, forExcel } = given
      const request = given as ListRequest<Filters, Params>
      const filter = (await toFilter(request)) as Filter & CommonFilter
      const readPage = pageReader(openPage, {
        cursor,
        read: (db, wanted) =>
          typeof rows === 'function'
            ? rows(db, request, filter, wanted)
            : readList(db, rows, { environmentId: request.environment.id, filter }, wanted),
        show: (row) => show(row, request),
      })
      return answerList(
        { query, wantsCsv, forExcel },
        {
          title: typeof title === 'string' ? title : title(request),
          columns: columns ?? [],
          readPage,
        },
      )
    },
  })
}

type PageReader<Row> = {
  cursor: CursorFormat
  read: (db: Queryable, page: Page) => Promise<RowPage<Row>>
  show: (row: Row) => JsonText
}

/** Reads pages of a list from where a cursor points. */
export function pageReader<Row>(openPage: OpenPage, { cursor, read, show }: PageReader<Row>) {
  return async (wanted: { cursor: string | undefined; limit: number }): Promise<ListPage> => {
    const source = openPage(wanted.cursor)
    const before = source.cursor === undefined ? undefined : cursor.read(source.cursor)
    const { rows, next } = await read(source.db, { before, limit: wanted.limit })
    return {
      items: rows.map(show),
      nextCursor: source.toNext(next === undefined ? null : cursor.write(next)),
    }
  }
}
