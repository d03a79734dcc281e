import type { Secret } from '../../base/secret.js'
import { type ProviderCall, type ProviderClient, Unknown } from '../bank/provider-client.js'
import { asFields, asList, type Fields, readName, readText } from '../bank/read-fields.js'

/** Paystack's envelope. `isOk` is its `status`; numbers are texts. */
export type PaystackAnswer = {
  status: number
  isOk: boolean
  message: string
  code: string
  data: unknown
  meta: Fields
}

type Call = Omit<ProviderCall, 'headers'>

/** `next` continues the list: `next=…` with a cursor or `page=…` with a number. */
export type Rows = { rows: Fields[]; next: string | null }

const rowsPerPage = '100'

/** Calls Paystack with the secret key. */
export class PaystackCalls {
  readonly #client: ProviderClient
  readonly #secretKey: Secret

  constructor(client: ProviderClient, secretKey: Secret) {
    this.#client = client
    this.#secretKey = secretKey
  }

  /** Any answer in Paystack's envelope, good or bad. */
  async ask(call: Call): Promise<PaystackAnswer> {
    const headers = { authorization: `Bearer ${this.#secretKey.reveal()}` }
    const { status, body } = await this.#client.call({ ...call, headers })
    const { status: isOk, message, code, data, meta } = asFields(body)
    if (status === 429) throw new Unknown(`paystack: ${call.path}: too many requests`)
    if (typeof isOk !== 'boolean')
      throw new Unknown(`paystack: ${call.path}: status ${status} without an envelope`)
    return {
      status,
      isOk: isOk && status < 300,
      message: readName(message) ?? `status ${status}`,
      code: readText(code) ?? '',
      data,
      meta: asFields(meta),
    }
  }

  /** The data of a good answer; any other is unknown. */
  async fetch(call: Call): Promise<unknown> {
    const answer = await this.ask(call)
    if (!answer.isOk) throw unexpected(call, answer)
    return answer.data
  }

  /** The fields of a good answer; undefined if Paystack reports that nothing was found. */
  async find(call: Call, missing: RegExp): Promise<Fields | undefined> {
    const answer = await this.ask(call)
    if (answer.isOk) return asFields(answer.data)
    if (isMissing(answer, missing)) return undefined
    throw unexpected(call, answer)
  }

  /** One page of a list. Lists ignore some of the names of paging, so all of them are sent. */
  async list(given: {
    path: string
    query: Record<string, string>
    after: string | undefined
    isEarly?: boolean
  }): Promise<Rows> {
    const { path, query, after, isEarly = false } = given
    const [name = '', ...cursor] = after?.split('=') ?? []
    const call = {
      method: 'GET' as const,
      path,
      query: {
        ...query,
        use_cursor: 'true',
        perPage: rowsPerPage,
        per_page: rowsPerPage,
        ...(name && { [name]: cursor.join('=') }),
      },
      isEarly,
    }
    const answer = await this.ask(call)
    if (!answer.isOk || !Array.isArray(answer.data)) throw unexpected(call, answer)
    const rows = asList(answer.data)
    const next = nextOf(answer.meta)
    // A full page that does not report whether another one follows may not be the last.
    if (next === undefined && rows.length >= Number(rowsPerPage)) throw unexpected(call, answer)
    return { rows, next: next ?? null }
  }
}

/**
 * No cursor is null or the text "null". Some lists count pages instead. Undefined: the answer does
 * not report whether more follows.
 */
function nextOf({ next, page, pageCount }: Fields): string | null | undefined {
  const cursor = readText(next)
  if (cursor !== undefined && cursor !== 'null') return `next=${cursor}`
  const [current, pages] = [readText(page) ?? '', readText(pageCount) ?? '']
  if (/^\d+$/.test(current) && /^\d+$/.test(pages))
    return Number(current) < Number(pages) ? `page=${Number(current) + 1}` : null
  return next === undefined ? undefined : null
}

/** Paystack answers 400 or 404, with words or a code. Another 404 is about the route. */
export function isMissing({ status, message, code }: PaystackAnswer, words: RegExp): boolean {
  return [400, 404].includes(status) && (words.test(message) || /_not_found$/.test(code))
}

function unexpected({ method, path }: Call, { status, message }: PaystackAnswer): Unknown {
  return new Unknown(`paystack: ${method} ${path}: ${status} ${message}`)
}
