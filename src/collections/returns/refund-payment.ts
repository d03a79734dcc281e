import { type RealTime, toRealTime } from '../../base/clock.js'
import { newId, prefixes, toReference } from '../../base/ids.js'
import { Refusal } from '../../base/refusal.js'
import { spendable } from '../../ledger/accounts.js'
import { listBalancesOf } from '../../ledger/balances.js'
import { DecidedMovements } from '../../ledger/decided-movements.js'
import { mustSubaccountsCover } from '../../merchants/settings/settings.js'
import { formatMoney } from '../../money/amounts.js'
import type { Payout, PayoutStatus } from '../../payouts/payout.js'
import type { Destination, PayoutRail } from '../../payouts/ports.js'
import {
  createPayouts,
  type NewPayout,
  notCovered,
  type Reads,
  readForPayouts,
} from '../../payouts/requests/create-payouts.js'
import { createUnderRule, type RuleRequest } from '../../payouts/requests/create-under-rule.js'
import type { Queryable, Tx } from '../../postgres/transactions/tx.js'
import {
  accountsOfGivingBack,
  decideGivingBack,
  writeGivenBack,
} from '../../subaccounts/shares/give-back.js'
import type { NamedTakeBack } from '../../subaccounts/shares/named-take-back.js'
import { type RefundSplit, toRefundSplits } from '../../subaccounts/shares/refund-splits.js'
import type { TakeBack } from '../../subaccounts/shares/share.js'
import { lockGivingBack, lockSharesOf } from '../../subaccounts/shares/store-shares.js'
import {
  accountsOfTakeBack,
  takeBackShares,
  writeTakenBack,
} from '../../subaccounts/shares/take-back.js'
import { lockSubaccountsById } from '../../subaccounts/store-subaccounts.js'
import type { PaymentName } from '../payments/find-payments.js'
import { takeFromInvoices } from '../payments/pay-invoices.js'
import { type Payment, paymentReference } from '../payments/payment.js'
import { lockPayment, refuseNotHeld } from '../payments/resolve-payment.js'
import { shiftPayments } from '../payments/shift-payments.js'
import { inspectReturns, prepareReturns } from './prepare-returns.js'
import type { Refund } from './store-returns.js'
import { insertReturns, type Return, refundOf } from './store-returns.js'

/** Money of a payment that leaves: a refund, or held money to a destination that a user chose. */
export type PreparedReturn = {
  record: Return
  payout: Payout
  /** Null: it waits for approval, so nothing is signed. */
  signed: NewPayout | null
  /** Null: the approval rule does not apply. */
  rule: RuleRequest | null
  /** What sub-accounts give to a refund; null: in proportion. */
  splits: NamedTakeBack[] | null
}

/** Refuses early, before the rail is queried. `refundPayment` checks both again under locks. */
export async function refuseUnaffordableRefund(
  db: Queryable,
  payment: Payment,
  amount: bigint,
): Promise<void> {
  refuseTooMuch(payment, amount)
  // Sub-accounts pay a part, which only the locked balances show.
  if (payment.splitId !== null) return
  const { environmentId, asset } = payment
  const balances = await listBalancesOf(db, [environmentId])
  const available = balances.find((balance) => balance.asset === asset)?.available ?? 0n
  const uncovered = { asset, amount, fee: 0n, levy: 0n, takesFrom: 'available' } as const
  if (available < amount) throw notCovered(uncovered, { available })
}

type ReturnRequest = {
  amount: bigint
  takesFrom: Return['takesFrom']
  destination: Destination
  /** Of a refund. */
  why?: Pick<Return, 'reason' | 'note'>
  splits: NamedTakeBack[] | null
  /** How far `now` is ahead of real time. */
  clockOffsetMs: number
  rule: RuleRequest | null
  mustWait: boolean
}

