import { randomFillSync } from 'node:crypto'
import { base32crockford } from '@scure/base'

/** Prefixes of the references that callers see; each belongs to one kind of resource. */
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
  /** Where a page of sessions ended; their own references are longer. */
  position: 'at_',
  event: 'evt_',
  webhookEndpoint: 'we_',
  requestLog: 'log_',
} as const

export type Prefix = (typeof prefixes)[keyof typeof prefixes]

const pool = Buffer.alloc(16 * 256)
let used = pool.length

/**
 * A UUIDv7: 48 bits of time, then 74 of randomness, so that rows made later stand later in an index
 * and nobody can guess the next one. Randomness is drawn in bulk: one system call per 256 ids.
 */
export function newId(at: Date): string {
  return toUuid(draw(at).toString('hex'))
}

/** One for the database alone, which is spared the text of it. */
export function newIdBytes(at: Date): Buffer {
  return Buffer.from(draw(at))
}

/** To be copied at once: the same place serves others again. */
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

/** All ids made at this time or later are not below it; all made before are. */
export function firstIdAt(at: Date): string {
  const ms = Math.max(at.getTime(), 0)
  return toUuid(ms.toString(16).padStart(12, '0').padEnd(32, '0'))
}

/** When an id was made. */
export function timeOf(id: string): Date {
  return new Date(Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16))
}

/** The public name of a row: a prefix and the id in an alphabet that sorts as the id does. */
export function toReference(prefix: Prefix, id: string): string {
  const bytes = Buffer.from(id.replaceAll('-', ''), 'hex')
  return prefix + base32crockford.encode(bytes).toLowerCase()
}

/** The id behind a reference, or undefined for anything that we cannot have written. */
export function fromReference(prefix: Prefix, reference: string): string | undefined {
  if (
    !reference.startsWith(prefix) ||
    !/^[0-9a-hjkmnp-tv-z]{26}$/.test(reference.slice(prefix.length))
  )
    return undefined
  try {
    const bytes = base32crockford.decode(reference.slice(prefix.length).toUpperCase())
    const id = toUuid(Buffer.from(bytes).toString('hex'))
    return toReference(prefix, id) === reference ? id : undefined
  } catch {
    return undefined
  }
}

/** The id behind a reference of whichever kind. */
export function fromReferenceOfAnyKind(reference: string): string | undefined {
  const prefix = Object.values(prefixes).find((start) => reference.startsWith(start))
  return prefix && fromReference(prefix, reference)
}

/** Sixteen bytes of hex in the form the database writes them. */
export function toUuid(hex: string): string {
  const head = `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}`
  return `${head}-${hex.slice(16, 20)}-${hex.slice(20)}`
}
