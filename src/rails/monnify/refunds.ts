import type {
  BankInstruction,
  DriverPage,
  DriverPayout,
  DriverPeriod,
  SendAnswer,
} from '../bank/driver.js'
import { Unknown } from '../bank/provider-client.js'
import { asFields, type Fields, lookUp, needId, needText, readRows } from '../bank/read-fields.js'
import { needKobo, toNairaNumber } from './amounts.js'
import { isNotFound, type MonnifyCalls, readPage, unexpected } from './calls.js'
import { readTime } from './read-time.js'

const rowsPerPage = 100

/** Monnify knows a refund by our reference, and sends it to the payer's account. */
export async function sendRefund(
  calls: MonnifyCalls,
  { reference, amount, refundOf }: BankInstruction,
): Promise<SendAnswer> {
  const call = {
    method: 'POST',
    path: '/api/v1/refunds/initiate-refund',
    body: {
      transactionReference: refundOf,
      refundReference: reference,
      refundAmount: toNairaNumber(amount),
      // At most 64 characters.
      refundReason: 'Returned to sender',
      // At most 16 characters.
      customerNote: 'Refund',
    },
  } as const
  const answer = await calls.call(call)
  if (answer.code === '0') return 'accepted'
  const known = lookUp(sendAnswers, answer.code)
  if (known === undefined) throw unexpected(call, answer)
  return known
}

/** By response code; R10, R11, M01, M02 and 99 are system errors: the outcome is unknown. */
const sendAnswers: Record<string, SendAnswer> = {
  /** No such transaction. */
  R1: { failure: 'bank_declined' },
  /** Not paid by bank transfer. */
  R2: { failure: 'bank_declined' },
  /** More than was paid. */
  R3: { failure: 'bank_declined' },
  /** Less than Monnify refunds. */
  R4: { failure: 'bank_declined' },
  R5: { failure: 'insufficient_float' },
  /** The payer's account is not known. */
  R6: { failure: 'account_not_found' },
  /** A text is too long. */
  R8: { failure: 'bank_declined' },
  R9: 'exists',
  /** Refunded in full before. */
  R12: { failure: 'bank_declined' },
}

export async function findRefund(
  calls: MonnifyCalls,
  { reference }: BankInstruction,
): Promise<DriverPayout | undefined> {
  const path = `/api/v1/refunds/${encodeURIComponent(reference)}`
  const call = { method: 'GET', path } as const
  const answer = await calls.call(call)
  if (isNotFound(answer)) return undefined
  if (answer.code !== '0') throw unexpected(call, answer)
  const refund = readRefund(asFields(answer.body))
  if (refund.reference !== reference) throw new Unknown(`monnify: another refund than ${reference}`)
  return refund
}

const states: Record<string, DriverPayout['state']> = {
  COMPLETED: 'success',
  FAILED: 'failed',
}

function readRefund(fields: Fields): DriverPayout {
  const state = lookUp(states, needText(fields.refundStatus, 'refundStatus')) ?? 'open'
  return {
    // Monnify refuses a second one with our reference.
    id: needId(fields.refundReference, 'refundReference'),
    reference: needId(fields.refundReference, 'refundReference'),
    amount: needKobo(fields.refundAmount, 'refundAmount'),
    state,
    failure: state === 'failed' ? 'bank_declined' : null,
  }
}

/** The list has no filter by time: it is read, newest first, until a page ends before `from`. */
export async function listRefunds(
  calls: MonnifyCalls,
  { from, to, after: page = '0' }: DriverPeriod,
): Promise<DriverPage<DriverPayout>> {
  const query = { page, size: `${rowsPerPage}` }
  const body = await calls.need({ method: 'GET', path: '/api/v1/refunds', query })
  const { rows, isLast } = readPage(body)
  const times = rows.map(({ createdOn }) => readTime(createdOn))
  const [first, last] = [times[0], times.at(-1)]
  const isPast = first !== undefined && last !== undefined && first > last && last < from
  const items = rows.filter((_, index) => {
    const time = times[index]
    return time === undefined || (time >= from && time < to)
  })
  return {
    ...readRows(items, readRefund),
    next: isLast || isPast ? null : `${Number(page) + 1}`,
  }
}
