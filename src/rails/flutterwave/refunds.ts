import { after, type Clock, day } from '../../base/clock.js'
import { limits } from '../../base/limits.js'
import type {
  BankInstruction,
  DriverPage,
  DriverPayout,
  DriverPeriod,
  SendAnswer,
} from '../bank/driver.js'
import { koboOfNaira, nairaOfKobo } from '../bank/naira.js'
import { Unknown } from '../bank/provider-client.js'
import {
  asFields,
  type Fields,
  lookUp,
  needNumericId,
  needText,
  readName,
  readRows,
  readText,
  readTime,
} from '../bank/read-fields.js'
import type { BoundedMap } from '../bounded-map.js'
import type { FlutterwaveApi } from './api.js'
import { daysOf } from './days.js'
import { listFlutterwavePage, readId } from './pages.js'
import { fetchFlutterwavePayment, type PaymentDependencies } from './payments.js'

/** Documented: a refund takes up to 15 working days. */
const refundMaxMs = 21 * day

type RefundDependencies = PaymentDependencies & {
  clock: Clock
  /** Flutterwave's ids of our refunds, by reference. Saves reading the list again. */
  refundIds: BoundedMap<string, string>
}

/** Not idempotent: the caller has searched for the refund before. */
export async function sendFlutterwaveRefund(
  { api, refundIds }: RefundDependencies,
  { refundOf, amount, reference }: BankInstruction,
): Promise<SendAnswer> {
  const { isDone, message, data } = await api.call({
    method: 'POST',
    path: `/transactions/${encodeURIComponent(refundOf!)}/refund`,
    body: { amount: Number(nairaOfKobo(amount)), comments: reference },
  })
  const id = isDone && readId(asFields(data).id)
  if (id) refundIds.set(reference, id)
  if (isDone) return 'accepted'
  if (/insufficient/i.test(message)) return { failure: 'insufficient_float' }
  if (/no transaction was found|greater than the transaction/i.test(message))
    return { failure: 'bank_declined' }
  return { unclear: message }
}

/**
 * Reads the refunds since the day of the payment, of all payments: Flutterwave has no filter by
 * payment. Our reference is in the comments. A refund of this payment without readable comments
 * may be ours, so the outcome is then unknown.
 */
export async function findFlutterwaveRefund(
  dependencies: RefundDependencies,
  { refundOf, reference }: BankInstruction,
): Promise<DriverPayout | undefined> {
  const { api, clock, refundIds } = dependencies
  const id = refundIds.find(reference)
  const known = id && (await fetchOwn(api, id, { refundOf, reference }))
  if (known) return { ...toRefund(known, clock.now()), reference }
  const payment = await fetchFlutterwavePayment(dependencies, refundOf!)
  // Refunds are searched by day. A refund that is not found would be sent again.
  if (!payment) throw new Unknown(`flutterwave: transaction ${refundOf} is missing`)
  const days = daysOf({ from: payment.receivedAt, to: clock.now() })
  for (let page = 1; page <= limits.banks.reversalPagesMax; page += 1) {
    const { rows, hasMore } = await api.list('/refunds', days, page)
    // A row that does not name its payment may be ours, too.
    for (const row of rows.filter((refund) => (readId(refund.tx_id) || refundOf) === refundOf)) {
      const comments = readText(row.comments) ?? (await fetchComments(api, row))
      if (!comments.includes(reference)) continue
      refundIds.set(reference, needNumericId(row.id, 'id'))
      return { ...toRefund(row, clock.now()), reference }
    }
    if (!hasMore) return undefined
  }
  throw new Unknown('flutterwave: too many refunds to find one')
}

/** Undefined: the id that Flutterwave gave leads to another refund, or to none. */
async function fetchOwn(
  api: FlutterwaveApi,
  id: string,
  { refundOf, reference }: Pick<BankInstruction, 'refundOf' | 'reference'>,
): Promise<Fields | undefined> {
  const path = `/refunds/${encodeURIComponent(id)}`
  const { isDone, isMissing, message, data } = await api.call({ method: 'GET', path })
  if (!isDone && !isMissing) throw new Unknown(`flutterwave: GET ${path}: ${message}`)
  const row = asFields(data)
  const isOwn = row.id === id && row.tx_id === refundOf
  const isNoted = (readText(row.comments) ?? reference).includes(reference)
  return isDone && isOwn && isNoted ? row : undefined
}

async function fetchRefund(api: FlutterwaveApi, id: string): Promise<Fields> {
  const { data } = await api.need({ method: 'GET', path: `/refunds/${encodeURIComponent(id)}` })
  return asFields(data)
}

async function fetchComments(api: FlutterwaveApi, { id }: Fields): Promise<string> {
  const { comments } = await fetchRefund(api, needNumericId(id, 'id'))
  return needText(comments, 'comments of a refund')
}

export async function listFlutterwaveRefunds(
  { api, clock }: RefundDependencies,
  { from, to, after: cursor }: DriverPeriod,
): Promise<DriverPage<DriverPayout>> {
  const query = daysOf({ from, to })
  const { items, next } = await listFlutterwavePage(api, '/refunds', { query, after: cursor })
  return { ...readRows(items, (row) => toRefund(row, clock.now())), next }
}

/** References of refunds that failed, perhaps after they were paid. They may take weeks. */
export async function listFailedFlutterwaveRefunds(
  { api, clock }: RefundDependencies,
  since: Date,
): Promise<string[]> {
  const days = daysOf({ from: after(since, -refundMaxMs), to: clock.now() })
  const references: string[] = []
  for (let page = 1; page <= limits.banks.reversalPagesMax; page += 1) {
    const { rows, hasMore } = await api.list('/refunds', { ...days, status: 'failed' }, page)
    const { items } = readRows(rows, (row) => toRefund(row, clock.now()))
    const failed = items.filter(({ state }) => state === 'failed')
    references.push(...failed.map(({ reference }) => reference))
    if (!hasMore) break
  }
  return references
}

function toRefund(row: Fields, now: Date): DriverPayout {
  const state = readState(row, now)
  return {
    id: needNumericId(row.id, 'id'),
    reference: readName(row.comments) ?? `refund ${needNumericId(row.id, 'id')}`,
    amount: koboOfNaira(readText(row.amount_refunded) ?? '') ?? null,
    state,
    failure: state === 'failed' ? 'bank_declined' : null,
  }
}

/** "completed" alone means that the refund has begun. Unknown words leave it open. */
const endStates: Record<string, DriverPayout['state']> = {
  'completed-bank-transfer': 'success',
  'completed-mpgs': 'success',
  'completed-offline': 'success',
  failed: 'failed',
}

function readState(row: Fields, now: Date): DriverPayout['state'] {
  const ended = lookUp(endStates, readText(row.status)?.toLowerCase())
  if (ended) return ended
  const begunAt = readTime(row.created_at) ?? now
  return after(begunAt, refundMaxMs) < now ? 'review' : 'open'
}
