import type { ProviderAnswer } from '../http-server.js'
import { toJson } from './json.js'

export function succeed(responseBody: unknown): ProviderAnswer {
  return {
    status: 200,
    body: toJson({
      requestSuccessful: true,
      responseMessage: 'success',
      responseCode: '0',
      responseBody,
    }),
  }
}

export function refuse(
  status: number,
  responseCode: string | number,
  responseMessage: string,
): ProviderAnswer {
  return { status, body: toJson({ requestSuccessful: false, responseMessage, responseCode }) }
}

/** A page as Spring Data writes it; pages start at 0. */
export function succeedWithPage(
  rows: unknown[],
  { page, size }: { page: number; size: number },
): ProviderAnswer {
  const content = rows.slice(page * size, (page + 1) * size)
  const totalPages = Math.ceil(rows.length / size)
  return succeed({
    content,
    pageable: null,
    last: page >= totalPages - 1,
    totalElements: rows.length,
    totalPages,
    sort: null,
    first: page === 0,
    numberOfElements: content.length,
    size,
    number: page,
    empty: content.length === 0,
  })
}

const pageSizeMax = 100

/** Collections page by `page` and `size`, disbursements by `pageNo` and `pageSize`. */
export function readPage(
  query: URLSearchParams,
  names: { page: string; size: string },
): { page: number; size: number } {
  const page = Number(query.get(names.page) ?? 0)
  const size = Number(query.get(names.size) ?? 10)
  return {
    page: Number.isSafeInteger(page) && page > 0 ? page : 0,
    size: Number.isSafeInteger(size) && size > 0 ? Math.min(size, pageSizeMax) : 10,
  }
}
