import { lookup as dnsLookup } from 'node:dns'
import { isIP, type LookupFunction } from 'node:net'
import { type Clock, second } from '../../base/clock.js'
import type { Mode } from '../../base/environment.js'
import { hostOf, isLoopback, isPublicAddress } from '../endpoints/addresses.js'
import { webhookLimits } from '../limits.js'
import {
  ConnectionPool,
  type ConnectionTarget,
  type ExchangeCallbacks,
  NotPublic,
} from './connection.js'
import { CutOff, NotHttp, type ResponseReader } from './response-reader.js'
import { readRetryAfter } from './schedule.js'

/** The result of one attempt. `status` is null without a complete response. */
export type DeliveryResult = {
  status: number | null
  error: string | null
  response: string
  durationMs: number
  retryAfterMs?: number
  /** No request was made. */
  isUnsent?: boolean
}

export type WebhookMessage = {
  url: string
  mode: Mode
  headers: Record<string, string>
  body: string
}

export type Sender = { send(message: WebhookMessage): Promise<DeliveryResult>; close(): void }

/** A URL as connections and requests need it. */
type Destination = ConnectionTarget & {
  /** Why no connection is made, as merchants read it. */
  obstacle: string | undefined
  /** The request line and the headers that depend on the URL alone. */
  head: string
}

type SenderSettings = {
  clock: Clock
  allowsLoopback: boolean
  attemptTimeoutMs?: number
  /** Replaced in tests. */
  lookup?: LookupFunction
  /** Certificate authorities, replaced in tests. */
  ca?: string
}

/**
 * Posts to merchants' servers over kept connections. The resolved address is checked when
 * connecting, so DNS rebinding does not help an attacker. Redirects are never followed. Live and
 * test mode share no connection, because test mode may connect to loopback.
 */
export function createSender(settings: SenderSettings): Sender {
  const { clock, attemptTimeoutMs = webhookLimits.attemptTimeoutMs } = settings
  const pools = {
    live: openPool(settings, false),
    test: openPool(settings, settings.allowsLoopback),
  }
  const destinations = {
    live: new Map<string, Destination>(),
    test: new Map<string, Destination>(),
  }
  let isClosed = false

  function findDestination({ url, mode }: WebhookMessage): Destination {
    const cache = destinations[mode]
    const cached = cache.get(url)
    if (cached) return cached
    if (cache.size >= webhookLimits.destinationsCachedMax) cache.clear()
    const destination = readDestination(url, mode, mode === 'test' && settings.allowsLoopback)
    cache.set(url, destination)
    return destination
  }

  return {
    send(message) {
      const destination = findDestination(message)
      if (destination.obstacle !== undefined)
        return Promise.resolve(failure(destination.obstacle, 0))
      const request = toRequest(destination, message)
      const pool = pools[message.mode]
      const startedAt = clock.elapsedMs()
      const spentMs = () => Math.round(clock.elapsedMs() - startedAt)
      return new Promise((resolve) => {
        let isOver = false
        let connection = pool.take(destination) ?? pool.open(destination)
        // One timeout covers the whole attempt: a slow trickle of bytes does not extend it.
        const timer = setTimeout(() => {
          isOver = true
          const seconds = attemptTimeoutMs / second
          resolve(failure(`no complete response within ${seconds} seconds`, spentMs()))
          connection.destroy()
        }, attemptTimeoutMs)
        const exchange: ExchangeCallbacks = {
          onResponse(response) {
            clearTimeout(timer)
            resolve(toResult(response, spentMs(), clock))
          },
          onFailure(error, isStale) {
            if (isOver) return
            // The receiver closed the idle connection just as it was reused: not a failed attempt.
            // A new connection is never stale.
            if (isStale && !isClosed) {
              connection = pool.open(destination)
              return connection.send(request, exchange)
            }
            clearTimeout(timer)
            resolve(failure(explain(error), spentMs()))
          },
        }
        connection.send(request, exchange)
      })
    },
    close() {
      isClosed = true
      for (const pool of Object.values(pools)) pool.close()
    },
  }
}

