import type { BookedPayout, BookedSettlement, Books } from './books.js'
import type { ExpectedTransfers } from './expected-transfers.js'
import { bankRecipient } from './expected-transfers.js'
import { dailySettlement, type Merchant } from './merchant.js'
import { fees } from './money.js'
import type { Receiver } from './receiver.js'
import type { Violations } from './violations.js'

/** A settlement on request, as the merchant asked for it. */
export type AskedSettlement = { merchant: Merchant; amount: bigint }

type Comparison = {
  merchants: Merchant[]
  asked: Map<string, AskedSettlement>
  books: Books
  receiver: Receiver
  violations: Violations
  transfers: ExpectedTransfers
}

/** The most that one transfer carries in test mode: ten million naira. */
const largestTransfer = 1_000_000_000n

/** In whole naira, as some providers pay nothing else. */
const stepOfAmounts = 100n

/** Each was asked for, or is due by the schedule of its merchant. */
export function compareSettlements(comparison: Comparison): void {
  const { merchants, asked, books, violations } = comparison
  const byEnvironment = new Map(merchants.map((merchant) => [merchant.environmentId, merchant]))
  const payouts = new Map(books.payouts.map((payout) => [payout.reference, payout]))
  const booked = new Set(books.settlements.map(({ reference }) => reference))
  const lastForTime = new Set<string>()
  for (const settlement of books.settlements) {
    const { reference, environmentId, payout } = settlement
    const merchant = byEnvironment.get(environmentId)!
    const known = asked.get(reference)
    if (known)
      violations.expectEqual(
        `merchant of ${reference}`,
        known.merchant.environmentId,
        environmentId,
      )
    else if (!merchant.hasSchedule || settlement.scheduledFor === null)
      violations.report(`${reference} exists and was not acknowledged`)
    else {
      // What one transfer cannot carry follows in others; the last one is smaller.
      const time = `${environmentId} ${settlement.scheduledFor.toISOString()}`
      const isLast = payouts.get(payout)!.amount < largestTransfer
      if (isLast && lastForTime.has(time))
        violations.report(`${reference} is the second one for ${time}`)
      if (isLast) lastForTime.add(time)
    }
    compareSettlement(comparison, { settlement, merchant, payout: payouts.get(payout)! })
  }
  for (const reference of asked.keys())
    if (!booked.has(reference))
      violations.report(`${reference} was acknowledged and does not exist`)
}

type Case = { settlement: BookedSettlement; merchant: Merchant; payout: BookedPayout }

/** What the merchant asked for, or learned of by an event, is what the bank is to pay to its own account. */
function compareSettlement(comparison: Comparison, { settlement, merchant, payout }: Case): void {
  const { asked, receiver, violations, transfers } = comparison
  const { reference } = settlement
  const told = receiver.findEvent(merchant.webhookUrl, 'settlement.created', reference)
  // A missing event is reported with all events.
  if (!told) return
  const amount = asked.get(reference)?.amount ?? BigInt(told.amount)
  const fee = fees.bankPayout(amount)
  violations.expectEqual(
    `what the merchant learned of ${reference}`,
    { amount, fee, account: merchant.bankAccount, payout: settlement.payout },
    {
      amount: BigInt(told.amount),
      fee: BigInt(told.fee),
      account: bankRecipient(told),
      payout: told.transferReference,
    },
  )
  violations.expectEqual(
    `books of ${reference}`,
    { amount, fee, asset: 'NGN', environmentId: merchant.environmentId },
    {
      amount: payout.amount,
      fee: payout.fee,
      asset: payout.asset,
      environmentId: payout.environmentId,
    },
  )
  transfers.expect(settlement.payout, {
    asset: 'NGN',
    amount,
    recipients: [merchant.bankAccount],
  })
  const { reserve, minimum, utcHour } = dailySettlement
  const left = BigInt(told.report.closing)
  if (merchant.hasSchedule && left < BigInt(reserve))
    violations.report(`${reference} leaves ${left}, less than the reserve`)
  if (settlement.scheduledFor === null) return
  if (amount < BigInt(minimum)) violations.report(`${reference} is smaller than the minimum`)
  const largest = largestSettlement(told)
  if (amount > largest || amount % stepOfAmounts !== 0n)
    violations.report(`${reference} settles ${amount}, where ${largest} is the most`)
  const at = new Date(told.scheduledFor)
  const isOnTime = at.getUTCHours() === utcHour && at.getTime() % 3_600_000 === 0
  if (!isOnTime || settlement.scheduledFor.getTime() !== at.getTime())
    violations.report(`${reference} is for ${told.scheduledFor}, which is not on the schedule`)
}

/**
 * The largest amount in whole naira that the balance above the reserve covers with its fee. The
 * order in which other money moved is unknown outside, so the balance is the one of the report.
 * A settlement is smaller if money came in between the choice of its amount and its commit.
 */
function largestSettlement(told: { amount: number; fee: number; report: { closing: number } }) {
  const before = BigInt(told.report.closing) + BigInt(told.amount) + BigInt(told.fee)
  const budget = before - BigInt(dailySettlement.reserve)
  let amount = budget - (budget % stepOfAmounts)
  while (amount > 0n && amount + fees.bankPayout(amount) > budget) amount -= stepOfAmounts
  return amount < largestTransfer ? amount : largestTransfer
}
