import { strict as assert } from 'node:assert'
import { limits } from '../../base/limits.js'
import type {
  BankInstruction,
  DriverPage,
  DriverPayout,
  DriverPeriod,
  Refused,
  SendAnswer,
} from '../bank/driver.js'
import { koboOfText, readFeeInKobo } from '../bank/naira.js'
import { Unknown } from '../bank/provider-client.js'
import {
  asFields,
  asList,
  type Fields,
  lookUp,
  needId,
  needText,
  readRows,
  readText,
} from '../bank/read-fields.js'
import type { PaystackAnswer, PaystackCalls } from './calls.js'
import { needKobo } from './read-payment.js'

/** Paystack may return an older record: it must be of the same account. */
export async function createRecipient(
  calls: PaystackCalls,
  { accountName, accountNumber, bankCode }: BankInstruction,
): Promise<{ recipient: string } | Refused> {
  const path = '/transferrecipient'
  const answer = await calls.ask({
    method: 'POST',
    path,
    body: {
      type: 'nuban',
      name: accountName,
      account_number: accountNumber,
      bank_code: bankCode,
      currency: 'NGN',
    },
    isEarly: true,
  })
  const { isOk, status, message } = answer
  if (status === 422 || (status === 400 && /account|bank code/i.test(message)))
    return { refused: `Paystack cannot pay to this account: ${message}` }
  if (!isOk) throw new Unknown(`paystack: POST ${path}: ${status} ${message}`)
  const data = asFields(answer.data)
  const details = asFields(data.details)
  const given = needText(details.account_number, 'account_number').padStart(10, '0')
  if (given !== accountNumber || needText(details.bank_code, 'bank_code') !== bankCode)
    return {
      refused: `Paystack knows ${accountNumber} as an account of another bank. Ask its support.`,
    }
  return { recipient: needId(data.recipient_code, 'recipient_code') }
}

export async function sendTransfer(
  calls: PaystackCalls,
  instruction: BankInstruction,
): Promise<SendAnswer> {
  assert(instruction.recipient !== null, 'a transfer goes to a recipient')
  const answer = await calls.ask({
    method: 'POST',
    path: '/transfer',
    body: {
      source: 'balance',
      amount: Number(instruction.amount),
      currency: 'NGN',
      recipient: instruction.recipient,
      reference: instruction.reference,
      ...(instruction.narration !== null && { reason: instruction.narration }),
    },
  })
  if (!answer.isOk) return judgeRefusal(answer)
  const isWaiting = asFields(answer.data).status === 'otp'
  return isWaiting
    ? { unclear: 'Paystack requires a one-time password: switch OTP off.' }
    : 'accepted'
}

/** Only answers that are known to mean that nothing was sent are failures. */
function judgeRefusal({ status, message, code }: PaystackAnswer): SendAnswer {
  if (code === 'duplicate_transfer_reference' || /unique reference/i.test(message)) return 'exists'
  if (status === 400 && /balance is not enough/i.test(message))
    return { failure: 'insufficient_float' }
  if (status === 400 && code === 'invalid_transfer_recipient') return { failure: 'bank_declined' }
  return { unclear: `Paystack refuses the transfer: ${status} ${message}` }
}

export async function findTransfer(
  calls: PaystackCalls,
  { reference }: BankInstruction,
): Promise<DriverPayout | undefined> {
  const path = `/transfer/verify/${encodeURIComponent(reference)}`
  const found = await calls.find({ method: 'GET', path }, /transfer not found/i)
  if (!found) return undefined
  if (found.reference !== reference)
    throw new Unknown(`paystack: ${path} answers another reference`)
  return readTransfer(found)
}

/** `success` means that Paystack sent it, and may become `reversed`. */
const transferStates: Record<string, DriverPayout['state']> = {
  pending: 'open',
  otp: 'review',
  received: 'open',
  success: 'success',
  failed: 'failed',
  abandoned: 'failed',
  blocked: 'failed',
  rejected: 'failed',
  reversed: 'reversed',
}

/** In the order in which a transfer passes through them, so that none is missed. */
const listedStatuses = Object.keys(transferStates)

function readTransfer(row: Fields): DriverPayout {
  const reference = needId(row.reference, 'reference')
  return {
    id: readText(row.id) ?? reference,
    reference,
    amount: needKobo(row.amount, 'amount'),
    levy: readStampDuty(row.fees_breakdown),
    state: lookUp(transferStates, row.status) ?? 'open',
    failure: null,
    sessionId: readText(asFields(row.session).id) ?? null,
    providerFee: readFeeInKobo(row.fee_charged),
  }
}

/** Null: the transfer shows none. */
function readStampDuty(breakdown: unknown): bigint | null {
  const duty = asList(breakdown).find(({ type }) => type === 'stamp_duty')
  return koboOfText(readText(duty?.amount) ?? '') ?? null
}

/** A list without a status has pending transfers only, so each status is listed. */
export async function listTransfers(
  calls: PaystackCalls,
  { from, to, after: cursor = `${listedStatuses[0]}/` }: DriverPeriod,
): Promise<DriverPage<DriverPayout>> {
  const [status = '', ...rest] = cursor.split('/')
  const { rows, next } = await calls.list({
    path: '/transfer',
    query: { status, from: from.toISOString(), to: to.toISOString() },
    after: rest.join('/') || undefined,
  })
  const page = readRows(rows, readTransfer)
  if (next !== null) return { ...page, next: `${status}/${next}` }
  const following = listedStatuses[listedStatuses.indexOf(status) + 1]
  return { ...page, next: following === undefined ? null : `${following}/` }
}

export async function listReversedTransfers(calls: PaystackCalls, since: Date): Promise<string[]> {
  const references: string[] = []
  let next: string | undefined
  for (let page = 0; page < limits.banks.reversalPagesMax; page += 1) {
    const list = await calls.list({
      path: '/transfer',
      query: { status: 'reversed', from: since.toISOString() },
      after: next,
    })
    references.push(...list.rows.flatMap(({ reference }) => readText(reference) ?? []))
    if (list.next === null) break
    next = list.next
  }
  return references
}
