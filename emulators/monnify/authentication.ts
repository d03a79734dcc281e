import { createHash } from 'node:crypto'
import { hour, minute } from '../clock.js'
import type { ProviderAnswer, ProviderRequest, ProviderRoute } from '../http-server.js'
import { refuse, succeed } from './answers.js'
import type { MonnifyState } from './state.js'

const tokenMs = hour

/** Issues tokens for the Basic login and checks them on every other call. */
export class MonnifyTokens {
  readonly #state: MonnifyState
  #issued: { token: string; expiresAtMs: number } | undefined
  #count = 0

  constructor(state: MonnifyState) {
    this.#state = state
  }

  readonly login: ProviderRoute = {
    method: 'POST',
    pattern: /^\/api\/v1\/auth\/login$/,
    handle: (request) => {
      const { apiKey, secretKey } = this.#state.settings
      const expected = Buffer.from(`${apiKey}:${secretKey}`).toString('base64')
      if (request.headers.authorization !== `Basic ${expected}`)
        return refuse(401, '99', 'Invalid Credentials')
      const { token, expiresAtMs } = this.#current()
      const expiresIn = Math.floor((expiresAtMs - this.#state.nowMs()) / 1_000)
      return succeed({ accessToken: token, expiresIn })
    },
  }

  /** Wraps a route so that it answers 401 without a valid token. */
  guard(route: ProviderRoute): ProviderRoute {
    const handle = (request: ProviderRequest) => this.#refusal(request) ?? route.handle(request)
    return { method: route.method, pattern: route.pattern, handle }
  }

  /** A login shortly after another one returns the same token with less time to live. */
  #current() {
    const nowMs = this.#state.nowMs()
    if (!this.#issued || this.#issued.expiresAtMs - nowMs < minute) {
      this.#count += 1
      const seed = `${this.#state.settings.secretKey}/${nowMs}/${this.#count}`
      const token = createHash('sha256').update(seed).digest('base64url')
      this.#issued = { token, expiresAtMs: nowMs + tokenMs }
    }
    return this.#issued
  }

  #refusal(request: ProviderRequest): ProviderAnswer | undefined {
    const given = request.headers.authorization ?? ''
    if (!given.startsWith('Bearer '))
      return unauthorized('unauthorized', 'Full authentication is required')
    const token = given.slice('Bearer '.length)
    if (token !== this.#issued?.token)
      return unauthorized('invalid_token', 'Cannot convert access token to JSON')
    if (this.#state.nowMs() >= this.#issued.expiresAtMs)
      return unauthorized('invalid_token', `Access token expired: ${token}`)
    return undefined
  }
}

/** Its shape is that of the framework, not the usual envelope. */
function unauthorized(error: string, description: string): ProviderAnswer {
  return { status: 401, body: JSON.stringify({ error, error_description: description }) }
}
