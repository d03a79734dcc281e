import { createHmac, timingSafeEqual } from 'node:crypto'
import type { Secret } from '../../base/secret.js'
import type { NoticeHint, NoticeRequest } from '../../collections/ports.js'
import type { DriverNotice } from '../bank/driver.js'
import { parseWithNumberTexts } from '../bank/number-texts.js'
import { asFields, type Fields, readText } from '../bank/read-fields.js'
import { paystackLimits } from './limits.js'
import { paymentKey, rejectionKey } from './payments.js'
import { isOfOtherChannels } from './read-payment.js'

/** The signature is the HMAC of the raw body with the secret key, so each mode has its own. */
export function readNotice(secretKey: Secret, { headers, body }: NoticeRequest): DriverNotice {
  const given = Buffer.from(`${headers['x-paystack-signature']}`, 'utf8')
  const expected = Buffer.from(
    createHmac('sha512', secretKey.reveal()).update(body).digest('hex'),
    'utf8',
  )
  if (given.length !== expected.length || !timingSafeEqual(given, expected))
    return { kind: 'unverified' }
  const hint = hintOf(body)
  return hint ? { kind: 'hint', hint } : { kind: 'other' }
}

function hintOf(body: string): NoticeHint | undefined {
  const notice = asFields(parseOrNothing(body))
  const event = readText(notice.event) ?? ''
  const data = asFields(notice.data)
  if (event === 'charge.success') return toChargeHint(event, data)
  if (event === 'bank.transfer.rejected') return toRejectionHint(event, data)
  if (/^transfer\.(success|failed|reversed)$/.test(event)) return toTransferHint(event, data)
  return event.startsWith('refund.') ? toRefundHint(event, data) : undefined
}

function parseOrNothing(body: string): unknown {
  try {
    return parseWithNumberTexts(body)
  } catch {
    return undefined
  }
}

function toChargeHint(event: string, data: Fields): NoticeHint | undefined {
  const id = readText(data.id)
  if (id === undefined || !/^\d{1,20}$/.test(id) || isOfOtherChannels(data)) return undefined
  return {
    id: `${event}/${id}/${readText(data.status)}`,
    about: { subject: 'payment', key: paymentKey(id) },
  }
}

/** Names the charge, but has no reference and no id of its own. */
function toRejectionHint(event: string, data: Fields): NoticeHint | undefined {
  const transfer = asFields(data.bank_transfer)
  const id = readText(transfer.transaction_id)
  if (id === undefined || !/^\d{1,20}$/.test(id)) return undefined
  const amount = readText(transfer.amount) ?? ''
  const reason = (readText(transfer.message_type) ?? '').replace(/\W/g, '')
  return {
    id: `${event}/${id}/${amount}/${reason}`,
    about: { subject: 'payment', key: rejectionKey({ id, amount, reason }) },
  }
}

function toTransferHint(event: string, data: Fields): NoticeHint | undefined {
  const reference = readText(data.reference)
  if (reference === undefined) return undefined
  const id = `${event}/${readText(data.id) ?? reference}/${readText(data.status)}`
  return { id, about: { subject: 'payout', reference } }
}

/** Most notices of refunds lack the note with our reference: polling finds those. */
function toRefundHint(event: string, data: Fields): NoticeHint | undefined {
  const reference = readText(data.merchant_note) ?? ''
  if (!paystackLimits.referencePattern.test(reference)) return undefined
  const id = `${event}/${readText(data.id) ?? reference}/${readText(data.status)}`
  return { id, about: { subject: 'payout', reference } }
}
