import { after } from '../base/clock.js'
import { limits } from '../base/limits.js'
import { sql } from '../postgres/sql.js'
import { listStatement } from '../postgres/statement.js'
import type { Tx } from '../postgres/tx.js'
import type { Payout, PayoutApproval } from './payout.js'
import type { PreparedAttempt } from './ports.js'

const payoutColumns = {
  environmentId: 'int4',
  id: 'uuid',
  kind: 'text',
  rail: 'text',
  asset: 'text',
  amount: 'int8',
  fee: 'int8',
  requestedAmount: 'text',
  destination: 'json',
  merchantReference: 'text',
  metadata: 'jsonText',
  takesFrom: 'text',
  createdByKey: 'uuid',
  createdByUser: 'uuid',
  eventSequence: 'int4',
  submittedAt: 'timestamptz',
} as const

/** Created when it was submitted. */
const insertSubmitted = (list: string, names: string, values: string) => `
    insert into payouts (${names}, status, created_at)
    select ${values}, 'SUBMITTED', submitted_at from ${list}`

const insertPayoutRows = listStatement({
  name: 'insert_payouts',
  columns: payoutColumns,
  text: (list, _parameter, names, values) => insertSubmitted(list, names, values),
})

/** A statement of its own, so that other payouts do not send columns that they never use. */
const insertBatchPayoutRows = listStatement({
  name: 'insert_batch_payouts',
  columns: { ...payoutColumns, batchId: 'uuid', batchItem: 'int4' },
  text: (list, _parameter, names, values) => insertSubmitted(list, names, values),
})

/** Sorted by the merchant's reference, so that two batches never deadlock at the unique index. */
export function insertPayouts(tx: Tx, payouts: Payout[]): void {
  if (payouts.length === 0) return
  if (payouts[0]!.batchItem) insertBatchPayouts(tx, payouts)
  else tx.write(insertPayoutRows(payouts.toSorted(byMerchantReference)))
}

/** Payouts of batches are never mixed with others: batches have transactions of their own. */
function insertBatchPayouts(tx: Tx, payouts: Payout[]): void {
  const rows = payouts.toSorted(byMerchantReference).map(({ batchItem, ...payout }) => ({
    ...payout,
    batchId: batchItem!.batchId,
    batchItem: batchItem!.number,
  }))
  tx.write(insertBatchPayoutRows(rows))
}

/** One that waits for approval: it has an order hash instead of an attempt. */
export function insertPendingPayout(tx: Tx, payout: Payout, approval: PayoutApproval): void {
  tx.write(sql`
    insert into payouts (environment_id, id, kind, rail, asset, amount, fee, requested_amount,
      destination, merchant_reference, metadata, takes_from, created_by_key, created_by_user,
      order_hash, approve_by, status, event_sequence, created_at)
    values (${payout.environmentId}, ${payout.id}, ${payout.kind}, ${payout.rail}, ${payout.asset},
      ${payout.amount}, ${payout.fee}, ${payout.requestedAmount},
      ${JSON.stringify(payout.destination)}, ${payout.merchantReference}, ${payout.metadata},
      ${payout.takesFrom}, ${payout.createdByKey}, ${payout.createdByUser},
      ${Buffer.from(approval.orderHash, 'hex')}, ${approval.expiresAt}, 'PENDING',
      ${payout.eventSequence}, ${payout.createdAt})`)
}

function byMerchantReference(left: Payout, right: Payout): number {
  const [one, other] = [left.merchantReference ?? '', right.merchantReference ?? '']
  return left.environmentId - right.environmentId || (one < other ? -1 : one > other ? 1 : 0)
}

export type NewAttempt = PreparedAttempt & {
  payout: Pick<Payout, 'environmentId' | 'id' | 'rail'>
  number: number
  createdAt: Date
}

const insertAttemptRows = listStatement({
  name: 'insert_payout_attempts',
  columns: {
    environmentId: 'int4',
    payoutId: 'uuid',
    number: 'int4',
    rail: 'text',
    token: 'text',
    wire: 'bytea',
    validUntil: 'int8',
    signedSlot: 'int8',
    dueAt: 'timestamptz',
    createdAt: 'timestamptz',
  },
  text: (list, _parameter, names) => `
    insert into payout_attempts (${names}, state) select ${names}, 'LIVE' from ${list}`,
})

/** First polled a moment later, when the process that created them has sent them. */
export function insertAttempts(tx: Tx, now: Date, attempts: NewAttempt[]): void {
  if (attempts.length === 0) return
  const rows = attempts.map(({ payout, ...attempt }) => ({
    environmentId: payout.environmentId,
    payoutId: payout.id,
    number: attempt.number,
    rail: payout.rail,
    token: attempt.token,
    wire: attempt.wire,
    validUntil: attempt.validUntil,
    signedSlot: attempt.signedSlot ?? null,
    dueAt: after(now, limits.payouts.firstPollDelayMs),
    createdAt: attempt.createdAt,
  }))
  tx.write(insertAttemptRows(rows))
}
