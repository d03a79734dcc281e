import { randomFillSync } from 'node:crypto'

/** Prefixes of public references, one per kind of resource. */
export const prefixes = {
  merchant: 'mer_',
  apiKey: 'key_',
  bankAccount: 'ba_',
  kycDocument: 'doc_',
  funding: 'fund_',
  credit: 'cr_',
  cryptoTransfer: 'ct_',
  bankTransfer: 'bt_',
  settlement: 'set_',
  virtualAccount: 'va_',
  dedicatedAccount: 'da_',
  cryptoWallet: 'cw_',
  dedicatedCryptoWallet: 'dw_',
  sweep: 'sw_',
  payment: 'pay_',
  paymentReturn: 'rf_',
  /** Cursor of a page of transfers of both kinds. */
  payout: 'po_',
  /** Cursor of a page of checkout sessions, whose own references are longer. */
  position: 'at_',
  event: 'evt_',
  webhookEndpoint: 'we_',
  requestLog: 'log_',
  user: 'usr_',
  userSession: 'ses_',
  invitation: 'inv_',
  passkey: 'psk_',
  auditLine: 'aud_',
  settingChange: 'chg_',
  paymentRequest: 'prq_',
  note: 'note_',
  operatorAction: 'act_',
  conversionQuote: 'cvq_',
  conversion: 'cv_',
  payoutBatch: 'bat_',
  recipient: 'rcp_',
  /** A request to a merchant's callback about a payout. */
  callback: 'cbk_',
  payoutFreeze: 'frz_',
  claim: 'clm_',
  /** One time that the money of a claim was set aside. */
  claimHold: 'clh_',
  customer: 'cus_',
  invoice: 'ivc_',
  creditNote: 'cn_',
  paymentLink: 'pl_',
  invoiceSchedule: 'ivs_',
  subaccount: 'sub_',
  subaccountTransfer: 'st_',
  splitRule: 'spl_',
  /** A share of a payment that a split gives to a sub-account. */
  share: 'shr_',
  /** What a refund takes back of a share. */
  takeBack: 'tb_',
  mail: 'mail_',
  mailSuppression: 'sup_',
  legalHold: 'hold_',
  case: 'case_',
} as const

export type Prefix = (typeof prefixes)[keyof typeof prefixes]

const pool = Buffer.alloc(16 * 256)
let used = pool.length

/**
 * A UUIDv7: 48 bits of time, then 74 random bits, so that newer rows sort later in an index and the
 * next id cannot be guessed. Random bytes are drawn in bulk: one system call per 256 ids.
 */
export function newId(at: Date): string {
  return formatUuid(pool, draw(at))
}

/** The same as bytes, for ids that only the database sees. */
export function newIdBytes(at: Date): Buffer {
  const start = draw(at)
  return Buffer.from(pool.subarray(start, start + 16))
}

/** Where the id starts in the pool, which is reused: the caller must copy it at once. */
function draw(at: Date): number {
  if (used === pool.length) {
    randomFillSync(pool)
    used = 0
  }
  const start = used
  used += 16
  pool.writeUIntBE(at.getTime(), start, 6)
  pool[start + 6] = 0x70 | (pool[start + 6]! & 0x0f)
  pool[start + 8] = 0x80 | (pool[start + 8]! & 0x3f)
  return start
}

/** The lower bound of all ids made at this time or later. */
export function firstIdAt(at: Date): string {
  const ms = Math.max(at.getTime(), 0)
  return toUuid(ms.toString(16).padStart(12, '0').padEnd(32, '0'))
}

export function timeOf(id: string): Date {
  return new Date(Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16))
}

/**
 * The public name of a row: a prefix and the id in base 32 (Crockford), which sorts like the id.
 * Every payout and answer has several, so both directions use tables; tests compare them with a
 * library.
 */
