import type { Secret } from '../../base/secret.js'
import { type ProviderClient, Unknown } from '../bank/provider-client.js'
import { asFields, type Fields, needList, readText } from '../bank/read-fields.js'

/** An answer in Flutterwave's format: the call was carried out, or why not. */
export type FlutterwaveReply = {
  isDone: boolean
  /** Flutterwave reports that nothing of this name exists. */
  isMissing: boolean
  message: string
  data: unknown
  meta: Fields
}

export type FlutterwaveCall = {
  method: 'GET' | 'POST'
  path: string
  query?: Record<string, string>
  body?: object
  isEarly?: boolean
}

export type FlutterwavePage = { rows: Fields[]; hasMore: boolean }

/** Matches refusals such as "No transaction was found for this id". */
const missing = /\bnot found\b|\bno \w+( was| were)? found\b/i

/** Flutterwave v3: its key and its envelope. */
export class FlutterwaveApi {
  readonly #client: ProviderClient
  readonly #key: Secret

  constructor(client: ProviderClient, key: Secret) {
    this.#client = client
    this.#key = key
  }

  /** Throws `Unknown` for answers that do not concern the request: a wrong key, a rate limit. */
  async call(call: FlutterwaveCall): Promise<FlutterwaveReply> {
    const { status, body } = await this.#client.call({
      ...call,
      headers: { authorization: `Bearer ${this.#key.reveal()}` },
    })
    const fields = asFields(body)
    const message = toPlainText(readText(fields.message) ?? `status ${status}`)
    if (status === 401 || status === 403 || status === 429)
      throw new Unknown(`flutterwave: ${call.method} ${call.path}: ${message}`)
    const isDone = status >= 200 && status < 300 && fields.status === 'success'
    if (!isDone && fields.status !== 'error')
      throw new Unknown(`flutterwave: ${call.method} ${call.path}: no answer in its format`)
    const isMissing = !isDone && missing.test(message) && !/\broute\b/i.test(message)
    return { isDone, isMissing, message, data: fields.data, meta: asFields(fields.meta) }
  }

  /** For calls that Flutterwave always carries out: throws `Unknown` otherwise. */
  async need(call: FlutterwaveCall): Promise<FlutterwaveReply> {
    const reply = await this.call(call)
    if (!reply.isDone)
      throw new Unknown(`flutterwave: ${call.method} ${call.path}: ${reply.message}`)
    return reply
  }

  /** One page of a list, newest first. The first page is 1. */
  async list(path: string, query: Record<string, string>, page: number): Promise<FlutterwavePage> {
    const call = { method: 'GET', path, query: { ...query, page: String(page) } } as const
    const { isDone, isMissing, data, meta, message } = await this.call(call)
    // Some lists report an empty page as an error.
    if (isMissing) return { rows: [], hasMore: false }
    if (!isDone) throw new Unknown(`flutterwave: GET ${path}: ${message}`)
    const rows = needList(data, 'data')
    const pages = readText(asFields(meta.page_info).total_pages) ?? ''
    // Without a number of pages, an empty page is the last.
    const isLast = rows.length === 0 || (/^\d+$/.test(pages) && page >= Number(pages))
    return { rows, hasMore: !isLast }
  }
}

/** Bounded, and without control characters: it goes into logs and answers. */
function toPlainText(text: string): string {
  return text.replace(/\p{C}/gu, ' ').slice(0, 200)
}
