import { ConnectionError, ManillaError, toError } from './errors.js'
import type { Operation } from './operations.js'
import type { AnswerFacts, Connection, WriteOptions } from './options.js'
import { readRetryAfter, waitBeforeRetry } from './retry.js'
import type { Refusal } from './types.js'

export type ApiRequest = {
  operation: Operation
  /** With arguments and query filled in. */
  path: string
  body?: unknown
  options?: WriteOptions | undefined
}

/** `data` is that of the envelope; undefined for files, which are read from `stream`. */
export type ApiAnswer = {
  status: number
  headers: Headers
  text: string
  data: unknown
  stream?: ReadableStream<Uint8Array> | null
}

/** The text of an export, as it arrives. An export that breaks off throws. */
export async function* readStream(
  connection: Connection,
  request: ApiRequest,
): AsyncGenerator<string> {
  // An export for Excel begins with a byte order mark, which must reach the file.
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true })
  for await (const chunk of readChunks(connection, request))
    yield decoder.decode(chunk, { stream: true })
}

/** A whole file. One that breaks off throws. */
export async function readFile(connection: Connection, request: ApiRequest): Promise<Uint8Array> {
  let file = new Uint8Array()
  for await (const chunk of readChunks(connection, request)) {
    const longer = new Uint8Array(file.length + chunk.length)
    longer.set(file)
    longer.set(chunk, file.length)
    file = longer
  }
  return file
}

async function* readChunks(
  connection: Connection,
  request: ApiRequest,
): AsyncGenerator<Uint8Array> {
  const { stream } = await send(connection, request)
  try {
    for await (const chunk of stream ?? []) yield chunk
  } catch (cause) {
    request.options?.signal?.throwIfAborted()
    throw new ConnectionError({
      code: 'no_answer',
      message: `The export from ${connection.baseUrl} broke off (${causeOf(cause)}).`,
      nextStep: 'What you have is not complete. Request it again.',
      idempotencyKey: undefined,
      cause,
    })
  }
}

/** A longer timer would fire at once. */
const timerMaxMs = 2_147_483_647

type Attempt = {
  url: string
  init: RequestInit
  timeoutMs: number
  signal: AbortSignal | undefined
  idempotencyKey: string | undefined
  wantsFile: boolean
  onAnswer: ((answer: AnswerFacts) => void) | undefined
}

/**
 * Sends a request and retries while that helps. All attempts carry the same idempotency key, so the
 * service runs the request at most once.
 */
export async function send(connection: Connection, request: ApiRequest): Promise<ApiAnswer> {
  const attempt = toAttempt(connection, request)
  // A public POST has no key that would make a repeat safe.
  const isRepeatable = request.operation.method !== 'POST' || attempt.idempotencyKey !== undefined
  const maxRetries = request.options?.maxRetries ?? connection.maxRetries
  let mayHaveRun = false
  for (let retries = 0; ; retries += 1) {
    const outcome = await tryOnce(connection, attempt)
    if (!(outcome instanceof ManillaError)) return outcome
    // An earlier attempt whose answer was lost has deleted it.
    if (mayHaveRun && attempt.init.method === 'DELETE' && outcome.status === 404) return deleted
    mayHaveRun ||= (outcome.status ?? 500) >= 500
    const waitMs = isRepeatable ? waitBeforeRetry(outcome, retries) : undefined
    if (waitMs === undefined || retries >= maxRetries) throw outcome
    await sleep(waitMs, attempt.signal)
  }
}

export const fileTypes: Partial<Record<Operation['gives'], string>> = {
  csv: 'text/csv',
  pdf: 'application/pdf',
}

const deleted: ApiAnswer = { status: 404, headers: new Headers(), text: '', data: undefined }

