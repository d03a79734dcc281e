import { after, type Clock, day } from '../../base/clock.js'
import { limits } from '../../base/limits.js'
import type { BankOrder, DriverPayout, Page, Period, SendAnswer } from '../bank/driver.js'
import { koboOfNaira, nairaOfKobo } from '../bank/naira.js'
import { Unknown } from '../bank/provider-client.js'
import { asFields, type Fields, needText, readText } from '../bank/read-fields.js'
import type { BoundedMap } from '../bounded-map.js'
import type { FlutterwaveApi } from './api.js'
import { daysOf } from './days.js'
import { listFlutterwavePage } from './pages.js'
import { fetchFlutterwavePayment } from './payments.js'

/** Documented: a refund takes up to 15 working days. */
const refundMaxMs = 21 * day

type Tools = {
  api: FlutterwaveApi
  clock: Clock
  /** Flutterwave's ids of our refunds, by reference. Saves reading the list again. */
  refundIds: BoundedMap<string, string>
}

/** Not idempotent: the caller has searched for the refund before. */
export async function sendFlutterwaveRefund(
  { api, refundIds }: Tools,
  { refundOf, amount, reference }: BankOrder,
): Promise<SendAnswer> {
  const { isDone, message, data } = await api.call({
    method: 'POST',
    path: `/transactions/${encodeURIComponent(refundOf!)}/refund`,
    body: { amount: Number(nairaOfKobo(amount)), comments: reference },
  })
  const id = isDone ? readText(asFields(data).id) : undefined
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
  { api, clock, refundIds }: Tools,
  { refundOf, reference }: BankOrder,
): Promise<DriverPayout | undefined> {
  const id = refundIds.find(reference)
  if (id) return { ...toRefund(await fetchRefund(api, id), clock.now()), reference }
  const payment = await fetchFlutterwavePayment(api, refundOf!)
  // Its day is not known then. A refund that is not found would be sent again.
  if (!payment) throw new Unknown(`flutterwave: transaction ${refundOf} is missing`)
  const days = daysOf({ from: payment.receivedAt, to: clock.now() })
  for (let page = 1; page <= limits.banks.reversalPagesMax; page += 1) {
    const { rows, hasMore } = await api.list('/refunds', days, page)
    for (const row of rows.filter((one) => needText(one.tx_id, 'tx_id') === refundOf)) {
      const comments = readText(row.comments) ?? (await fetchComments(api, row))
      if (!comments.includes(reference)) continue
      refundIds.set(reference, needText(row.id, 'id'))
      return { ...toRefund(row, clock.now()), reference }
    }
    if (!hasMore) return undefined
  }
  throw new Unknown('flutterwave: too many refunds to find one')
}

async function fetchRefund(api: FlutterwaveApi, id: string): Promise<Fields> {
  const { data } = await api.need({ method: 'GET', path: `/refunds/${encodeURIComponent(id)}` })
  return asFields(data)
}

async function fetchComments(api: FlutterwaveApi, { id }: Fields): Promise<string> {
  const { comments } = await fetchRefund(api, needText(id, 'id'))
  return needText(comments, 'comments of a refund')
}

export async function listFlutterwaveRefunds(
  { api, clock }: Tools,
  { from, to, after: cursor }: Period,
): Promise<Page<DriverPayout>> {
  const query = daysOf({ from, to })
  const { items, next } = await listFlutterwavePage(api, '/refunds', { query, after: cursor })
  return { items: items.map((row) => toRefund(row, clock.now())), next }
}

/** References of refunds that failed, perhaps after they were paid. They may take weeks. */
export async function listFailedFlutterwaveRefunds(
  { api, clock }: Tools,
  since: Date,
): Promise<string[]> {
  const days = daysOf({ from: after(since, -refundMaxMs), to: clock.now() })
  const references: string[] = []
  for (let page = 1; page <= limits.banks.reversalPagesMax; page += 1) {
    const { rows, hasMore } = await api.list('/refunds', { ...days, status: 'failed' }, page)
    const failed = rows
      .map((row) => toRefund(row, clock.now()))
      .filter(({ state }) => state === 'failed')
    references.push(...failed.map(({ reference }) => reference))
    if (!hasMore) break
  }
  return references
}

function toRefund(row: Fields, now: Date): DriverPayout {
  const state = readState(row, now)
  return {
    id: needText(row.id, 'id'),
    reference: readText(row.comments) ?? `refund ${needText(row.id, 'id')}`,
    amount: koboOfNaira(readText(row.amount_refunded) ?? '') ?? null,
    state,
    failure: state === 'failed' ? 'bank_declined' : null,
  }
}

/** "completed" alone means that the refund has begun; with a suffix, that it was paid. */
function readState(row: Fields, now: Date): DriverPayout['state'] {
  const status = readText(row.status)?.toLowerCase() ?? ''
  if (/^completed-./.test(status)) return 'success'
  if (/^failed/.test(status)) return 'failed'
  const begunAt = new Date(readText(row.created_at) ?? now)
  return after(begunAt, refundMaxMs) < now ? 'review' : 'open'
}
