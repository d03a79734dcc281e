import { diagnose } from './diagnose-webhook.js'
import type { WebhookEvent } from './types.js'
import { WebhookError } from './webhook-error.js'
import { readWebhookKey } from './webhook-key.js'

/** As a server has them: a `Headers`, or an object of Node or a framework. */
export type WebhookHeaders =
  | { get(name: string): string | null | undefined }
  | { readonly [name: string]: string | readonly string[] | undefined }

export type VerifyOptions = {
  /** How far the time of the request may be from yours: 300,000 where it is not said. */
  toleranceMs?: number | undefined
  /** Your time, for tests. */
  now?: Date | number | undefined
}

const headerNames = ['webhook-id', 'webhook-timestamp', 'webhook-signature'] as const

/**
 * Proves that a webhook comes from your Manilla and is fresh, and gives the event. Hand over the
 * body as it arrived, as text or bytes, and the endpoint's `secret` (or its `publicKey`). Throws a
 * `WebhookError` that says what is wrong and what to change.
 */
export async function verifyWebhook(
  rawBody: string | Uint8Array | ArrayBuffer,
  headers: WebhookHeaders,
  secret: string | undefined,
  options: VerifyOptions = {},
): Promise<WebhookEvent> {
  const body = toBytes(rawBody)
  const [id, timestamp, signatureHeader] = readHeaders(headers)
  const verifier = await readWebhookKey(secret)
  const message = { id, timestamp, body }
  const signatures = signatureHeader
    .split(' ')
    .filter((one) => one.startsWith(`${verifier.version},`))
    .map((one) => one.slice(verifier.version.length + 1))
  if (!(await verifier.matches(message, signatures)))
    throw await diagnose(verifier, message, signatures)
  // Last, so that it is certain whose time it is.
  checkTime(Number(timestamp) * 1_000, options)
  return readEvent(body)
}

function readEvent(body: Uint8Array): WebhookEvent {
  try {
    return JSON.parse(new TextDecoder().decode(body))
  } catch {
    const message =
      'The body is signed with your secret and is no JSON: it is not a webhook of ours.'
    throw new WebhookError('body_changed', message)
  }
}

function toBytes(body: unknown): Uint8Array {
  if (typeof body === 'string') return new TextEncoder().encode(body)
  if (body instanceof Uint8Array) return body
  if (body instanceof ArrayBuffer) return new Uint8Array(body)
  const what = body === null ? 'null' : typeof body
  throw new WebhookError(
    'body_parsed',
    `The body must be the text or bytes that arrived; it is ${what}. If a framework parsed it, ask for the raw one: express.raw({ type: 'application/json' }), or await request.text().`,
  )
}

function readHeaders(headers: WebhookHeaders): [string, string, string] {
  const values = headerNames.map((name) => readHeader(headers, name))
  // A time that is none would be neither too old nor too new.
  if (!/^\d{1,12}$/.test(values[1] ?? '')) values[1] = undefined
  const missing = headerNames.filter((_, index) => !values[index])
  if (missing.length === 0) return values as [string, string, string]
  throw new WebhookError(
    'headers_missing',
    `The request has no ${missing.join(', no ')}. Hand over all its headers; if they did not arrive, it is not a webhook, or a proxy removed them.`,
  )
}

function readHeader(headers: WebhookHeaders, name: string): string | undefined {
  if (!headers) return undefined
  if (typeof headers.get === 'function') return headers.get(name) ?? undefined
  const found = Object.entries(headers).find(([key]) => key.toLowerCase() === name)?.[1]
  return typeof found === 'object' ? found[0] : found
}

function checkTime(sentMs: number, { toleranceMs = 300_000, now = Date.now() }: VerifyOptions) {
  const ageMs = Number(now) - sentMs
  // With what is no number nothing would ever be too old.
  if (!(toleranceMs >= 0) || Number.isNaN(ageMs))
    throw new TypeError('toleranceMs and now must be numbers; is a variable not set?')
  const seconds = Math.round(Math.abs(ageMs) / 1_000)
  const allowed = `${toleranceMs / 1_000} s are allowed`
  if (ageMs > toleranceMs)
    throw new WebhookError(
      'too_old',
      `The webhook is genuine but was sent ${seconds} s ago, and ${allowed}. It waited too long, somebody repeats it, or your clock is fast.`,
    )
  if (ageMs < -toleranceMs)
    throw new WebhookError(
      'too_new',
      `The webhook is genuine but its time is ${seconds} s ahead of yours, and ${allowed}. Your clock is slow, or that of the service is fast.`,
    )
}
