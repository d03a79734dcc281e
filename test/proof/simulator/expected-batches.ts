import type { BookedBatch, BookedItem, BookedPayout, Books } from './books.js'
import type { ExpectedEvents } from './expected-events.js'
import type { ExpectedTransfers } from './expected-transfers.js'
import { groupBy, sumOf } from './group-by.js'
import type { Merchant } from './merchant.js'
import { readAmount, transferFee } from './money.js'
import type { RailStatus } from './oracle.js'
import type { Receiver } from './receiver.js'
import type { Violations } from './violations.js'

export type AskedItem = { merchantReference: string; amount: bigint; recipient: string }

export type ToldBatch = {
  merchant: Merchant
  reference: string
  kind: 'bank_transfer' | 'crypto_transfer'
  asset: string
  retryOf: string | null
  /** Of a retry: those of the batch that it retries, of which only the failed ones are paid. */
  items: AskedItem[]
  isSubmitted: boolean
  isCancelled: boolean
}

type Comparison = {
  told: Map<string, ToldBatch>
  books: Books
  statusAtRail: (reference: string) => RailStatus | undefined
  receiver: Receiver
  violations: Violations
  events: ExpectedEvents
  transfers: ExpectedTransfers
}

/** The latest that an answer of the bank can be, and a payout be committed after its request. */
const answerDelayMaxMs = 300 * 60_000

/** Each item of a submitted batch is paid at most once; of any other batch, none is. */
export function compareBatches(comparison: Comparison): void {
  const { told, books, violations } = comparison
  const booked = new Map(books.batches.map((batch) => [batch.reference, batch]))
  const items = groupBy(books.batchItems, ({ batch }) => batch)
  const payouts = groupBy(
    books.payouts.filter(({ batch }) => batch !== null),
    ({ batch }) => batch!,
  )
  for (const batch of told.values()) {
    const row = booked.get(batch.reference)
    if (!row) {
      violations.report(`${batch.reference} was acknowledged and does not exist`)
      continue
    }
    const failedBefore = batch.retryOf
      ? (items.get(batch.retryOf) ?? []).filter(({ state }) => state === 'FAILED').map(nameOf)
      : undefined
    compareBatch(comparison, {
      batch,
      row,
      items: items.get(batch.reference) ?? [],
      paid: payouts.get(batch.reference) ?? [],
      names: failedBefore ?? batch.items.map(nameOf),
    })
  }
  for (const { reference } of books.batches)
    if (!told.has(reference)) violations.report(`${reference} exists and was not acknowledged`)
}

type Case = {
  batch: ToldBatch
  row: BookedBatch
  items: BookedItem[]
  paid: BookedPayout[]
  /** The merchant's names of the items that it must contain. */
  names: string[]
}

function compareBatch(comparison: Comparison, given: Case): void {
  const { violations, events } = comparison
  const { batch, row, items, paid, names } = given
  const { reference, merchant, isSubmitted } = batch
  violations.expectEqual(`items of ${reference}`, names.toSorted(), items.map(nameOf).sort())
  const paidNames = paid.map(nameOf)
  if (new Set(paidNames).size !== paidNames.length)
    violations.report(`${reference} paid an item twice: ${paidNames}`)
  for (const payout of paid) comparePaid(comparison, batch, payout)
  if (!isSubmitted && paid.length > 0)
    violations.report(`${reference} was not submitted and paid ${paid.length} items`)
  const allowed = allowedStatuses(given)
  if (!allowed.includes(row.status))
    violations.report(`${reference} is ${row.status}, not ${allowed}`)
  for (const item of items) compareItem(comparison, given, item)
  if (row.status !== 'COMPLETED') return
  events.expect(merchant.environmentId, 'batch.completed', reference)
  compareSums(comparison, given)
  compareShortfall(comparison, given)
}

/** A batch whose total is above the limit of its merchant waits; no member decides about it. */
function allowedStatuses({ batch, items }: Case): string[] {
  const { merchant, asset, isSubmitted, isCancelled } = batch
  if (!isSubmitted) return isCancelled ? ['CANCELLED'] : ['READY', 'INVALID']
  const limit = merchant.approvalLimits.get(asset)
  const payable = sumOf(
    items.filter(({ state }) => state !== 'INVALID'),
    ({ amount }) => amount,
  )
  if (limit !== undefined && payable > limit) return ['EXPIRED']
  return ['COMPLETED']
}

/** A payout of a batch is what the merchant asked for in one of its items. */
function comparePaid(
  { violations, transfers }: Comparison,
  batch: ToldBatch,
  payout: BookedPayout,
) {
  const { reference, amount, fee, asset, environmentId } = payout
  const item = batch.items.find(({ merchantReference }) => merchantReference === nameOf(payout))
  if (!item) {
    violations.report(`${reference} pays ${nameOf(payout)}, which is not in ${batch.reference}`)
    return
  }
  violations.expectEqual(
    `item ${nameOf(payout)} of ${batch.reference}`,
    {
      amount: item.amount,
      fee: transferFee(batch.kind, item.amount, item.recipient),
      asset: batch.asset,
      environmentId: batch.merchant.environmentId,
    },
    { amount, fee, asset, environmentId },
  )
  transfers.expect(reference, {
    asset: batch.asset,
    amount: item.amount,
    recipients: [item.recipient],
  })
}

