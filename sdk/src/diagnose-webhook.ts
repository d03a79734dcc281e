import { WebhookError } from './webhook-error.js'
import type { Message, Verifier } from './webhook-key.js'

type Undoing = { what: string; undo: (text: string) => string }

/** What servers do to a body before it is verified, and how to see it by undoing it. */
const undoings: Undoing[] = [
  { what: 'blanks or a line break were added around it', undo: (text) => text.trim() },
  { what: 'it was parsed and written anew', undo: (text) => JSON.stringify(JSON.parse(text)) },
  { what: 'its bytes were read as Latin-1 instead of UTF-8', undo: readAgainAsUtf8 },
]

/** No signature fits: finds out why, as far as that can be known. */
export async function diagnose(
  verifier: Verifier,
  message: Message,
  signatures: string[],
): Promise<WebhookError> {
  if (signatures.length === 0)
    return mismatch(
      `webhook-signature holds no ${verifier.version} signature. Either it is not from Manilla, or something on the way cut it.`,
    )
  const text = new TextDecoder('utf-8', { ignoreBOM: true }).decode(message.body)
  for (const { what, undo } of undoings) {
    const body = tryUndo(text, undo)
    if (body && (await verifier.matches({ ...message, body }, signatures)))
      return new WebhookError(
        'body_changed',
        `The body is not as it was sent: ${what}. Verify the raw body, before anything else touches it.`,
      )
  }
  if (text === '') return new WebhookError('body_changed', 'The body is empty: it was read before.')
  return guess(text, message.id)
}

/** A body that looks untouched speaks against the secret; one that does not, against itself. */
function guess(text: string, id: string): WebhookError {
  const event = parse(text)
  if (!event)
    return new WebhookError('body_changed', 'The body is not whole JSON: it was cut or changed.')
  if (event.id !== id)
    return new WebhookError(
      'body_changed',
      'The body is that of another event than the headers name. Each request brings both.',
    )
  return mismatch(
    'The signature was made with another secret. Use the one of this endpoint, in this mode; after a rotation, the new one. If it is right, the body was changed on the way.',
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
