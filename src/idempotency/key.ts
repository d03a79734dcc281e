import { hash } from 'node:crypto'
import { formatUuid } from '../base/ids.js'
import { idempotencyLimits } from './limits.js'

/** A caller's key and the request it came with. */
export type IdempotencyKey = {
  /** The first 16 bytes of the key's hash, as a uuid: the column that is indexed. */
  digest: string
  text: string
  /** Hash of method, path and canonical body: distinguishes a retry from a reused key. */
  fingerprint: Buffer
  /** The API key or user that sent it: an answer that holds a secret is for no other. */
  callerId: string
}

/** Printable ASCII: a key must survive every log, header and copy-and-paste unchanged. */
const inner = idempotencyLimits.keyLengthMax - 2
/** Spaces around it never arrive: HTTP trims header values. */
export const keyPattern = `^[\\x21-\\x7e](?:[\\x20-\\x7e]{0,${inner}}[\\x21-\\x7e])?$`

export function toIdempotencyKey(
  text: string,
  request: { method: string; path: string; body: unknown; callerId: string },
): IdempotencyKey {
  const digest = formatUuid(hash('sha256', text, 'buffer'), 0)
  const subject = `${request.method} ${request.path}\n${canonicalJson(request.body)}`
  const fingerprint = hash('sha256', subject, 'buffer')
  return { digest, text, fingerprint, callerId: request.callerId }
}

/**
 * Equal bodies have equal text, whatever the order of their keys. A whole number that JavaScript
 * would round is passed as a bigint.
 */
export function canonicalJson(value: unknown): string {
  if (typeof value === 'bigint') return `${value}`
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`
  if (value === null || typeof value !== 'object') return JSON.stringify(value) ?? 'null'
  const fields = value as Record<string, unknown>
  let text = ''
  for (const name of Object.keys(fields).sort())
    text += `${text && ','}${JSON.stringify(name)}:${canonicalJson(fields[name])}`
  return `{${text}}`
}
