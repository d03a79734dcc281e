import { createHmac, type KeyObject, timingSafeEqual } from 'node:crypto'
import type {
  BankSender,
  IncomingMessage,
  PaymentNotice,
  ReadMessage,
} from '../../collections/ports.js'

/** Lower-case, as headers arrive. */
const signatureHeader = 'x-sandbox-signature'

const event = 'payment.received'

/** The amount is text of whole kobo, so that no reader can make a float of it. */
export function writeNotice(key: KeyObject, announced: PaymentNotice) {
  const { amount, receivedAt, ...data } = announced
  const body = JSON.stringify({
    event,
    data: { ...data, amount: amount.toString(), paidAt: receivedAt.toISOString() },
  })
  const headers = { 'content-type': 'application/json', [signatureHeader]: sign(key, body) }
  return { headers, body }
}

/** What is from the bank but cannot be read; `why` is for whoever looks into it. */
type Unreadable = { kind: 'unreadable'; why: string }

/**
 * Only the bank can sign, so the signature is looked at before anything else. Whatever amount and
 * currency it announces is passed on: who judges payments judges that too.
 */
export function readNotice(key: KeyObject, message: IncomingMessage): ReadMessage | Unreadable {
  if (!isGenuine(key, message)) return { kind: 'not_genuine' }
  const fields = parseObject(message.body)
  if (typeof fields.event !== 'string') return { kind: 'unreadable', why: 'it names no event' }
  if (fields.event !== event) return { kind: 'beside_the_point' }
  const announced = readAnnounced(toObject(fields.data))
  return announced
    ? { kind: 'announced', announced }
    : { kind: 'unreadable', why: 'it tells no whole payment' }
}

function sign(key: KeyObject, body: string): string {
  return createHmac('sha512', key).update(body).digest('hex')
}

function isGenuine(key: KeyObject, { headers, body }: IncomingMessage): boolean {
  const sent = headers[signatureHeader]
  if (typeof sent !== 'string' || !/^[0-9a-f]{128}$/.test(sent)) return false
  return timingSafeEqual(Buffer.from(sent), Buffer.from(sign(key, body)))
}

/**
 * Undefined without the things that make a payment: its name, where it went, how much, and when.
 * The rest is left out where it cannot be read: money does not get lost for want of a sender.
 */
function readAnnounced(data: Record<string, unknown>): PaymentNotice | undefined {
  const [id, accountNumber, currency] = [data.id, data.accountNumber, data.currency].map(readName)
  const amount = readAmount(data.amount)
  const receivedAt = readTime(data.paidAt)
  if (!id || !accountNumber || !currency || amount === undefined || !receivedAt) return undefined
  return {
    id,
    accountNumber,
    amount,
    currency,
    receivedAt,
    sender: readSender(toObject(data.sender)),
    sessionId: readText(data.sessionId) ?? null,
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

function readName(value: unknown): string | undefined {
  return typeof value === 'string' && /^[\x21-\x7e]{1,100}$/.test(value) ? value : undefined
}

/** Without NUL and half characters, which the database cannot hold. */
function readText(value: unknown): string | undefined {
  return typeof value === 'string' ? Buffer.from(value.replaceAll('\0', '')).toString() : undefined
}

function parseObject(text: string): Record<string, unknown> {
  try {
    return toObject(JSON.parse(text))
  } catch {
    return {} // whatever is wrong with it, it is no notice
  }
}

function toObject(value: unknown): Record<string, unknown> {
  return { ...(value as object) }
}
