import { diagnose } from './diagnose-webhook.js'
import type { WebhookEvent } from './types.js'
import { WebhookError } from './webhook-error.js'
import { readWebhookKey } from './webhook-key.js'

/** A `Headers`, or the headers object of Node or a framework. */
export type WebhookHeaders =
  | { get(name: string): string | null | undefined }
  | { readonly [name: string]: string | readonly string[] | undefined }

export type VerifyOptions = {
  /** Maximum difference to your clock; 300,000 by default. */
  toleranceMs?: number | undefined
  /** The current time, for tests. */
  now?: Date | number | undefined
}

const headerNames = ['webhook-id', 'webhook-timestamp', 'webhook-signature'] as const

/**
 * Verifies signature and age of a webhook and returns the event. Pass the raw body, as text or
 * bytes, and the endpoint's `secret` (or its `publicKey`). Throws a `WebhookError` that says what
 * to change.
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
    .filter((signature) => signature.startsWith(`${verifier.version},`))
    .map((signature) => signature.slice(verifier.version.length + 1))
  if (!(await verifier.matches(message, signatures)))
    throw await diagnose(verifier, message, signatures)
  // After the signature, so that the time is proven to be the sender's.
  checkTime(Number(timestamp) * 1_000, options)
  return readEvent(body)
}

function readEvent(body: Uint8Array): WebhookEvent {
  try {
    return JSON.parse(new TextDecoder().decode(body))
  } catch {
    const message =
      'The body is signed with your secret but is not JSON: it is not a webhook of Manilla.'
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
    `The body must be the raw text or bytes, but is ${what}. If a framework parsed it, use the raw body: express.raw({ type: 'application/json' }), or await request.text().`,
  )
}

function readHeaders(headers: WebhookHeaders): [string, string, string] {
  const values = headerNames.map((name) => readHeader(headers, name))
  // An invalid time would be neither too old nor too new.
  if (!/^\d{1,12}$/.test(values[1] ?? '')) values[1] = undefined
  const missing = headerNames.filter((_, index) => !values[index])
  if (missing.length === 0) return values as [string, string, string]
  throw new WebhookError(
    'headers_missing',
    `The request has no ${missing.join(', no ')}. Pass all headers of the request; if these did not arrive, it is not a webhook, or a proxy removed them.`,
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
  // Compared with NaN, nothing would ever be too old.
  if (!(toleranceMs >= 0) || Number.isNaN(ageMs))
    throw new TypeError('toleranceMs and now must be numbers. Is a variable unset?')
  const seconds = Math.round(Math.abs(ageMs) / 1_000)
  const allowed = `${toleranceMs / 1_000} s`
  if (ageMs > toleranceMs)
    throw new WebhookError(
      'too_old',
      `The signature is valid, but the webhook was sent ${seconds} s ago; at most ${allowed} is allowed. It was delayed or replayed, or your clock is fast.`,
    )
  if (ageMs < -toleranceMs)
    throw new WebhookError(
      'too_new',
      `The signature is valid, but the webhook is ${seconds} s ahead of your clock; at most ${allowed} is allowed. Your clock is slow, or the service's is fast.`,
    )
}
