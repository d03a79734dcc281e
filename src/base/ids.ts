import { randomFillSync } from 'node:crypto'
import { base32ToHex, hexToBase32 } from './base32.js'

/** Prefixes of public references, one per kind of resource. */
export const prefixes = {
  merchant: 'mer_',
  apiKey: 'key_',
  bankAccount: 'ba_',
  funding: 'fund_',
  credit: 'cr_',
  cryptoTransfer: 'ct_',
  bankTransfer: 'bt_',
  virtualAccount: 'va_',
  dedicatedAccount: 'da_',
  cryptoWallet: 'cw_',
  dedicatedCryptoWallet: 'dw_',
  sweep: 'sw_',
  payment: 'pay_',
  paymentReturn: 'rf_',
  /** Cursor of a page of checkout sessions, whose own references are longer. */
  position: 'at_',
  event: 'evt_',
  webhookEndpoint: 'we_',
  requestLog: 'log_',
} as const

export type Prefix = (typeof prefixes)[keyof typeof prefixes]

const pool = Buffer.alloc(16 * 256)
let used = pool.length

/**
 * A UUIDv7: 48 bits of time, then 74 random bits, so that newer rows sort later in an index and the
 * next id cannot be guessed. Random bytes are drawn in bulk: one system call per 256 ids.
 */
export function newId(at: Date): string {
  return toUuid(draw(at).toString('hex'))
}

/** The same as bytes, for ids that only the database sees. */
export function newIdBytes(at: Date): Buffer {
  return Buffer.from(draw(at))
}

/** Returns a view of the pool, which is reused: the caller must copy it at once. */
function draw(at: Date): Buffer {
  if (used === pool.length) {
    randomFillSync(pool)
    used = 0
  }
  const bytes = pool.subarray(used, used + 16)
  used += 16
  bytes.writeUIntBE(at.getTime(), 0, 6)
  bytes[6] = 0x70 | (bytes[6]! & 0x0f)
  bytes[8] = 0x80 | (bytes[8]! & 0x3f)
  return bytes
}

/** The lower bound of all ids made at this time or later. */
export function firstIdAt(at: Date): string {
  const ms = Math.max(at.getTime(), 0)
  return toUuid(ms.toString(16).padStart(12, '0').padEnd(32, '0'))
}

export function timeOf(id: string): Date {
  return new Date(Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16))
}

/** The public name of a row: a prefix and the id in base 32, which sorts like the id. */
export function toReference(prefix: Prefix, id: string): string {
  return prefix + hexToBase32(id.replaceAll('-', ''))
}

/** The id in a reference, or undefined if `toReference` cannot have written it. */
export function fromReference(prefix: Prefix, reference: string): string | undefined {
  if (
    !reference.startsWith(prefix) ||
    !/^[0-9a-hjkmnp-tv-z]{26}$/.test(reference.slice(prefix.length))
  )
    return undefined
  const hex = base32ToHex(reference.slice(prefix.length))
  return hex && toUuid(hex)
}

export function fromReferenceOfAnyKind(reference: string): string | undefined {
  const prefix = Object.values(prefixes).find((start) => reference.startsWith(start))
  return prefix && fromReference(prefix, reference)
}

/** Formats 32 hex digits as a UUID. */
export function toUuid(hex: string): string {
  const head = `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}`
  return `${head}-${hex.slice(16, 20)}-${hex.slice(20)}`
}