function toAttempt(
  connection: Connection,
  { operation, path, body, options }: ApiRequest,
): Attempt {
  const { method, isPublic, gives } = operation
  const isKeyed = method === 'POST' && !isPublic
  const idempotencyKey = isKeyed ? (options?.idempotencyKey ?? crypto.randomUUID()) : undefined
  const headers = {
    accept: fileTypes[gives] ?? 'application/json',
    ...(!isPublic && { authorization: `Bearer ${connection.key}` }),
    ...(idempotencyKey !== undefined && { 'idempotency-key': idempotencyKey }),
    ...(body !== undefined && { 'content-type': typeOf(body) }),
  }
  return {
    url: connection.baseUrl + path,
    // Never send the key to an address that a redirect names.
    init: { method, headers, redirect: 'manual', ...textOf(body) },
    timeoutMs: Math.min(options?.timeoutMs ?? connection.timeoutMs, timerMaxMs),
    signal: options?.signal,
    idempotencyKey,
    wantsFile: fileTypes[gives] !== undefined,
    onAnswer: options?.onAnswer,
  }
}

/** A text is a CSV file, which only batches take. */
function typeOf(body: unknown): string {
  return typeof body === 'string' ? 'text/csv' : 'application/json'
}

function textOf(body: unknown): { body?: string } {
  if (body === undefined) return {}
  return { body: typeof body === 'string' ? body : JSON.stringify(body) }
}

async function tryOnce(
  connection: Connection,
  attempt: Attempt,
): Promise<ApiAnswer | ManillaError> {
  const { url, init, timeoutMs, signal, idempotencyKey } = attempt
  signal?.throwIfAborted()
  const stop = new AbortController()
  let isLate = false
  const timer = setTimeout(() => {
    isLate = true
    stop.abort()
  }, timeoutMs)
  const abort = () => stop.abort()
  signal?.addEventListener('abort', abort)
  let [response, text]: [Response | undefined, string] = [undefined, '']
  // An export may take longer than the timeout, which then covers its beginning only.
  let isStreamed = false
  try {
    response = await connection.fetch(url, { ...init, signal: stop.signal })
    isStreamed = attempt.wantsFile && response.ok
    if (!isStreamed) text = await response.text()
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
    if (!isStreamed) signal?.removeEventListener('abort', abort)
  }
  // Outside of the try: an error in the caller's callback is not a missing answer.
  attempt.onAnswer?.(factsOf(response))
  return readAnswer(response, text, attempt)
}

function factsOf({ status, headers }: Response): AnswerFacts {
  const requestId = headers.get('x-request-id') ?? undefined
  return { status, requestId, isReplayed: headers.get('idempotent-replayed') === 'true' }
}

function toNextStep(idempotencyKey: string | undefined): string {
  return idempotencyKey === undefined
    ? 'Check baseUrl and that the service is running.'
    : `The request may have been carried out. Retry with the same idempotencyKey, ${idempotencyKey}: it runs at most once.`
}

/** The reason behind "fetch failed". */
function causeOf(error: unknown): string {
  const { message, code, cause } = error as { message?: string; code?: string; cause?: unknown }
  return cause instanceof Error ? causeOf(cause) : String(code ?? message ?? error)
}

function readAnswer(response: Response, text: string, attempt: Attempt): ApiAnswer | ManillaError {
  const { status, headers } = response
  const envelope = parse(text)
  if (response.ok && attempt.wantsFile)
    return { status, headers, text, data: undefined, stream: response.body }
  if (response.ok && envelope && 'data' in envelope)
    return { status, headers, text, data: envelope.data }
  return toRefusal(response, envelope, attempt)
}

function toRefusal(
  { status, headers }: Response,
  envelope: Partial<Refusal> | undefined,
  { url, idempotencyKey }: Attempt,
): ManillaError {
  const requestId = envelope?.requestId ?? headers.get('x-request-id') ?? undefined
  const retryAfterMs = readRetryAfter(headers.get('retry-after'), Date.now())
  const facts = { status, requestId, retryAfterMs, idempotencyKey }
  const { code, message = 'The service sent no message.' } = envelope ?? {}
  if (code) return toError({ ...envelope, code, message, ...facts })
  const target = headers.get('location')
  return toError({
    ...facts,
    code: 'unexpected_answer',
    message: `${url} answered ${status}${target ? ` and redirects to ${target}` : ', which is not an answer of Manilla'}.`,
    nextStep: 'Check baseUrl and any proxy between you and the service.',
  })
}

function parse(text: string): (Partial<Refusal> & { data?: unknown }) | undefined {
  try {
    const value = JSON.parse(text)
    return typeof value === 'object' && value !== null ? value : undefined
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