/** An item ends as its transfer did; one that has no transfer says why, and that can be. */
function compareItem({ violations, statusAtRail }: Comparison, given: Case, item: BookedItem) {
  const { batch, row } = given
  const what = `item ${nameOf(item)} of ${batch.reference}`
  const { state, reason, payout } = item
  if (row.status !== 'COMPLETED') {
    // A batch can be cancelled before its items are checked.
    const allowed = ['VALID', 'INVALID', ...(batch.isCancelled ? ['PENDING'] : [])]
    if (!allowed.includes(state)) violations.report(`${what} is ${state}`)
  } else if (payout !== null) {
    const atRail = statusAtRail(payout)
    const isPaid = atRail === 'COMPLETED' || atRail === 'REVERSED'
    violations.expectEqual(`state of ${what}`, isPaid ? 'COMPLETED' : 'FAILED', state)
  } else if (state === 'FAILED') {
    const allowed = ['insufficient_balance', ...(batch.isCancelled ? ['batch_cancelled'] : [])]
    if (!allowed.includes(reason ?? '')) violations.report(`${what} failed with ${reason}`)
  } else if (state !== 'INVALID') violations.report(`${what} stays ${state}`)
  // Every item can be paid; only a bank that does not answer prevents its check.
  if (state === 'INVALID' && reason !== 'rail_unavailable')
    violations.report(`${what} is invalid: ${reason}`)
}

/** What the merchant was told at the end is what the recipients got. */
function compareSums({ receiver, violations, statusAtRail }: Comparison, { batch, paid }: Case) {
  const arrived = paid.filter(({ reference }) =>
    ['COMPLETED', 'REVERSED'].includes(statusAtRail(reference) ?? ''),
  )
  const told = receiver.findEvent(batch.merchant.webhookUrl, 'batch.completed', batch.reference)
  // A missing event is reported with all events.
  if (!told) return
  violations.expectEqual(
    `sums of ${batch.reference}`,
    {
      count: arrived.length,
      amount: sumOf(arrived, ({ amount }) => amount),
      fee: sumOf(arrived, ({ fee }) => fee),
    },
    {
      count: told.paid.count,
      amount: readAmount(told.paid.amount),
      fee: readAmount(told.paid.fee),
    },
  )
}

/**
 * When a batch is submitted, the balance covers all of it. So an item can fail for lack of money
 * only if the merchant has spent enough elsewhere since.
 */
function compareShortfall({ books, violations }: Comparison, { batch, row, items, paid }: Case) {
  const { merchant, asset, kind, reference } = batch
  const debitOf = ({ amount, recipient }: AskedItem) =>
    amount + transferFee(kind, amount, recipient)
  const debits = new Map(batch.items.map((item) => [item.merchantReference, debitOf(item)]))
  const total = sumOf(
    items.filter(({ state }) => state !== 'INVALID'),
    (item) => debits.get(nameOf(item))!,
  )
  const uncovered = items
    .filter(({ state, payout, reason }) => {
      return state === 'FAILED' && payout === null && reason === 'insufficient_balance'
    })
    .map((item) => debits.get(nameOf(item))!)
  if (uncovered.length === 0) return
  const smallest = uncovered.reduce((least, debit) => (debit < least ? debit : least))
  const from = row.submittedAt!.getTime() - answerDelayMaxMs
  const isMeanwhile = (at: Date) => at.getTime() >= from && at <= row.endedAt!
  const { environmentId } = merchant
  const spent =
    sumOf(
      books.payouts.filter(
        (payout) =>
          payout.environmentId === environmentId &&
          payout.asset === asset &&
          payout.batch !== reference &&
          isMeanwhile(payout.createdAt),
      ),
      ({ amount, fee }) => amount + fee,
    ) +
    sumOf(
      books.conversions.filter(
        (conversion) =>
          conversion.environmentId === environmentId &&
          conversion.source === asset &&
          isMeanwhile(conversion.createdAt),
      ),
      ({ sourceAmount }) => sourceAmount,
    )
  const own = sumOf(paid, ({ amount, fee }) => amount + fee)
  if (spent + own + smallest <= total)
    violations.report(
      `${uncovered.length} items of ${reference} failed for lack of money; the balance covered ` +
        `${total}, of which at most ${spent} was spent elsewhere`,
    )
}

/** The merchant's name of an item, to which retries add a number. */
function nameOf({ merchantReference }: { merchantReference: string | null }): string {
  return (merchantReference ?? '').replace(/\.retry\d+$/, '')
}
