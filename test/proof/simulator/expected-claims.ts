import type { BookedClaim, BookedPayout, Books } from './books.js'
import type { ExpectedEvents } from './expected-events.js'
import type { ExpectedTransfers } from './expected-transfers.js'
import { groupBy } from './group-by.js'
import type { Merchant } from './merchant.js'
import { fees } from './money.js'
import type { Purse, RailStatus } from './oracle.js'
import type { Violations } from './violations.js'
import type { VirtualTime } from './virtual-time.js'

export type ToldClaim = {
  merchant: Merchant
  reference: string
  amount: bigint
  feeMax: bigint
  expiresAt: Date
  isCancelled: boolean
  /** Accounts for which recipients claimed it. */
  recipients: string[]
}

type Comparison = {
  told: Map<string, ToldClaim>
  books: Books
  /** Adds what open claims set aside. */
  aside: Purse
  events: ExpectedEvents
  transfers: ExpectedTransfers
  violations: Violations
  time: VirtualTime
  statusAtRail: (reference: string) => RailStatus | undefined
}

const claimPattern = /^(clm_\w+?)(?:-\d+)?$/

/** The claim that a payout pays, by its reference among the merchant's. */
export function claimPaidBy({ merchantReference }: BookedPayout): string | undefined {
  return claimPattern.exec(merchantReference ?? '')?.[1]
}

/** Every claim is paid once at most, to an account that was named, and else its money is kept. */
export function compareClaims(comparison: Comparison): void {
  const { told, books, violations } = comparison
  const paying = books.payouts.filter((payout) => claimPaidBy(payout) !== undefined)
  const payouts = groupBy(paying, (payout) => claimPaidBy(payout)!)
  const booked = new Map(books.claims.map((claim) => [claim.reference, claim]))
  for (const reference of [...booked.keys(), ...payouts.keys()])
    if (!told.has(reference)) violations.report(`${reference} exists and was not acknowledged`)
  for (const claim of told.values()) {
    const row = booked.get(claim.reference)
    if (row) compareClaim(comparison, claim, row, payouts.get(claim.reference) ?? [])
    else violations.report(`${claim.reference} was acknowledged and does not exist`)
  }
}

function compareClaim(
  comparison: Comparison,
  told: ToldClaim,
  booked: BookedClaim,
  payouts: BookedPayout[],
): void {
  const { aside, events, transfers, violations, time, statusAtRail } = comparison
  const { merchant, reference, amount, feeMax } = told
  const { environmentId } = merchant
  const fee = fees.bankPayout(amount)
  for (const payout of payouts) {
    const expected = { environmentId, asset: 'NGN', amount, fee }
    violations.expectEqual(`books of ${payout.reference}`, expected, {
      environmentId: payout.environmentId,
      asset: payout.asset,
      amount: payout.amount,
      fee: payout.fee,
    })
    transfers.expect(payout.reference, { asset: 'NGN', amount, recipients: told.recipients })
  }
  const failed = payouts.filter(({ reference: paying }) => {
    return (statusAtRail(paying) ?? 'FAILED') === 'FAILED'
  }).length
  const isPaid = payouts.length > failed
  if (payouts.length > failed + 1)
    violations.report(`${reference} was paid ${payouts.length - failed} times`)
  const isOver = told.expiresAt.getTime() <= time.nowMs
  const allowed = isPaid
    ? ['CLAIMED']
    : told.isCancelled
      ? ['CANCELLED']
      : isOver
        ? ['EXPIRED', 'OPEN']
        : ['OPEN']
  if (isPaid && told.isCancelled) violations.report(`${reference} was paid after it was cancelled`)
  if (!allowed.includes(booked.status))
    violations.report(`${reference} is ${booked.status}, not ${allowed}`)
  const isOpen = booked.status === 'OPEN'
  const held = amount + (failed > 0 ? fee : feeMax)
  violations.expectEqual(`hold of ${reference}`, isOpen ? held : null, booked.held)
  if (isOpen) aside.add(environmentId, 'NGN', held)
  events.expect(environmentId, 'claim.created', reference)
  events.expect(environmentId, 'claim.claimed', reference, payouts.length)
  // One that fails when its time is over ends it.
  const hasExpired = booked.status === 'EXPIRED'
  events.expectBetween(environmentId, `claim.reopened ${reference}`, {
    least: hasExpired ? Math.max(0, failed - 1) : failed,
    most: failed,
  })
  if (hasExpired) events.expect(environmentId, 'claim.expired', reference)
  if (booked.status === 'CANCELLED') events.expect(environmentId, 'claim.cancelled', reference)
}
