import { WebhookError } from './webhook-error.js'
import type { SignedMessage, Verifier } from './webhook-key.js'

type Undoing = { what: string; undo: (text: string) => string }

/** Common changes to a body before verification; undoing one proves that it happened. */
const undoings: Undoing[] = [
  { what: 'whitespace was added around it', undo: (text) => text.trim() },
  { what: 'it was parsed and serialized again', undo: (text) => JSON.stringify(JSON.parse(text)) },
  { what: 'its bytes were read as Latin-1 instead of UTF-8', undo: readAgainAsUtf8 },
]

/** Finds out why no signature matches, as far as possible. */
export async function diagnose(
  verifier: Verifier,
  message: SignedMessage,
  signatures: string[],
): Promise<WebhookError> {
  if (signatures.length === 0)
    return mismatch(
      `The webhook-signature header has no ${verifier.version} signature. The request is not from Manilla, or a proxy cut the header.`,
    )
  const text = new TextDecoder('utf-8', { ignoreBOM: true }).decode(message.body)
  for (const { what, undo } of undoings) {
    const body = tryUndo(text, undo)
    if (body && (await verifier.matches({ ...message, body }, signatures)))
      return new WebhookError(
        'body_changed',
        `The body was changed: ${what}. Verify the raw body before any middleware touches it.`,
      )
  }
  if (text === '')
    return new WebhookError('body_changed', 'The body is empty: something has already read it.')
  return guess(text, message.id)
}

/** A body that looks intact suggests a wrong secret. */
function guess(text: string, id: string): WebhookError {
  const event = parse(text)
  if (!event)
    return new WebhookError('body_changed', 'The body is not complete JSON: it was cut or changed.')
  if (event.id !== id)
    return new WebhookError(
      'body_changed',
      'The body belongs to another event than the headers. Pass both from the same request.',
    )
  return mismatch(
    'The signature was made with another secret. Use the secret of this endpoint and mode; after a rotation, the new one. If the secret is right, the body was changed on the way.',
  )
}

function mismatch(message: string): WebhookError {
  return new WebhookError('signature_mismatch', message)
}

function tryUndo(text: string, undo: Undoing['undo']): Uint8Array | undefined {
  try {
    return new TextEncoder().encode(undo(text))
  } catch {
    return undefined
  }
}

function readAgainAsUtf8(text: string): string {
  const bytes = Uint8Array.from(text, (letter) => letter.charCodeAt(0))
  return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
}

function parse(text: string): { id?: unknown } | undefined {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
