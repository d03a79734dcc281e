import { after, day } from '../../base/clock.js'
import { limits } from '../../base/limits.js'
import type {
  BankInstruction,
  DriverPage,
  DriverPayout,
  DriverPeriod,
  SendAnswer,
} from '../bank/driver.js'
import { Unknown, Unreadable } from '../bank/provider-client.js'
import {
  asFields,
  type Fields,
  lookUp,
  needNumericId,
  needTime,
  readName,
  readRows,
  readText,
} from '../bank/read-fields.js'
import type { PaystackCalls } from './calls.js'
import { paystackLimits } from './limits.js'
import { needKobo } from './read-payment.js'

/**
 * Paystack carries out every request, so our reference goes into the note, where a list shows it.
 * The list has no filter by transaction.
 */
export async function sendRefund(
  calls: PaystackCalls,
  instruction: BankInstruction,
): Promise<SendAnswer> {
  const { isOk, status, message } = await calls.ask({
    method: 'POST',
    path: '/refund',
    body: {
      transaction: instruction.refundOf!,
      amount: Number(instruction.amount),
      currency: 'NGN',
      merchant_note: instruction.reference,
    },
  })
  if (isOk) return 'accepted'
  // Unconfirmed words. Others leave the refund open.
  if (status === 400 && /insufficient|not enough/i.test(message))
    return { failure: 'insufficient_float' }
  if (status === 400 && /fully reversed|more than/i.test(message))
    return { failure: 'bank_declined' }
  return { unclear: `${status} ${message}` }
}

/** A refund is younger than its payment. */
export async function findRefund(
  calls: PaystackCalls,
  instruction: BankInstruction,
): Promise<DriverPayout | undefined> {
  const path = `/transaction/${instruction.refundOf}`
  const transaction = asFields(await calls.fetch({ method: 'GET', path }))
  const since = needTime(transaction.paid_at, 'paid_at')
  const own: DriverPayout[] = []
  for await (const row of readRefunds(calls, since))
    if (isOwn(row, instruction)) own.push(readRefund(row))
  // If there are ever two, the one that got furthest counts.
  return own.toSorted((left, right) => rank[left.state] - rank[right.state])[0]
}

/** A refund of the payment without a note may be ours: then the outcome is unknown. */
function isOwn(row: Fields, { refundOf, reference }: BankInstruction): boolean {
  if ((transactionOf(row) ?? refundOf) !== refundOf) return false
  const note = readText(row.merchant_note)
  if (note === undefined) throw new Unreadable('paystack: a refund of the payment has no note')
  return note.includes(reference)
}

const rank: Record<DriverPayout['state'], number> = {
  success: 0,
  open: 1,
  review: 2,
  reversed: 3,
  failed: 4,
}

/** Ids of transactions since then that we refunded. */
export async function findOwnRefunds(
  calls: PaystackCalls,
  since: Date | undefined,
): Promise<Set<string>> {
  const own = new Set<string>()
  if (since === undefined) return own
  for await (const row of readRefunds(calls, since)) {
    const transaction = transactionOf(row)
    if (transaction && paystackLimits.referencePattern.test(readText(row.merchant_note) ?? ''))
      own.add(transaction)
  }
  return own
}

/** Unknown rather than incomplete: a refund that is not seen would be sent again. */
async function* readRefunds(calls: PaystackCalls, since: Date): AsyncGenerator<Fields> {
  const from = after(since, -day).toISOString()
  let next: string | undefined
  for (let page = 0; page < limits.banks.reversalPagesMax; page += 1) {
    const list = await calls.list({ path: '/refund', query: { from }, after: next })
    yield* list.rows
    if (list.next === null) return
    next = list.next
  }
  throw new Unknown('paystack: more refunds than can be read at once')
}

export async function listRefunds(
  calls: PaystackCalls,
  { from, to, after: cursor }: DriverPeriod,
): Promise<DriverPage<DriverPayout>> {
  const query = { from: from.toISOString(), to: to.toISOString() }
  const { rows, next } = await calls.list({ path: '/refund', query, after: cursor })
  return { ...readRows(rows, readRefund), next }
}

function readRefund(row: Fields): DriverPayout {
  return {
    id: needNumericId(row.id, 'id'),
    reference: readName(row.merchant_note) ?? `refund ${readText(row.id)}`,
    amount: needKobo(row.amount, 'amount'),
    state: lookUp(refundStates, row.status) ?? 'open',
    failure: null,
  }
}

const refundStates: Record<string, DriverPayout['state']> = {
  processed: 'success',
  failed: 'failed',
  'needs-attention': 'review',
}

/** A number in lists, an object in the answer to the request. */
function transactionOf({ transaction }: Fields): string | undefined {
  const id = readText(transaction) ?? readText(asFields(transaction).id) ?? ''
  return /^\d{1,20}$/.test(id) ? id : undefined
}