/** Has the rail check and prepare the payout, before any money is held. Sends nothing. */
export async function prepareReturn(
  rail: PayoutRail,
  now: Date,
  { environmentId, id: paymentId, asset }: Payment,
  request: ReturnRequest,
): Promise<PreparedReturn> {
  const { amount, takesFrom, destination, why, splits, clockOffsetMs, rule, mustWait } = request
  const record: Return = {
    environmentId,
    id: newId(now),
    paymentId,
    rail: rail.name,
    asset,
    amount,
    takesFrom,
    destination,
    reason: why?.reason ?? null,
    note: why?.note ?? null,
    createdAt: now,
  }
  const returns = [{ ...record, clockOffsetMs }]
  const realNow = toRealTime(now, clockOffsetMs)
  const createdBy = rule && { createdByKey: rule.createdByKey, createdByUser: rule.createdByUser }
  if (mustWait) {
    const [unsigned] = await inspectReturns(rail, realNow, returns, 'price')
    if (unsigned instanceof Refusal) throw asPaymentAction(unsigned)
    return { record, payout: { ...unsigned!, ...createdBy }, signed: null, rule, splits }
  }
  const [prepared] = await prepareReturns(rail, realNow, returns)
  if (prepared instanceof Refusal) throw asPaymentAction(prepared)
  const payout = { ...prepared!.payout, ...createdBy }
  return { record, payout, signed: { ...prepared!, payout }, rule, splits }
}

/** The payment afterwards, and the status of the payout of its money. */
export type ReturnedPayment = {
  payment: Payment & { refund?: Refund }
  status: PayoutStatus
}

/**
 * Sends accepted money back to the payer and keeps the fee. Refuses more than was accepted, and
 * more than is available.
 */
export async function refundPayment(
  tx: Tx,
  now: RealTime,
  { name, refund }: { name: PaymentName; refund: PreparedReturn },
): Promise<ReturnedPayment> {
  const locked = await lockPayment(tx, name)
  refuseTooMuch(locked.payment, refund.record.amount)
  return sendBack(tx, now, locked, refund)
}

/** Sends held money to a destination that the merchant chose. The approval rule applies to it. */
export async function returnElsewhere(
  tx: Tx,
  now: RealTime,
  { name, prepared }: { name: PaymentName; prepared: PreparedReturn },
): Promise<ReturnedPayment> {
  const locked = await lockPayment(tx, name)
  refuseNotHeld(locked.payment)
  if (locked.payment.amountHeld !== prepared.record.amount)
    throw new Refusal('payment_action_failed', {
      reason: 'invalid_state',
      message: `The held amount of ${paymentReference(locked.payment)} has changed. Read the payment, then decide again.`,
    })
  return sendBack(tx, now, locked, prepared)
}

async function sendBack(
  tx: Tx,
  now: RealTime,
  locked: Awaited<ReturnType<typeof lockPayment>>,
  prepared: PreparedReturn,
): Promise<ReturnedPayment> {
  const { record } = prepared
  const isRefund = record.takesFrom === 'available'
  const books = isRefund
    ? await takeFromInvoices(tx, locked.payment, {
        returnId: record.id,
        amount: record.amount,
        now: record.createdAt,
      })
    : undefined
  const isSplit = isRefund && locked.payment.splitId !== null
  const { status, splits } = isSplit
    ? await takeBackAndPay(tx, now, locked.payment, prepared)
    : { status: await createPayout(tx, now, prepared), splits: undefined }
  books?.write(now)
  insertReturns(tx, now, [record], { hasPayout: true })
  shiftPayments(tx, now, locked, [
    {
      paymentId: record.paymentId,
      amount: record.amount,
      from: record.takesFrom === 'available' ? 'amountAccepted' : 'amountHeld',
      to: 'amountReturning',
      event: { type: 'payment.returning', causeId: record.id, ...refundOf(record) },
    },
  ])
  const { refund } = refundOf(record)
  const payment = locked.payments.get(record.paymentId)!
  return { payment: refund ? { ...payment, refund: { ...refund, splits } } : payment, status }
}

async function createPayout(
  tx: Tx,
  now: RealTime,
  { payout, signed, rule }: PreparedReturn,
  reads?: Reads,
): Promise<PayoutStatus> {
  if (rule) return (await createUnderRule(tx, now, { payout, signed }, rule, reads)).payout.status
  const [created] = await createPayouts(tx, now, [signed!], reads && Promise.resolve(reads))
  if (created instanceof Refusal) throw created
  return created!.status
}

