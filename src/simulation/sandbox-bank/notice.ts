import { createHmac, type KeyObject, timingSafeEqual } from 'node:crypto'
import type {
  BankSender,
  NoticeReading,
  NoticeRequest,
  ReportedPayment,
} from '../../collections/ports.js'

/** Lower-case, as Node delivers headers. */
const signatureHeader = 'x-sandbox-signature'

const event = 'payment.received'

/** The amount is a string of whole kobo, so that no reader parses it as a float. */
export function writeNotice(key: KeyObject, payment: ReportedPayment) {
  const body = JSON.stringify({
    event,
    data: {
      id: payment.id,
      accountNumber: payment.railAccount,
      currency: payment.currency,
      sender: payment.sender,
      narration: payment.narration,
      sessionId: payment.bankSessionId,
      amount: payment.amount.toString(),
      paidAt: payment.receivedAt.toISOString(),
    },
  })
  const headers = { 'content-type': 'application/json', [signatureHeader]: sign(key, body) }
  return { headers, body }
}

/** From the bank, but malformed. `why` is for the log. */
type Unreadable = { kind: 'unreadable'; why: string }

/**
 * Verifies the signature before parsing anything. Any amount and currency is passed on: payments
 * are judged elsewhere.
 */
export function readNotice(keys: KeyObject[], message: NoticeRequest): NoticeReading | Unreadable {
  if (!keys.some((key) => isGenuine(key, message))) return { kind: 'unverified' }
  const fields = parseObject(message.body)
  if (typeof fields.event !== 'string') return { kind: 'unreadable', why: 'no event' }
  if (fields.event !== event) return { kind: 'other' }
  const payment = readPayment(toObject(fields.data))
  return payment ? { kind: 'payment', payment } : { kind: 'unreadable', why: 'incomplete payment' }
}

function sign(key: KeyObject, body: string): string {
  return createHmac('sha512', key).update(body).digest('hex')
}

function isGenuine(key: KeyObject, { headers, body }: NoticeRequest): boolean {
  const sent = headers[signatureHeader]
  if (typeof sent !== 'string' || !/^[0-9a-f]{128}$/.test(sent)) return false
  return timingSafeEqual(Buffer.from(sent), Buffer.from(sign(key, body)))
}

/**
 * Undefined without id, account number, currency, amount or time. Other fields become null if they
 * cannot be read: a payment must not get lost because its sender is missing.
 */
function readPayment(data: Record<string, unknown>): ReportedPayment | undefined {
  const id = readToken(data.id)
  const accountNumber = readToken(data.accountNumber)
  const currency = readToken(data.currency)
  const amount = readAmount(data.amount)
  const receivedAt = readTime(data.paidAt)
  if (!id || !accountNumber || !currency || amount === undefined || !receivedAt) return undefined
  return {
    id,
    railAccount: accountNumber,
    amount,
    currency,
    receivedAt,
    sender: readSender(toObject(data.sender)),
    bankSessionId: readText(data.sessionId) ?? null,
    narration: readText(data.narration) ?? null,
  }
}

function readSender(sender: Record<string, unknown>): BankSender | null {
  const name = readText(sender.name)
  const accountNumber = readText(sender.accountNumber)
  const bankCode = readText(sender.bankCode)
  const bankName = readText(sender.bankName)
  if (!name || !accountNumber || !bankCode || !bankName) return null
  return { name, accountNumber, bankCode, bankName }
}

function readAmount(value: unknown): bigint | undefined {
  const isWhole = typeof value === 'string' && /^(0|-?[1-9]\d{0,17})$/.test(value)
  return isWhole ? BigInt(value) : undefined
}

function readTime(value: unknown): Date | undefined {
  if (typeof value !== 'string' || !/^\d{4}-\d\d-\d\dT[\d:.]+Z$/.test(value)) return undefined
  const time = new Date(value)
  return Number.isNaN(time.getTime()) ? undefined : time
}

function readToken(value: unknown): string | undefined {
  return typeof value === 'string' && /^[\x21-\x7e]{1,100}$/.test(value) ? value : undefined
}

/** Removes NUL and lone surrogates, which PostgreSQL cannot store. */
function readText(value: unknown): string | undefined {
  if (typeof value !== 'string') return undefined
  return value.isWellFormed() && !value.includes('\0')
    ? value
    : value.replaceAll('\0', '').toWellFormed()
}

function parseObject(text: string): Record<string, unknown> {
  try {
    return toObject(JSON.parse(text))
  } catch {
    return {} // read as a notice without an event
  }
}

/** Anything else has no fields. */
function toObject(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {}
}
