import { WebhookError } from './webhook-error.js'
import { signMessage } from './webhook-key.js'

export type SignOptions = {
  /** Id of the event; by default that of the body. */
  id?: string | undefined
  /** When it was sent; now by default. */
  now?: Date | number | undefined
}

/**
 * Signs a body as Manilla does, with the `whsec_…` secret of an endpoint, and returns the headers
 * to send with it: for tests of your receiver.
 */
export async function signWebhook(
  rawBody: string,
  secret: string,
  { id = idOf(rawBody), now = Date.now() }: SignOptions = {},
): Promise<{ 'webhook-id': string; 'webhook-timestamp': string; 'webhook-signature': string }> {
  const timestamp = String(Math.floor(Number(now) / 1_000))
  const body = new TextEncoder().encode(rawBody)
  return {
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': await signMessage({ id, timestamp, body }, secret),
  }
}

function idOf(rawBody: string): string {
  const { id } = readObject(rawBody)
  if (typeof id === 'string') return id
  throw new WebhookError('body_changed', 'The body has no `id`. Sign an event, or pass the id.')
}

function readObject(text: string): { id?: unknown } {
  try {
    return JSON.parse(text) ?? {}
  } catch {
    return {}
  }
}
