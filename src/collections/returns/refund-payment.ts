import { type RealTime, toRealTime } from '../../base/clock.js'
import { newId, prefixes, toReference } from '../../base/ids.js'
import { Refusal } from '../../base/refusal.js'
import { spendable } from '../../ledger/accounts.js'
import { listBalancesOf } from '../../ledger/balances.js'
import { DecidedMovements } from '../../ledger/decided-movements.js'
import { lockLedgerAccounts } from '../../ledger/lock-accounts.js'
import { accountsOf } from '../../ledger/move.js'
import { writeBook } from '../../ledger/write-book.js'
import { mustSubaccountsCover } from '../../merchants/settings/settings.js'
import { formatMoney } from '../../money/amounts.js'
import type { ClaimStatus } from '../../payouts/claims/claim.js'
import {
  createClaim,
  type NewClaim,
  type PreparedClaim,
  prepareClaim,
} from '../../payouts/claims/create-claim.js'
import { toClaimMovement } from '../../payouts/claims/hold-claims.js'
import type { RuleRequest } from '../../payouts/controls/find-wait.js'
import { refuseFrozen } from '../../payouts/freezes/find-frozen.js'
import type { Payout, PayoutStatus } from '../../payouts/payout.js'
import type { Destination, PayoutRail } from '../../payouts/ports.js'
import {
  createPayouts,
  type NewPayout,
  notCovered,
  type Reads,
  readForPayouts,
} from '../../payouts/requests/create-payouts.js'
import { createUnderRule } from '../../payouts/requests/create-under-rule.js'
import type { PayoutCreator } from '../../payouts/requests/creators.js'
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
import {
  type DecideScreened,
  decideIfScreened,
  lockPayment,
  refuseNotHeld,
} from '../payments/resolve-payment.js'
import { shiftPayments } from '../payments/shift-payments.js'
import { insertDecision } from '../screening/store-screenings.js'
import { inspectReturns, prepareReturns } from './prepare-returns.js'
import type { Refund } from './store-returns.js'
import { insertReturns, type Return, refundOf } from './store-returns.js'

/** Money of a payment that leaves: a refund, or held money that does not go to its sender. */
export type PreparedReturn = {
  record: Return
  /** What sub-accounts give to a refund; null: in proportion. */
  splits: NamedTakeBack[] | null
  carrier: PayoutCarrier | PreparedClaim
}