export function toReference(prefix: Prefix, id: string): string {
  let text: string = prefix
  // Five hex digits are four characters.
  for (let digit = 0; digit < 30; digit += 5) {
    const bits =
      (hexAt(id, digit) << 16) |
      (hexAt(id, digit + 1) << 12) |
      (hexAt(id, digit + 2) << 8) |
      (hexAt(id, digit + 3) << 4) |
      hexAt(id, digit + 4)
    text += pairs[bits >> 10]! + pairs[bits & 0x3ff]!
  }
  return text + pairs[(hexAt(id, 30) << 6) | (hexAt(id, 31) << 2)]!
}

/** The id in a reference, or undefined if `toReference` cannot have written it. */
export function fromReference(prefix: Prefix, reference: string): string | undefined {
  if (reference.length !== prefix.length + 26 || !reference.startsWith(prefix)) return undefined
  let bits = 0
  let bitCount = 0
  let byte = 0
  for (let index = prefix.length; index < reference.length; index += 1) {
    const value = base32Values[reference.charCodeAt(index)]
    if (value === undefined || value < 0) return undefined
    bits = ((bits << 5) | value) & 0xfff
    bitCount += 5
    if (bitCount < 8) continue
    bitCount -= 8
    decoded[byte] = bits >> bitCount
    byte += 1
  }
  // 26 characters hold two bits more than an id; if set, they would be a second spelling.
  return (bits & 0b11) === 0 ? formatUuid(decoded, 0) : undefined
}

const base32 = '0123456789abcdefghjkmnpqrstvwxyz'
/** The two characters of every ten bits. */
const pairs = Array.from({ length: 1024 }, (_, bits) => base32[bits >> 5]! + base32[bits & 31]!)
const base32Values = new Int8Array(128).fill(-1)
for (const [value, character] of [...base32].entries())
  base32Values[character.charCodeAt(0)] = value
const decoded = new Uint8Array(16)

const hexBytes = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'))
/** Negative for anything but a hex digit. */
const hexValues = new Int8Array(128).fill(-1)
for (const [value, digit] of [...'0123456789abcdef'].entries()) {
  hexValues[digit.charCodeAt(0)] = value
  hexValues[digit.toUpperCase().charCodeAt(0)] = value
}
/** Where the 32 digits of a UUID are in its text. */
const digitPlaces = [...'xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx'].flatMap((character, place) =>
  character === 'x' ? [place] : [],
)

function hexAt(id: string, digit: number): number {
  return hexValues[id.charCodeAt(digitPlaces[digit]!)] ?? -1
}

/** Writes the sixteen bytes of a UUID. False if the text is not one. */
export function writeUuid(bytes: Uint8Array, at: number, id: string): boolean {
  if (id.length !== 36) return false
  let all = 0
  for (let index = 0; index < 16; index += 1) {
    // A negative digit makes the byte negative.
    const byte = (hexAt(id, 2 * index) << 4) | hexAt(id, 2 * index + 1)
    all |= byte
    bytes[at + index] = byte
  }
  return all >= 0
}

/** Sixteen bytes as a UUID. */
export function formatUuid(bytes: Uint8Array, at: number): string {
  const hex = (index: number) => hexBytes[bytes[at + index]!]!
  return (
    `${hex(0)}${hex(1)}${hex(2)}${hex(3)}-${hex(4)}${hex(5)}-${hex(6)}${hex(7)}-` +
    `${hex(8)}${hex(9)}-${hex(10)}${hex(11)}${hex(12)}${hex(13)}${hex(14)}${hex(15)}`
  )
}

export function fromReferenceOfAnyKind(reference: string): string | undefined {
  const prefix = Object.values(prefixes).find((start) => reference.startsWith(start))
  return prefix && fromReference(prefix, reference)
}

/** The id of no row: an unknown reference then finds nothing instead of everything. */
export const unusedId = '00000000-0000-0000-0000-000000000000'

/** Formats 32 hex digits as a UUID. */
export function toUuid(hex: string): string {
  const head = `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}`
  return `${head}-${hex.slice(16, 20)}-${hex.slice(20)}`
}
