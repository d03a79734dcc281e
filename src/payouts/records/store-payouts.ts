import { after, type RealTime } from '../../base/clock.js'
import { writeTerms } from '../../postgres/lists/write-terms.js'
import { listStatement } from '../../postgres/statement.js'
import type { Tx } from '../../postgres/transactions/tx.js'
import { payoutLimits } from '../limits.js'
import {
  hasCreator,
  isReturn,
  type Payout,
  type PayoutApproval,
  payouts,
  sentAttempts,
} from '../payout.js'
import type { PreparedAttempt } from '../ports.js'

const submitted = payouts.types(
  'environmentId',
  'id',
  'kind',
  'rail',
  'asset',
  'amount',
  'fee',
  'requestedAmount',
  'destination',
  'merchantReference',
  'metadata',
  'takesFrom',
  'createdByKey',
  'createdByUser',
  'eventSequence',
  'submittedAt',
)

/** Created when it was submitted. */
const insertSubmitted = (list: string, names: string, values: string) => `
    insert into payouts (${names}, status, created_at)
    select ${values}, 'SUBMITTED', submitted_at from ${list}`

const insertPayoutRows = listStatement({
  name: 'insert_payouts',
  columns: submitted,
  text: (list, _parameter, names, values) => insertSubmitted(list, names, values),
})

const rare = payouts.types('levy', 'purpose', 'recipientId')

/** A statement of its own, so that other payouts do not send columns that they never use. */
const insertPayoutRowsWithRare = listStatement({
  name: 'insert_payouts_with_rare_columns',
  columns: { ...submitted, ...rare },
  text: (list, _parameter, names, values) => insertSubmitted(list, names, values),
})

/** The same. */
const insertBatchPayoutRows = listStatement({
  name: 'insert_batch_payouts',
  columns: {
    ...submitted,
    ...rare,
    batchId: 'uuid',
    batchItem: 'int4',
  },
  text: (list, _parameter, names, values) => insertSubmitted(list, names, values),
})

/** Sorted by the merchant's reference, so that two batches never deadlock at the unique index. */
export function insertPayouts(tx: Tx, created: Payout[]): void {
  if (created.length === 0) return
  if (created[0]!.batchItem) insertBatchPayouts(tx, created)
  else {
    // All by one statement: two would insert references out of order.
    const insert = created.some(hasRare) ? insertPayoutRowsWithRare : insertPayoutRows
    tx.write(insert(created.toSorted(byMerchantReference)))
  }
  writePayoutTerms(tx, created)
}

function hasRare({ levy, purpose, recipientId }: Payout): boolean {
  return levy > 0n || purpose !== null || recipientId !== null
}

/** Payouts of batches are never mixed with others: batches have transactions of their own. */
function insertBatchPayouts(tx: Tx, created: Payout[]): void {
  const rows = created.toSorted(byMerchantReference).map(({ batchItem, ...payout }) => ({
    ...payout,
    batchId: batchItem!.batchId,
    batchItem: batchItem!.number,
  }))
  tx.write(insertBatchPayoutRows(rows))
}

/** One that waits: it has an order hash instead of an attempt. */
export function insertPendingPayout(tx: Tx, payout: Payout, approval: PayoutApproval): void {
  const orderHash = Buffer.from(approval.orderHash, 'hex')
  const item = payout.batchItem && {
    batchId: payout.batchItem.batchId,
    batchItem: payout.batchItem.number,
  }
  const waiting = { orderHash, approveBy: approval.expiresAt }
  tx.write(payouts.insert({ ...payout, status: 'PENDING' }, { ...waiting, ...item }))
  writePayoutTerms(tx, [payout])
}

/** Returns to the sender are found by their payment. */
function writePayoutTerms(tx: Tx, created: Payout[]): void {
  const found = created.filter((payout) => !isReturn(payout) || hasCreator(payout))
  writeTerms(
    tx,
    'payout',
    found.map(({ environmentId, id, destination }) =>
      destination.kind === 'wallet'
        ? { environmentId, id, name: null, exact: [destination.address] }
        : {
            environmentId,
            id,
            name: destination.accountName,
            exact: [destination.accountNumber],
          },
    ),
  )
}

function byMerchantReference(left: Payout, right: Payout): number {
  const [one, other] = [left.merchantReference ?? '', right.merchantReference ?? '']
  return left.environmentId - right.environmentId || (one < other ? -1 : one > other ? 1 : 0)
}

export type NewAttempt = PreparedAttempt & {
  payout: Pick<Payout, 'environmentId' | 'id' | 'rail'>
  number: number
  createdAt: Date
  /** As in `NewPayout`. */
  checkAfterMs?: number | undefined
}

const insertAttemptRows = listStatement({
  name: 'insert_payout_attempts',
  columns: { ...sentAttempts.typesWithout('expiresBy', 'polls'), dueAt: 'timestamptz' },
  text: (list, _parameter, names) => `
    insert into payout_attempts (${names}, state) select ${names}, 'LIVE' from ${list}`,
})

/** First polled when the process that created them has sent them, or has ended them. */
export function insertAttempts(tx: Tx, now: RealTime, attempts: NewAttempt[]): void {
  if (attempts.length === 0) return
  const { firstPollDelayMs, followedPollDelayMs } = payoutLimits
  const rows = attempts.map((attempt) => ({
    environmentId: attempt.payout.environmentId,
    payoutId: attempt.payout.id,
    rail: attempt.payout.rail,
    number: attempt.number,
    token: attempt.token,
    wire: attempt.wire,
    validUntil: attempt.validUntil,
    signedSlot: attempt.signedSlot ?? null,
    createdAt: attempt.createdAt,
    dueAt:
      attempt.checkAfterMs === undefined
        ? after(now, firstPollDelayMs)
        : after(now, attempt.checkAfterMs + followedPollDelayMs),
  }))
  tx.write(insertAttemptRows(rows))
}
