import { createHmac, timingSafeEqual } from 'node:crypto'
import type { Mode } from '../../base/environment.js'
import type { Secret } from '../../base/secret.js'
import type { NoticeHint, NoticeRequest } from '../../collections/ports.js'
import type { DriverNotice } from '../bank/driver.js'
import { parseWithNumberTexts } from '../bank/number-texts.js'
import { asFields, asList, type Fields, readText } from '../bank/read-fields.js'
import { writePaymentKey } from './payment-key.js'

/**
 * Reads a notice. Its signature is a hash over the raw body; the sandbox sends none, so in test
 * mode an unsigned notice is read, too: it is only a hint.
 */
export function readNotice(
  { secretKey, mode }: { secretKey: Secret; mode: Mode },
  { headers, body }: NoticeRequest,
): DriverNotice {
  const given = headers['monnify-signature']
  const isSigned = given !== undefined && isSignature(secretKey, { given, body })
  const isUnsigned = given === undefined && mode === 'test'
  if (!isSigned && !isUnsigned) return { kind: 'unverified' }
  const notice = parseNotice(body)
  if (!notice) return isSigned ? { kind: 'other' } : { kind: 'unverified' }
  const hint = hintOf(readText(notice.eventType) ?? '', asFields(notice.eventData))
  return hint ? { kind: 'hint', hint } : { kind: 'other' }
}

function isSignature(
  secretKey: Secret,
  { given, body }: { given: string | string[]; body: string },
): boolean {
  const expected = createHmac('sha512', secretKey.reveal()).update(body).digest()
  const received = Buffer.from(String(given), 'hex')
  return received.length === expected.length && timingSafeEqual(received, expected)
}

function parseNotice(body: string): Fields | undefined {
  try {
    return asFields(parseWithNumberTexts(body))
  } catch {
    return undefined
  }
}

const payoutEvents = new Set([
  'SUCCESSFUL_DISBURSEMENT',
  'FAILED_DISBURSEMENT',
  'REVERSED_DISBURSEMENT',
])
const refundEvents = new Set(['SUCCESSFUL_REFUND', 'FAILED_REFUND'])

function hintOf(event: string, data: Fields): NoticeHint | undefined {
  if (event === 'SUCCESSFUL_TRANSACTION') return paymentHint(event, data)
  if (event === 'REJECTED_PAYMENT') return rejectionHint(event, data)
  if (payoutEvents.has(event)) return payoutHint(event, { reference: data.reference, data })
  if (refundEvents.has(event)) return payoutHint(event, { reference: data.refundReference, data })
  return undefined
}

/** The amount is in the id: with partial payments, one transaction is paid several times. */
function paymentHint(event: string, data: Fields): NoticeHint | undefined {
  const id = readText(data.transactionReference)
  if (id === undefined) return undefined
  const key = writePaymentKey({ id, session: sessionOf(data), rejected: null })
  const name = `${event}/${id}/${readText(data.paymentStatus)}/${readText(data.amountPaid)}`
  return { id: name, about: { subject: 'payment', key } }
}

function rejectionHint(event: string, data: Fields): NoticeHint | undefined {
  const id = readText(data.transactionReference)
  const amount = readText(sourceOf(data).amountPaid)
  if (id === undefined || amount === undefined) return undefined
  const { rejectionReason } = asFields(data.paymentRejectionInformation)
  const rejected = { reason: readText(rejectionReason) ?? 'rejected by the bank', amount }
  const session = sessionOf(data)
  const key = writePaymentKey({ id, session, rejected })
  return { id: `${event}/${id}/${session ?? amount}`, about: { subject: 'payment', key } }
}

function payoutHint(
  event: string,
  { reference, data }: { reference: unknown; data: Fields },
): NoticeHint | undefined {
  const text = readText(reference)
  if (text === undefined) return undefined
  const id = `${event}/${readText(data.transactionReference) ?? ''}/${text}`
  // Only notices contain the session id.
  const sessionId = readText(data.sessionId) ?? null
  return { id, about: { subject: 'payout', reference: text, sessionId } }
}

function sessionOf(data: Fields): string | null {
  return readText(sourceOf(data).sessionId) ?? null
}

/** A list of payers, one payer, or an empty object. The last one has just paid. */
function sourceOf({ paymentSourceInformation: source }: Fields): Fields {
  return Array.isArray(source) ? asFields(source.at(-1)) : asFields(asList([source])[0])
}
