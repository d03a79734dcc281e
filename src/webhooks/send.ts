import { lookup as dnsLookup } from 'node:dns'
import { type ClientRequest, type IncomingMessage, request as requestHttp } from 'node:http'
import { request as requestHttps } from 'node:https'
import { isIP } from 'node:net'
import { RequestFilteringHttpAgent, RequestFilteringHttpsAgent } from 'request-filtering-agent'
import { type Clock, second } from '../base/clock.js'
import type { Mode } from '../base/environment.js'
import { limits } from '../base/limits.js'
import { hostOf, isLoopback, isPublicAddress, loopbackAddresses } from './addresses.js'
import { readRetryAfter } from './schedule.js'

/** The result of one attempt. `status` is null without a complete response. */
export type DeliveryResult = {
  status: number | null
  error: string | null
  response: string
  durationMs: number
  retryAfterMs?: number
}

export type WebhookMessage = {
  url: string
  mode: Mode
  headers: Record<string, string>
  body: string
}

export type Sender = { send(message: WebhookMessage): Promise<DeliveryResult>; close(): void }

type Lookup = (hostname: string, options: object, callback: (...args: never[]) => void) => void

/**
 * Posts to merchants' servers with keep-alive. The resolved address is checked when connecting, so
 * DNS rebinding does not help an attacker. Redirects are never followed.
 */
export function createSender(options: {
  clock: Clock
  allowsLoopback: boolean
  attemptTimeoutMs?: number
  /** Replaced in tests. */
  lookup?: Lookup
}): Sender {
  const { clock, attemptTimeoutMs = limits.webhooks.attemptTimeoutMs } = options
  const connection = {
    keepAlive: true,
    maxFreeSockets: limits.webhooks.inFlightMax,
    timeout: limits.webhooks.idleConnectionMs,
  }
  const { allowsLoopback, lookup = dnsLookup as Lookup } = options
  const publicOnly = { ...connection, lookup: checkedLookup(lookup, false) }
  const withLoopback = {
    ...connection,
    allowIPAddressList: allowsLoopback ? loopbackAddresses : [],
    lookup: checkedLookup(lookup, allowsLoopback),
  }
  const agents = {
    live: { http: undefined, https: new RequestFilteringHttpsAgent(publicOnly) },
    test: {
      http: new RequestFilteringHttpAgent(withLoopback),
      https: new RequestFilteringHttpsAgent(withLoopback),
    },
  }
  let isClosed = false
  return {
    async send(message) {
      const url = new URL(message.url)
      const isSecure = url.protocol === 'https:'
      const agent = agents[message.mode][isSecure ? 'https' : 'http']
      if (!agent) return { status: null, error: 'live endpoints must use https', ...nothing }
      if (!mayConnect(hostOf(url), message.mode === 'test' && allowsLoopback))
        return { status: null, error: 'the address is not public', ...nothing }
      const headers = { ...message.headers, 'content-length': Buffer.byteLength(message.body) }
      const post = () =>
        (isSecure ? requestHttps : requestHttp)(url, { method: 'POST', agent, headers })
      const startedAt = clock.elapsedMs()
      const spentMs = () => Math.round(clock.elapsedMs() - startedAt)
      const tryOnce = () =>
        exchange(post(), message.body, { clock, timeoutMs: attemptTimeoutMs - spentMs() })
      let exchanged = await tryOnce()
      // The receiver closed the idle connection just as it was reused: not a failed attempt.
      if (exchanged.wasStale && !isClosed) exchanged = await tryOnce()
      const { wasStale, ...result } = exchanged
      return { ...result, durationMs: spentMs() }
    },
    close() {
      isClosed = true
      for (const agent of [agents.live.https, agents.test.http, agents.test.https]) agent.destroy()
    },
  }
}