function openPool(settings: SenderSettings, allowsLoopback: boolean): ConnectionPool {
  return new ConnectionPool({
    clock: settings.clock,
    lookup: checkedLookup(settings.lookup ?? (dnsLookup as LookupFunction), allowsLoopback),
    mayConnect: (address) => isAllowed(address, allowsLoopback),
    ca: settings.ca,
  })
}

function readDestination(text: string, mode: Mode, allowsLoopback: boolean): Destination {
  const url = new URL(text)
  const isSecure = url.protocol === 'https:'
  const host = hostOf(url)
  const obstacle =
    mode === 'live' && !isSecure
      ? 'live endpoints must use https'
      : isIP(host) !== 0 && !isAllowed(host, allowsLoopback)
        ? notPublic
        : undefined
  return {
    key: url.origin,
    isSecure,
    host,
    port: Number(url.port || (isSecure ? 443 : 80)),
    obstacle,
    head: `POST ${url.pathname}${url.search} HTTP/1.1\r\nhost: ${url.host}\r\nconnection: keep-alive\r\n`,
  }
}

/** One text, so that it leaves in one write. */
function toRequest({ head }: Destination, { headers, body }: WebhookMessage): string {
  let text = head
  for (const name in headers) text += `${name}: ${headers[name]}\r\n`
  return `${text}content-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`
}

/** Passes resolved addresses on only if every one of them is allowed. */
function checkedLookup(lookup: LookupFunction, allowsLoopback: boolean): LookupFunction {
  return (hostname, options, callback) => {
    lookup(hostname, options, (error, found, family) => {
      if (error) return callback(error, found, family)
      const addresses = typeof found === 'string' ? [found] : found.map(({ address }) => address)
      if (addresses.every((address) => isAllowed(address, allowsLoopback)))
        return callback(null, found, family)
      return callback(new NotPublic(), [])
    })
  }
}

function isAllowed(address: string, allowsLoopback: boolean): boolean {
  return isPublicAddress(address) || (allowsLoopback && isLoopback(address))
}

function failure(error: string, durationMs: number): DeliveryResult {
  return { status: null, error, response: '', durationMs }
}

function toResult(response: ResponseReader, durationMs: number, clock: Clock): DeliveryResult {
  const { status, retryAfter, text } = response
  const result: DeliveryResult = { status, error: null, response: text, durationMs }
  if (status !== 429 && status !== 503) return result
  const retryAfterMs = readRetryAfter(retryAfter, clock.now())
  if (retryAfterMs !== undefined) result.retryAfterMs = retryAfterMs
  return result
}

const notPublic = 'the address is not public'

/**
 * Fixed texts, because merchants read them: a library's message may reveal our network or quote
 * whatever the receiver wrote into its certificate.
 */
function explain(error: NodeJS.ErrnoException): string {
  if (error instanceof CutOff) return 'the response was cut off'
  if (error instanceof NotPublic) return notPublic
  if (error instanceof NotHttp) return 'the response was not HTTP'
  const known = error.code && errorsByCode[error.code]
  if (known) return known
  if (/CERT|TLS|SSL/.test(error.code ?? '')) return 'the certificate is not valid'
  return 'the connection failed'
}

const errorsByCode: Record<string, string> = {
  ECONNREFUSED: 'the connection was refused',
  ECONNRESET: 'the connection was closed before a response',
  EPIPE: 'the connection was closed before a response',
  ENOTFOUND: 'the hostname does not resolve',
  EAI_AGAIN: 'the hostname does not resolve',
  EHOSTUNREACH: 'the address is unreachable',
  ENETUNREACH: 'the address is unreachable',
  ETIMEDOUT: 'the address is unreachable',
}
