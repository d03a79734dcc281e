import { createHash, timingSafeEqual } from 'node:crypto'
import type { Secret } from '../../base/secret.js'
import type { NoticeRequest } from '../../collections/ports.js'
import type { DriverNotice } from '../bank/driver.js'
import { parseWithNumberTexts } from '../bank/number-texts.js'
import { asFields, type Fields, readText } from '../bank/read-fields.js'

const secretHeader = 'verif-hash'

/**
 * The header is the shared secret itself, so it proves who sent the notice and nothing about the
 * body: only ids are read from it.
 */
export function readFlutterwaveNotice(secret: Secret, request: NoticeRequest): DriverNotice {
  if (!isSecret(secret, request.headers[secretHeader])) return { kind: 'unverified' }
  const fields = parse(request.body)
  const transfer = readTransfer(fields)
  if (transfer) return readPayout(transfer)
  const charge = readCharge(fields)
  return charge ? readPayment(charge) : { kind: 'other' }
}

/** Compares digests, so that the time taken reveals neither content nor length. */
function isSecret(secret: Secret, sent: string | string[] | undefined): boolean {
  return typeof sent === 'string' && timingSafeEqual(digest(sent), digest(secret.reveal()))
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}

function parse(body: string): Fields {
  try {
    return asFields(parseWithNumberTexts(body))
  } catch {
    return {}
  }
}

/** Accounts from before version 3 get `transfer` instead of `data`. */
function readTransfer(fields: Fields): Fields | undefined {
  if (fields.event === 'transfer.completed') return asFields(fields.data)
  return fields['event.type'] === 'Transfer' ? asFields(fields.transfer) : undefined
}

/** Accounts from before version 3 get the fields of the charge at the top, in another spelling. */
function readCharge(fields: Fields): Fields | undefined {
  if (fields.event === 'charge.completed') return asFields(fields.data)
  return readText(fields.txRef) ? fields : undefined
}

function readPayout(transfer: Fields): DriverNotice {
  const id = readId(transfer.id)
  const reference = readText(transfer.reference)
  if (!id || !reference || reference.length > 100) return { kind: 'other' }
  const hintId = `transfer/${id}/${readStatus(transfer)}`
  return { kind: 'hint', hint: { id: hintId, about: { subject: 'payout', reference } } }
}

function readPayment(charge: Fields): DriverNotice {
  const id = readId(charge.id)
  if (!id) return { kind: 'other' }
  const hintId = `charge/${id}/${readStatus(charge)}`
  return { kind: 'hint', hint: { id: hintId, about: { subject: 'payment', key: id } } }
}

function readId(value: unknown): string | undefined {
  const text = readText(value) ?? ''
  return /^\d{1,20}$/.test(text) ? text : undefined
}

function readStatus({ status }: Fields): string {
  const text = readText(status)?.toLowerCase() ?? ''
  return /^[a-z_-]{1,30}$/.test(text) ? text : 'unknown'
}