/** To a destination that is known. */
export type PayoutCarrier = {
  payout: Payout
  /** Null: it waits for approval, so nothing is signed. */
  signed: NewPayout | null
  /** Null: the approval rule does not apply. */
  rule: RuleRequest | null
  /** Its payout does not always name them, but a freeze of them concerns it. */
  requestedBy: PayoutCreator
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

export type ReturnRequest = {
  amount: bigint
  takesFrom: Return['takesFrom']
  /** Of a refund. */
  why?: Pick<Return, 'reason' | 'note'>
  splits: NamedTakeBack[] | null
}

type DirectRequest = ReturnRequest & {
  destination: Destination
  /** How far `now` is ahead of real time. */
  clockOffsetMs: number
  rule: RuleRequest | null
  mustWait: boolean
  creator: PayoutCreator
  /** Undefined: nothing is screened. */
  screen: ((payout: Payout) => Promise<Payout>) | undefined
}

/** Has the rail check and prepare the payout, before any money is held. Sends nothing. */
export async function prepareReturn(
  rail: PayoutRail,
  now: Date,
  payment: Payment,
  request: DirectRequest,
): Promise<PreparedReturn & { carrier: PayoutCarrier }> {
  const { destination, splits, clockOffsetMs, rule, mustWait } = request
  const record = { ...toRecord(now, payment, request), destination, claimId: null }
  const returns = [{ ...record, clockOffsetMs }]
  const realNow = toRealTime(now, clockOffsetMs)
  const { creator, screen = async (unscreened: Payout) => unscreened } = request
  if (mustWait) {
    const [unsigned] = await inspectReturns(rail, realNow, returns, 'price')
    if (unsigned instanceof Refusal) throw asPaymentAction(unsigned)
    const payout = await screen({ ...unsigned!, ...(rule && creator) })
    return { record, splits, carrier: { payout, signed: null, rule, requestedBy: creator } }
  }
  const [prepared] = await prepareReturns(rail, realNow, returns)
  if (prepared instanceof Refusal) throw asPaymentAction(prepared)
  const unmarked = await screen({ ...prepared!.payout, ...(rule && creator) })
  // Members who approve it must not be those who asked for it.
  const payout = unmarked.screeningHold ? { ...unmarked, ...creator } : unmarked
  return {
    record,
    splits,
    carrier: { payout, signed: { ...prepared!, payout }, rule, requestedBy: creator },
  }
}

function toRecord(
  now: Date,
  { environmentId, id: paymentId, rail, asset }: Payment,
  { amount, takesFrom, why }: ReturnRequest,
) {
  return {
    environmentId,
    id: newId(now),
    paymentId,
    rail,
    asset,
    amount,
    takesFrom,
    reason: why?.reason ?? null,
    note: why?.note ?? null,
    createdAt: now,
  }
}

/** What the merchant says about a claim that returns money of a payment. */
export type ClaimTerms = Omit<
  NewClaim,
  'environmentId' | 'asset' | 'amount' | 'feeMax' | 'paymentId' | 'rail' | 'takesFrom'
>

/** The payer names the destination later, on the page of the claim. Returns are free. */
export function prepareReturnByClaim(
  now: Date,
  payment: Payment,
  request: ReturnRequest & { terms: ClaimTerms; token: string },
): PreparedReturn & { carrier: PreparedClaim } {
  const { terms, token, amount, takesFrom, splits } = request
  const { environmentId, id: paymentId, asset, rail } = payment
  const returned = { environmentId, asset, amount, feeMax: 0n, paymentId, rail, takesFrom }
  const carrier = prepareClaim(now, { ...terms, ...returned }, token)
  const claimId = carrier.claim.id
  const record = { ...toRecord(now, payment, request), destination: null, claimId }
  return { record, splits, carrier }
}

/** The payout or claim of the money of a payment. */
type Carried = {
  status: PayoutStatus | ClaimStatus
  approval?: Payout['approval'] | undefined
}

/** The payment afterwards, and what carries its money. */
export type ReturnedPayment = { payment: Payment & { refund?: Refund } } & Carried

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

/**
 * Sends held money to a destination that the merchant chose, or has its payer claim it. The
 * approval rule applies to it; to a claim when it is claimed.
 */
export async function returnElsewhere(
  tx: Tx,
  now: RealTime,
  { name, prepared }: { name: PaymentName; prepared: PreparedReturn },
  decide?: DecideScreened,
): Promise<ReturnedPayment> {
  const locked = await lockPayment(tx, name)
  refuseNotHeld(locked.payment)
  if (locked.payment.amountHeld !== prepared.record.amount)
    throw new Refusal('payment_action_failed', {
      reason: 'invalid_state',
      message: `The held amount of ${paymentReference(locked.payment)} has changed. Read the payment, then decide again.`,
    })
  const decision = await decideIfScreened(locked.payment, decide)
  const returned = await sendBack(tx, now, locked, prepared)
  if (decision) insertDecision(tx, now, { payment: locked.payment, action: 'return', decision })
  return returned
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
  const { carried, splits } = isSplit
    ? await takeBackAndPay(tx, now, locked.payment, prepared)
    : { carried: await carry(tx, now, prepared), splits: undefined }
  books?.write(now)
  insertReturns(tx, now, [record], { isSent: true })
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
  return {
    payment: refund ? { ...payment, refund: { ...refund, splits } } : payment,
    status: carried.status,
    approval: carried.approval,
  }
}

async function carry(tx: Tx, now: RealTime, { carrier }: PreparedReturn): Promise<Carried> {
  if ('payout' in carrier) return createPayout(tx, now, carrier)
  const { status } = await createClaim(tx, now, carrier)
  return { status }
}

async function createPayout(
  tx: Tx,
  now: RealTime,
  { payout, signed, rule, requestedBy }: PayoutCarrier,
  locked?: Reads,
): Promise<Payout> {
  const { environmentId, asset, amount, createdByKey, createdByUser, createdAt: at } = payout
  const ownRule = { environmentId, asset, amount, createdByKey, createdByUser, at }
  const applied = rule ?? (payout.screeningHold ? ownRule : null)
  if (applied) {
    const created = createUnderRule(tx, now, { payout, signed }, applied, locked)
    return (await created.catch(throwAsReturn)).payout
  }
  const reads = locked ?? (await readForPayouts(tx, [{ payout }]))
  await refuseFrozen(tx, { ...payout, ...requestedBy })
  const [created] = await createPayouts(tx, now, [signed!], Promise.resolve(reads))
  if (created instanceof Refusal) throw created
  return created!
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
): Promise<{ carried: Carried; splits: RefundSplit[] }> {
  const { record, carrier } = prepared
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
  const claimed = 'claim' in carrier ? accountsOf(toClaimMovement(carrier.claim, carrier.hold)) : []
  const accounts = [balance, ...accountsOfTakeBack(all), ...accountsOfGivingBack(givingBack)]
  const reads = 'payout' in carrier ? await readForPayouts(tx, [carrier], accounts) : undefined
  const book = reads?.book ?? (await lockLedgerAccounts(tx, [...claimed, ...accounts]))
  if ('payout' in carrier) await refuseFrozen(tx, { ...carrier.payout, ...carrier.requestedBy })
  const movements = new DecidedMovements(tx, book)
  const uncovered = { ...record, fee: 0n, levy: 0n }
  const findAvailable = () => ({ available: spendable(book.find(balance)!) })
  const givenBack = decideGivingBack(movements, {
    shares: all,
    takeBacks: givingBack,
    closedIds,
  })
  if (!givenBack) throw notCovered(uncovered, findAvailable())
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
  if (available < record.amount) throw notCovered(uncovered, { available })
  // Before anything else is written: it may refuse, and its transfer is written with the others.
  if ('claim' in carrier) await createClaim(tx, now, carrier, movements)
  writeGivenBack(tx, givenBack)
  await writeTakenBack(tx, now, taken, subaccounts)
  const splits = toRefundSplits(taken.takeBacks)
  if ('payout' in carrier) return { carried: await createPayout(tx, now, carrier, reads), splits }
  writeBook(tx, book)
  return { carried: { status: carrier.claim.status }, splits }
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

/** For `catch`: controls refuse a return as they refuse a transfer. */
export function throwAsReturn(error: unknown): never {
  const isOfTransfer =
    error instanceof Refusal &&
    (error.code === 'bank_transfer_failed' || error.code === 'crypto_transfer_failed')
  throw isOfTransfer ? asPaymentAction(error) : error
}

/** Refusals of a payout rail, under the code of the payment operation. */
export function asPaymentAction(refusal: Refusal): Refusal {
  return refusal.code === 'validation_failed' ? refusal : refusal.under('payment_action_failed')
}
