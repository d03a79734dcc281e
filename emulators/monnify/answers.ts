import type { Fields } from '../fields.js'
import type { ProviderAnswer } from '../http-server.js'
import { readCount } from '../read-count.js'
import { toJson } from './json.js'

export function succeed(responseBody: unknown): ProviderAnswer {
  const requestSuccessful = true
  const responseMessage = 'success'
  const responseCode = '0'
  return {
    status: 200,
    body: toJson({ requestSuccessful, responseMessage, responseCode, responseBody }),
  }
}

export function refuse(
  status: number,
  responseCode: string | number,
  responseMessage: string,
): ProviderAnswer {
  return { status, body: toJson({ requestSuccessful: false, responseMessage, responseCode }) }
}

/** Refuses a call that lacks required texts, in the provider's words. */
export function refuseMissing(fields: Fields, names: string[]): ProviderAnswer | undefined {
  const missing = names.find((name) => fields.textOnly(name).trim() === '')
  return missing === undefined ? undefined : refuse(400, '99', `${missing} must not be blank`)
}

const pageSizeMax = 100

/**
 * A page as Spring Data writes it, newest row first; pages start at 0. Collections page by `page`
 * and `size`, disbursements by `pageNo` and `pageSize`.
 */
export function succeedWithPage<Row>(
  query: URLSearchParams,
  oldestFirst: Row[],
  write: (row: Row) => unknown,
): ProviderAnswer {
  const page = readCount(query.get('page') ?? query.get('pageNo'), 0)
  const size = Math.min(readCount(query.get('size') ?? query.get('pageSize'), 10), pageSizeMax)
  const content = oldestFirst
    .toReversed()
    .slice(page * size, (page + 1) * size)
    .map(write)
  const totalPages = Math.ceil(oldestFirst.length / size)
  return succeed({
    content,
    pageable: null,
    last: page >= totalPages - 1,
    totalElements: oldestFirst.length,
    totalPages,
    sort: null,
    first: page === 0,
    numberOfElements: content.length,
    size,
    number: page,
    empty: content.length === 0,
  })
}
