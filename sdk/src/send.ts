import { ConnectionError, ManillaError, toError } from './errors.js'
import type { Operation } from './operations.js'
import type { AnswerFacts, Connection, WriteOptions } from './options.js'
import { readRetryAfter, waitBeforeRetry } from './retry.js'
import type { Refusal } from './types.js'

export type Question = {
  operation: Operation
  /** With its arguments in place and its query behind it. */
  path: string
  body?: unknown
  options?: WriteOptions | undefined
}

/** `data` is that of the envelope; undefined where the answer has none, as a CSV. */
export type Answer = { status: number; headers: Headers; text: string; data: unknown }

/** A timer of more would go off at once. */
const longestTimerMs = 2_147_483_647

type Attempt = {
  url: string
  init: RequestInit
  timeoutMs: number
  signal: AbortSignal | undefined
  idempotencyKey: string | undefined
  wantsCsv: boolean
  onAnswer: ((answer: AnswerFacts) => void) | undefined
}

/**
 * Asks until there is an answer, or no reason to ask again. All attempts are the same request, with
 * the same key, so that it is carried out once however often it arrives.
 */
export async function send(connection: Connection, question: Question): Promise<Answer> {
  const attempt = toAttempt(connection, question)
  // A public POST has no key that would make a second one harmless.
  const isRepeatable = question.operation.method !== 'POST' || attempt.idempotencyKey !== undefined
  const maxRetries = question.options?.maxRetries ?? connection.maxRetries
  let isOpen = false
  for (let retries = 0; ; retries += 1) {
    const outcome = await tryOnce(connection, attempt)
    if (!(outcome instanceof ManillaError)) return outcome
    // What is not there any more was deleted by an attempt whose answer was lost.
    if (isOpen && attempt.init.method === 'DELETE' && outcome.status === 404) return nothing
    isOpen ||= (outcome.status ?? 500) >= 500
    const waitMs = isRepeatable ? waitBeforeRetry(outcome, retries) : undefined
    if (waitMs === undefined || retries >= maxRetries) throw outcome
    await sleep(waitMs, attempt.signal)
  }
}

const nothing: Answer = { status: 404, headers: new Headers(), text: '', data: undefined }

function toAttempt(connection: Connection, { operation, path, body, options }: Question): Attempt {
  const { method, isPublic, gives } = operation
  const isKeyed = method === 'POST' && !isPublic
  const idempotencyKey = isKeyed ? (options?.idempotencyKey ?? crypto.randomUUID()) : undefined
  const wantsCsv = gives === 'csv'
  const headers = {
    accept: wantsCsv ? 'text/csv' : 'application/json',
    ...(!isPublic && { authorization: `Bearer ${connection.key}` }),
    ...(idempotencyKey !== undefined && { 'idempotency-key': idempotencyKey }),
    ...(body !== undefined && { 'content-type': 'application/json' }),
  }
  return {
    url: connection.baseUrl + path,
    // The key goes to the address it was given for, and to none that this one names.
    init: { method, headers, redirect: 'manual', ...jsonOf(body) },
    timeoutMs: Math.min(options?.timeoutMs ?? connection.timeoutMs, longestTimerMs),
    signal: options?.signal,
    idempotencyKey,
    wantsCsv,
    onAnswer: options?.onAnswer,
  }
}

function jsonOf(body: unknown): { body?: string } {
  return body === undefined ? {} : { body: JSON.stringify(body) }
}

async function tryOnce(connection: Connection, attempt: Attempt): Promise<Answer | ManillaError> {
  const { url, init, timeoutMs, signal, idempotencyKey } = attempt
  signal?.throwIfAborted()
  const stop = new AbortController()
  let isLate = false
  const timer = setTimeout(() => {
    isLate = true
    stop.abort()
  }, timeoutMs)
  const obey = () => stop.abort()
  signal?.addEventListener('abort', obey)
  let [response, text]: [Response | undefined, string] = [undefined, '']
  try {
    response = await connection.fetch(url, { ...init, signal: stop.signal })
    text = await response.text()
  } catch (cause) {
    signal?.throwIfAborted()
    const why = isLate ? `within ${timeoutMs} ms` : `(${causeOf(cause)})`
    return new ConnectionError({
      code: 'no_answer',
      message: `No answer from ${connection.baseUrl} ${why}.`,
      nextStep: toNextStep(idempotencyKey),
      idempotencyKey,
      cause,
    })
  } finally {
    clearTimeout(timer)
    signal?.removeEventListener('abort', obey)
  }
  // Out here: what a caller's own function throws is the caller's, and no missing answer.
  attempt.onAnswer?.(factsOf(response))
  return readAnswer(response, text, attempt)
}

function factsOf({ status, headers }: Response): AnswerFacts {
  const requestId = headers.get('x-request-id') ?? undefined
  return { status, requestId, isReplayed: headers.get('idempotent-replayed') === 'true' }
}

function toNextStep(idempotencyKey: string | undefined): string {
  const repeat = 'It may have been carried out all the same. Send it again with the same'
  return idempotencyKey === undefined
    ? 'Check baseUrl, and that the service runs there.'
    : `${repeat} idempotencyKey, ${idempotencyKey}: it runs at most once.`
}

/** What `fetch` hides behind "fetch failed". */
function causeOf(error: unknown): string {
  const { message, code, cause } = error as { message?: string; code?: string; cause?: unknown }
  return cause instanceof Error ? causeOf(cause) : String(code ?? message ?? error)
}

function readAnswer(response: Response, text: string, attempt: Attempt): Answer | ManillaError {
  const { status, headers } = response
  const said = parse(text)
  if (response.ok && attempt.wantsCsv) return { status, headers, text, data: undefined }
  if (response.ok && said && 'data' in said) return { status, headers, text, data: said.data }
  return toRefusal(response, said, attempt)
}

function toRefusal(
  { status, headers }: Response,
  said: Partial<Refusal> | undefined,
  { url, idempotencyKey }: Attempt,
): ManillaError {
  const requestId = said?.requestId ?? headers.get('x-request-id') ?? undefined
  const retryAfterMs = readRetryAfter(headers.get('retry-after'), Date.now())
  const seen = { status, requestId, retryAfterMs, idempotencyKey }
  const { code, message = 'The service gives no message.' } = said ?? {}
  if (code) return toError({ ...said, code, message, ...seen })
  const target = headers.get('location')
  return toError({
    ...seen,
    code: 'unexpected_answer',
    message: `${url} answered ${status}${target ? ` and points to ${target}` : ', not as Manilla does'}.`,
    nextStep: 'Check baseUrl, and what stands between you and the service.',
  })
}

function parse(text: string): (Partial<Refusal> & { data?: unknown }) | undefined {
  try {
    const said = JSON.parse(text)
    return typeof said === 'object' && said !== null ? said : undefined
  } catch {
    return undefined
  }
}

function sleep(waitMs: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const wake = () => {
      clearTimeout(timer)
      reject(signal?.reason)
    }
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', wake)
      resolve()
    }, waitMs)
    signal?.addEventListener('abort', wake, { once: true })
    if (signal?.aborted) wake()
  })
}
