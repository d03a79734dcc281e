import { minute, second } from '../../base/clock.js'
import type { ProviderConfigs } from '../../base/config.js'
import {
  type ProviderAnswer,
  type ProviderCall,
  ProviderClient,
  Unknown,
  Unreadable,
} from '../bank/provider-client.js'
import type { Fields } from '../bank/read-fields.js'
import { asFields, needList, needText, readName, readText } from '../bank/read-fields.js'
import type { DriverDependencies } from './driver-dependencies.js'

export type MonnifyConfig = NonNullable<ProviderConfigs['monnify']>

type MonnifyCall = Omit<ProviderCall, 'headers'>

/**
 * The envelope of an answer. `code` is "0" if the call was carried out; a status in `body` states
 * the outcome. `99` leaves the outcome unknown.
 */
export type MonnifyAnswer = { status: number; code: string; message: string; body: unknown }

/** Time before its expiry at which a token is renewed. */
const renewalMs = minute

/** Our API key or secret key is wrong. It is still unknown what earlier calls have done. */
export class LoginRefused extends Unknown {}

/** Calls Monnify with a token that it gets and renews by itself. */
export class MonnifyCalls {
  readonly #config: MonnifyConfig
  readonly #client: ProviderClient
  readonly #clock: DriverDependencies['clock']
  #token: { text: string; renewAtMs: number } | undefined
  #login: Promise<string> | undefined

  constructor(config: MonnifyConfig, { clock, logger }: DriverDependencies) {
    this.#config = config
    this.#clock = clock
    this.#client = new ProviderClient({ name: 'monnify', url: config.url, clock, logger })
  }

  /** Throws `Unknown` if the answer is not an envelope, and when calls are limited. */
  async call(call: MonnifyCall): Promise<MonnifyAnswer> {
    const token = await this.#currentToken(call)
    let answer = await this.#send(call, token)
    // A call without a valid token was not carried out, so it can be made again.
    if (answer.status === 401) answer = await this.#send(call, await this.#renew(call, token))
    return readEnvelope(call, answer)
  }

  /** The body of a call that was carried out; throws `Unknown` for every other answer. */
  async need(call: MonnifyCall): Promise<unknown> {
    const answer = await this.call(call)
    if (answer.code === '0') return answer.body
    throw unexpected(call, answer)
  }

  #send(call: MonnifyCall, token: string): Promise<ProviderAnswer> {
    return this.#client.call({ ...call, headers: { authorization: `Bearer ${token}` } })
  }

  async #currentToken(call: MonnifyCall): Promise<string> {
    const token = this.#token
    if (token && this.#clock.elapsedMs() < token.renewAtMs) return token.text
    return this.#logIn(call)
  }

  /** Calls that find the same token invalid log in once. */
  async #renew(call: MonnifyCall, invalid: string): Promise<string> {
    if (this.#token?.text === invalid) this.#token = undefined
    return this.#currentToken(call)
  }

  #logIn(call: MonnifyCall): Promise<string> {
    this.#login ??= this.#fetchToken(call).finally(() => {
      this.#login = undefined
    })
    return this.#login
  }

  async #fetchToken({ isEarly = false }: MonnifyCall): Promise<string> {
    const { apiKey, secretKey } = this.#config
    const pair = Buffer.from(`${apiKey.reveal()}:${secretKey.reveal()}`).toString('base64')
    const login = { method: 'POST', path: '/api/v1/auth/login', isEarly } as const
    const requestedAtMs = this.#clock.elapsedMs()
    const answer = await this.#client.call({
      ...login,
      headers: { authorization: `Basic ${pair}` },
    })
    if (answer.status === 401) throw new LoginRefused('monnify: the login was refused')
    const { code, body, message } = readEnvelope(login, answer)
    if (code !== '0') throw new LoginRefused(`monnify: the login was refused: ${message}`)
    const fields = asFields(body)
    const text = needText(fields.accessToken, 'accessToken')
    // A header cannot have other characters.
    if (!/^[\x21-\x7e]+$/.test(text)) throw new Unreadable('monnify: accessToken is no token')
    const lifeMs = readLifeMs(fields.expiresIn)
    this.#token = { text, renewAtMs: requestedAtMs + lifeMs - renewalMs }
    return text
  }
}

/** In seconds. A token of unknown life is used for a few calls: one that has ended is renewed. */
function readLifeMs(value: unknown): number {
  const text = readText(value) ?? ''
  return /^\d{1,6}$/.test(text) ? Number(text) * second : 5 * minute
}

/** The code may be a number, which is a text here. */
function readEnvelope(call: MonnifyCall, { status, body }: ProviderAnswer): MonnifyAnswer {
  const fields = asFields(body)
  const code = readText(fields.responseCode)
  const message = readName(fields.responseMessage) ?? ''
  const isReadable = code !== undefined && (code === '0') === (fields.requestSuccessful === true)
  if (status === 429 || !isReadable) throw unexpected(call, { status, code: code ?? '', message })
  return { status, code, message, body: fields.responseBody }
}

/** Codes differ between calls and versions: the status or the words report that nothing exists. */
export function isNotFound({ status, code, message }: MonnifyAnswer): boolean {
  if (code === '0') return false
  return status === 404 || ['D02', 'R7'].includes(code) || missing.test(message)
}

const missing = /\bnot found\b|\bcould not find\b|\bno \w+ (matching|was)\b|\bdoes not exist\b/i

export function unexpected(
  { method, path }: Pick<MonnifyCall, 'method' | 'path'>,
  { status, code, message }: Pick<MonnifyAnswer, 'status' | 'code' | 'message'>,
): Unknown {
  return new Unknown(`monnify: ${method} ${path}: ${status} ${code} ${message}`.trimEnd())
}

/** One page of a list. Another one follows unless `last` is true or the page is empty. */
export function readPage(body: unknown): { rows: Fields[]; isLast: boolean } {
  const page = asFields(body)
  const rows = needList(page.content, 'content')
  return { rows, isLast: page.last === true || rows.length === 0 }
}