/** Checks the resolved addresses in addition to the library's own filter. */
function checkedLookup(lookup: Lookup, allowsLoopback: boolean): Lookup {
  return (hostname, options, callback) => {
    const respond = callback as (error: Error | null, ...found: unknown[]) => void
    lookup(hostname, options, ((error: Error | null, found: string | Found[], family: number) => {
      if (error) return respond(error)
      const addresses = Array.isArray(found) ? found.map(({ address }) => address) : [found]
      const isAllowed = addresses.every((address) => mayConnect(address, allowsLoopback))
      return isAllowed ? respond(null, found, family) : respond(new NotPublic())
    }) as never)
  }
}

type Found = { address: string }

/** Hostnames pass here and are checked by what they resolve to. */
function mayConnect(host: string, allowsLoopback: boolean): boolean {
  return isIP(host) === 0 || isPublicAddress(host) || (allowsLoopback && isLoopback(host))
}

const nothing = { response: '', durationMs: 0 }

type Exchanged = Omit<DeliveryResult, 'durationMs'> & { wasStale?: boolean }

/** One timeout covers the whole exchange, so that a slow trickle of bytes does not extend it. */
function exchange(
  outgoing: ClientRequest,
  body: string,
  { clock, timeoutMs }: { clock: Clock; timeoutMs: number },
): Promise<Exchanged> {
  return new Promise((resolve) => {
    const finish = (exchanged: Exchanged) => {
      clearTimeout(timer)
      resolve(exchanged)
    }
    const fail = (error: string) => finish({ status: null, error, response: '' })
    const timer = setTimeout(() => {
      fail(`no complete response within ${limits.webhooks.attemptTimeoutMs / second} seconds`)
      outgoing.destroy()
    }, timeoutMs)
    outgoing.on('error', (error: NodeJS.ErrnoException) => {
      const wasStale = outgoing.reusedSocket && error.code === 'ECONNRESET'
      finish({ status: null, error: explain(error), response: '', wasStale })
    })
    outgoing.on('response', (incoming) => {
      readStart(incoming).then(
        (response) => finish({ ...readHead(incoming, clock), response }),
        (error: Error) => fail(explain(error)),
      )
    })
    outgoing.end(body)
  })
}

function readHead(incoming: IncomingMessage, clock: Clock) {
  const status = incoming.statusCode ?? 0
  const mayDelay = status === 429 || status === 503
  const header = incoming.headers['retry-after']
  const retryAfterMs = mayDelay ? readRetryAfter(header, clock.now()) : undefined
  return { status, error: null, ...(retryAfterMs !== undefined && { retryAfterMs }) }
}

/** Reads the part of the response that is stored, and closes the connection if there is more. */
function readStart(incoming: IncomingMessage): Promise<string> {
  const bytesMax = limits.webhooks.responseBytesMax
  const chunks: Buffer[] = []
  let length = 0
  return new Promise((resolve, reject) => {
    const finish = () => resolve(toText(Buffer.concat(chunks), bytesMax))
    incoming.on('data', (chunk: Buffer) => {
      chunks.push(chunk)
      length += chunk.length
      if (length <= bytesMax) return
      finish()
      incoming.destroy()
    })
    incoming.on('end', finish)
    incoming.on('error', reject)
    incoming.on('close', () => reject(new CutOff()))
  })
}

/** Removes NUL, which a text column cannot hold. A split character at the end may add bytes. */
function toText(bytes: Buffer, bytesMax: number): string {
  let text = bytes.subarray(0, bytesMax).toString('utf8').replaceAll('\0', '')
  while (Buffer.byteLength(text) > bytesMax) text = text.slice(0, -1)
  return text
}

class CutOff extends Error {}

class NotPublic extends Error {}

/** The message of request-filtering-agent, which has no error code. */
const filteredMessage = /is not allowed/

/**
 * Fixed texts, because merchants read them: a library's message may reveal our network or quote
 * whatever the receiver wrote into its certificate.
 */
function explain(error: NodeJS.ErrnoException): string {
  if (error instanceof CutOff) return 'the response was cut off'
  if (error instanceof NotPublic || filteredMessage.test(error.message))
    return 'the address is not public'
  const known = error.code && errorsByCode[error.code]
  if (known) return known
  if (error.code?.startsWith('HPE_')) return 'the response was not HTTP'
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
