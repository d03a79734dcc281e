import { createHash } from 'node:crypto'
import { hour, minute, second } from '../clock.js'
import { json, type ProviderAnswer, type ProviderRequest } from '../http-server.js'
import { refuse, succeed } from './answers.js'
import type { MonnifyBank } from './bank.js'

const tokenMs = hour
export const loginPath = '/api/v1/auth/login'

/** Issues tokens for the Basic login and checks them on every other call. */
export class MonnifyTokens {
  readonly #bank: MonnifyBank
  #issued: { token: string; expiresAtMs: number } | undefined
  #count = 0

  constructor(bank: MonnifyBank) {
    this.#bank = bank
  }

  login({ headers }: ProviderRequest): ProviderAnswer {
    const { apiKey, secretKey } = this.#bank.settings
    const expected = Buffer.from(`${apiKey}:${secretKey}`).toString('base64')
    if (headers.authorization !== `Basic ${expected}`)
      return refuse(401, '99', 'Invalid Credentials')
    const { token, expiresAtMs } = this.#current()
    const expiresIn = Math.floor((expiresAtMs - this.#bank.nowMs) / second)
    return succeed({ accessToken: token, expiresIn })
  }

  /** A login shortly after another one returns the same token with less time to live. */
  #current() {
    const { nowMs, settings } = this.#bank
    if (!this.#issued || this.#issued.expiresAtMs - nowMs < minute) {
      this.#count += 1
      const seed = `${settings.secretKey}/${nowMs}/${this.#count}`
      const token = createHash('sha256').update(seed).digest('base64url')
      this.#issued = { token, expiresAtMs: nowMs + tokenMs }
    }
    return this.#issued
  }

  /** Every call but the login needs a valid token. */
  refuse({ path, headers }: ProviderRequest): ProviderAnswer | undefined {
    if (path === loginPath) return undefined
    const given = headers.authorization ?? ''
    if (!given.startsWith('Bearer '))
      return unauthorized('unauthorized', 'Full authentication is required')
    const token = given.slice('Bearer '.length)
    if (token !== this.#issued?.token)
      return unauthorized('invalid_token', 'Cannot convert access token to JSON')
    if (this.#bank.nowMs >= this.#issued.expiresAtMs)
      return unauthorized('invalid_token', `Access token expired: ${token}`)
    return undefined
  }
}

/** Its shape is that of the framework, not the usual envelope. */
function unauthorized(error: string, description: string): ProviderAnswer {
  return json(401, { error, error_description: description })
}
