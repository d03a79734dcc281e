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

/** How one try ended. Without a status there was no whole answer. */
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
 * Posts to merchants' servers over kept connections. The address that is dialled is checked at the
 * moment of dialling, so a name that changes between check and connect gains nothing. Redirects are
 * answers like any other: they are never followed.
 */
export function createSender(options: {
  clock: Clock
  allowsLoopback: boolean
  attemptMs?: number
  /** For tests: names that resolve as they please. */
  lookup?: Lookup
}): Sender {
  const { clock, attemptMs = limits.webhooks.attemptMs } = options
  const kept = {
    keepAlive: true,
    maxFreeSockets: limits.webhooks.places,
    timeout: limits.webhooks.idleMs,
  }
  const { allowsLoopback, lookup = dnsLookup as Lookup } = options
  const outside = { ...kept, lookup: checkedLookup(lookup, false) }
  const inside = {
    ...kept,
    allowIPAddressList: allowsLoopback ? loopbackAddresses : [],
    lookup: checkedLookup(lookup, allowsLoopback),
  }
  const agents = {
    live: { http: undefined, https: new RequestFilteringHttpsAgent(outside) },
    test: {
      http: new RequestFilteringHttpAgent(inside),
      https: new RequestFilteringHttpsAgent(inside),
    },
  }
  let isClosed = false
  return {
    async send(message) {
      const url = new URL(message.url)
      const isSecure = url.protocol === 'https:'
      const agent = agents[message.mode][isSecure ? 'https' : 'http']
      if (!agent) return { status: null, error: 'live endpoints must be https', ...nothing }
      if (!mayDial(hostOf(url), message.mode === 'test' && allowsLoopback))
        return { status: null, error: 'the address is not public', ...nothing }
      const headers = { ...message.headers, 'content-length': Buffer.byteLength(message.body) }
      const post = () =>
        (isSecure ? requestHttps : requestHttp)(url, { method: 'POST', agent, headers })
      const startedAt = clock.elapsedMs()
      const spentMs = () => Math.round(clock.elapsedMs() - startedAt)
      const tryOnce = () =>
        exchange(post(), message.body, { clock, withinMs: attemptMs - spentMs() })
      let answer = await tryOnce()
      // The receiver closed a kept connection just as we wrote to it: nobody's failure.
      if (answer.wasStale && !isClosed) answer = await tryOnce()
      const { wasStale, ...sent } = answer
      return { ...sent, durationMs: spentMs() }
    },
    close() {
      isClosed = true
      for (const agent of [agents.live.https, agents.test.http, agents.test.https]) agent.destroy()
    },
  }
}

/** Our own check beside the library's, at the same moment: on the addresses that are dialled. */
function checkedLookup(lookup: Lookup, allowsLoopback: boolean): Lookup {
  return (hostname, options, callback) => {
    const answer = callback as (error: Error | null, ...found: unknown[]) => void
    lookup(hostname, options, ((error: Error | null, found: string | Found[], family: number) => {
      if (error) return answer(error)
      const addresses = Array.isArray(found) ? found.map(({ address }) => address) : [found]
      const isFine = addresses.every((address) => mayDial(address, allowsLoopback))
      return isFine ? answer(null, found, family) : answer(new Error('is not allowed'))
    }) as never)
  }
}

type Found = { address: string }

/** Names are judged by what they resolve to. */
function mayDial(host: string, allowsLoopback: boolean): boolean {
  return isIP(host) === 0 || isPublicAddress(host) || (allowsLoopback && isLoopback(host))
}

const nothing = { response: '', durationMs: 0 }

type Exchanged = Omit<DeliveryResult, 'durationMs'> & { wasStale?: boolean }

/** One limit for everything: who drips bytes has no more time than who is silent. */
function exchange(
  outgoing: ClientRequest,
  body: string,
  { clock, withinMs }: { clock: Clock; withinMs: number },
): Promise<Exchanged> {
  return new Promise((resolve) => {
    const finish = (answer: Exchanged) => {
      clearTimeout(timer)
      resolve(answer)
    }
    const fail = (error: string) => finish({ status: null, error, response: '' })
    const timer = setTimeout(() => {
      fail(`no whole answer within ${limits.webhooks.attemptMs / second} seconds`)
      outgoing.destroy()
    }, withinMs)
    outgoing.on('error', (error: NodeJS.ErrnoException) => {
      const wasStale = outgoing.reusedSocket && error.code === 'ECONNRESET'
      finish({ status: null, error: explain(error), response: '', wasStale })
    })
    outgoing.on('response', (incoming) => {
      readStart(incoming).then(
        (response) => finish({ ...toAnswer(incoming, clock), response }),
        (error: Error) => fail(explain(error)),
      )
    })
    outgoing.end(body)
  })
}

function toAnswer(incoming: IncomingMessage, clock: Clock) {
  const status = incoming.statusCode ?? 0
  const isAsking = status === 429 || status === 503
  const header = incoming.headers['retry-after']
  const retryAfterMs = isAsking ? readRetryAfter(header, clock.now()) : undefined
  return { status, error: null, ...(retryAfterMs !== undefined && { retryAfterMs }) }
}

/** What is kept of an answer. A longer one is cut off, and its connection with it. */
function readStart(incoming: IncomingMessage): Promise<string> {
  const most = limits.webhooks.responseBytes
  const chunks: Buffer[] = []
  let length = 0
  return new Promise((resolve, reject) => {
    const finish = () => resolve(toText(Buffer.concat(chunks), most))
    incoming.on('data', (chunk: Buffer) => {
      chunks.push(chunk)
      length += chunk.length
      if (length <= most) return
      finish()
      incoming.destroy()
    })
    incoming.on('end', finish)
    incoming.on('error', reject)
    incoming.on('close', () => reject(new CutOff()))
  })
}

/** Cutting may split a character; NUL is the one character a text column cannot hold. */
function toText(bytes: Buffer, most: number): string {
  const text = bytes.subarray(0, most).toString('utf8')
  return cutToBytes(text.replaceAll('\0', ''), most)
}

function cutToBytes(text: string, most: number): string {
  let cut = text
  while (Buffer.byteLength(cut) > most) cut = cut.slice(0, -1)
  return cut
}

class CutOff extends Error {}

/**
 * In words of our own: the merchant reads them, and what a library says may tell of our network or
 * quote whatever the receiver wrote into its certificate.
 */
function explain(error: NodeJS.ErrnoException): string {
  if (error instanceof CutOff) return 'the answer was cut off'
  if (/is not allowed/.test(error.message)) return 'the address is not public'
  const known = error.code && errorsByCode[error.code]
  if (known) return known
  if (error.code?.startsWith('HPE_')) return 'the answer was not HTTP'
  if (/CERT|TLS|SSL/.test(error.code ?? '')) return 'the certificate is not valid'
  return 'the connection failed'
}

const errorsByCode: Record<string, string> = {
  ECONNREFUSED: 'the connection was refused',
  ECONNRESET: 'the connection was closed before an answer',
  EPIPE: 'the connection was closed before an answer',
  ENOTFOUND: 'the name does not resolve',
  EAI_AGAIN: 'the name does not resolve',
  EHOSTUNREACH: 'the address cannot be reached',
  ENETUNREACH: 'the address cannot be reached',
  ETIMEDOUT: 'the address cannot be reached',
}