/**
 * Takes the parts of the refund back from the sub-accounts first, so that they pay for it. What an
 * earlier refund took and a worker has yet to give back is given back before.
 */
async function takeBackAndPay(
  tx: Tx,
  now: RealTime,
  { environmentId, asset, id, amountAccepted }: Payment,
  prepared: PreparedReturn,
): Promise<{ status: PayoutStatus; splits: RefundSplit[] }> {
  const { record, payout } = prepared
  const all = await lockSharesOf(tx, { environmentId, id })
  const subaccounts = await lockSubaccountsById(
    tx,
    environmentId,
    all.map(({ subaccountId }) => subaccountId),
  )
  const givingBack = await lockGivingBack(tx, all)
  const closed = subaccounts.filter(({ status }) => status === 'CLOSED')
  const closedIds = new Set(closed.map((subaccount) => subaccount.id))
  const balance = { environmentId, asset, name: 'available' } as const
  const reads = await readForPayouts(
    tx,
    [{ payout }],
    [balance, ...accountsOfTakeBack(all), ...accountsOfGivingBack(givingBack)],
  )
  const movements = new DecidedMovements(tx, reads.book)
  const findAvailable = () => ({ available: spendable(reads.book.find(balance)!) })
  const givenBack = decideGivingBack(movements, {
    shares: all,
    takeBacks: givingBack,
    closedIds,
  })
  if (!givenBack) throw notCovered(payout, findAvailable())
  const taken = takeBackShares(movements, {
    returnId: record.id,
    accepted: amountAccepted,
    amount: record.amount,
    shares: givenBack.shares,
    subaccounts,
    named: prepared.splits,
    now: record.createdAt,
  })
  // Nothing is written yet, so this can be refused.
  const short = taken.takeBacks.filter(({ owed }) => owed > 0n)
  if (short.length > 0 && (await mustSubaccountsCover(tx, environmentId)))
    throw subaccountsNotCovered(prepared, short)
  const { available } = findAvailable()
  if (available < record.amount) throw notCovered(payout, { available })
  writeGivenBack(tx, givenBack)
  await writeTakenBack(tx, now, taken, subaccounts)
  const status = await createPayout(tx, now, prepared, reads)
  return { status, splits: toRefundSplits(taken.takeBacks) }
}

function subaccountsNotCovered({ splits }: PreparedReturn, short: TakeBack[]): Refusal {
  const details = toRefundSplits(short).map(({ subaccountId, asset, owed }) => {
    const line = splits?.findIndex((split) => split.subaccountId === subaccountId)
    const name = toReference(prefixes.subaccount, subaccountId)
    return {
      field: line === undefined ? 'amount' : `splits.${line}.amount`,
      issue: `needs ${formatMoney(owed, asset)} more than ${name} has`,
    }
  })
  const needs = details.map(({ field, issue }) => `${field} ${issue}`).join('; ')
  return new Refusal('payment_action_failed', {
    reason: 'subaccount_not_covered',
    message: `${needs}. Your settings require that sub-accounts cover refunds.`,
    details,
  })
}

function refuseTooMuch(payment: Payment, amount: bigint): void {
  if (payment.amountAccepted === 0n)
    throw new Refusal('payment_action_failed', {
      reason: 'invalid_state',
      message: `No money of ${paymentReference(payment)} was accepted, so there is nothing to refund.`,
    })
  if (amount <= payment.amountAccepted) return
  const { asset, amountAccepted } = payment
  throw new Refusal('payment_action_failed', {
    reason: 'amount_too_large',
    message: `At most ${formatMoney(amountAccepted, asset)} of ${paymentReference(payment)} can be refunded, not ${formatMoney(amount, asset)}.`,
  })
}

/** Refusals of a payout rail, under the code of the payment operation. */
export function asPaymentAction(refusal: Refusal): Refusal {
  return refusal.code === 'validation_failed' ? refusal : refusal.under('payment_action_failed')
}
