import { after, type RealTime, toEnvironmentTime } from '../../base/clock.js'
import { Refusal } from '../../base/refusal.js'
import { emitAll, type NewEvent } from '../../events/emit.js'
import { DecidedMovements } from '../../ledger/decided-movements.js'
import { accountsOf } from '../../ledger/move.js'
import type { Movement } from '../../ledger/movement.js'
import { getClockOffset } from '../../merchants/environment-clock.js'
import type { Destination } from '../../payouts/ports.js'
import type { Tx } from '../../postgres/transactions/tx.js'
import type { Share } from '../../subaccounts/shares/share.js'
import { toShareMovement } from '../../subaccounts/shares/share-payment.js'
import { findShares, insertShares } from '../../subaccounts/shares/store-shares.js'
import { type CollectionAccount, eventTypeFor, isDedicated } from '../accounts/account.js'
import { endAll } from '../accounts/end-accounts.js'
import { collectionFeeOf, type EnvironmentTerms, readTerms } from '../accounts/environment-terms.js'
import { showAccount, showCredit } from '../accounts/resource.js'
import { collectionLimits } from '../limits.js'
import { findOtherDeposits } from '../notices/find-notices.js'
import { insertReturns, newReturn } from '../returns/store-returns.js'
import { insertDecision, type ScreeningDecision } from '../screening/store-screenings.js'
import { updateSessions } from '../sessions/update-sessions.js'
import { cancelCounterpart, cancelledIfCounterpartPaid, findCounterpart } from './counterparts.js'
import { type PaymentName, paymentId, unknownPayment } from './find-payments.js'
import { isPaidBy } from './judge-payment.js'
import { openSplits } from './open-splits.js'
import { openBooksOf, receiveFor } from './pay-invoices.js'
import { type Payment, paymentReference } from './payment.js'
import { type LockedPayments, lockWithAccounts, shiftPayments } from './shift-payments.js'
import { findLatestPayments } from './store-payments.js'

export async function lockPayment(
  tx: Tx,
  name: PaymentName,
): Promise<LockedPayments & { payment: Payment; account: CollectionAccount }> {
  const { environmentId } = name
  const locked = await lockWithAccounts(tx, [{ environmentId, id: paymentId(name) }])
  const [payment] = locked.payments.values()
  if (!payment) throw unknownPayment(name)
  return { ...locked, payment, account: locked.accounts.get(payment.accountId)! }
}

/**
 * Moves held money to the merchant's balance, less the fee. This can pay the account, which cancels
 * its counterpart.
 */
export async function acceptHeld(
  tx: Tx,
  now: RealTime,
  name: PaymentName,
  decide?: DecideScreened,
): Promise<Payment> {
  const { payment, account, accounts } = await lockPayment(tx, name)
  refuseNotHeld(payment)
  const decision = await decideIfScreened(payment, decide)
  const counterpart = findCounterpart(account, accounts.values())
  const terms = (await readTerms(tx, [account])).of(account)
  const { amountHeld: amount } = payment
  const fee = remainingFee(terms, payment)
  const books = await openBooksOf(tx, [{ payment }])
  const { movements, shares, events } = await accept(tx, payment, {
    fee,
    now: toEnvironmentTime(now, terms.clockOffsetMs),
  })
  receiveFor(
    books,
    { payment, account },
    { amount, now: toEnvironmentTime(now, terms.clockOffsetMs) },
  )
  if (decision) insertDecision(tx, now, { payment, action: acceptanceOf(decision), decision })
  books?.write(now)
  movements.write(now)
  insertShares(
    tx,
    shares.map((share) => ({ share, clockOffsetMs: terms.clockOffsetMs })),
  )
  emitAll(tx, now, events)

  const judged = cancelledIfCounterpartPaid(account, counterpart)
  const isNowPaid = isPaidBy(judged, { amountAccepted: amount })
  const paidAt = toEnvironmentTime(now, terms.clockOffsetMs)
  const charged = { ...payment, fee: payment.fee + fee, heldFor: null }
  const isCredit = isDedicated(account)
  const eventSequence = account.eventSequence + (isNowPaid || isCredit ? 1 : 0)
  const changed: CollectionAccount = {
    ...account,
    eventSequence,
    ...(isNowPaid && { status: 'PAID', paidAt }),
  }
  const locked = {
    payments: new Map([[payment.id, charged]]),
    accounts: new Map([[account.id, changed]]),
  }
  shiftPayments(tx, now, locked, [
    { paymentId: payment.id, amount, from: 'amountHeld', to: 'amountAccepted' },
  ])
  const accepted = locked.payments.get(payment.id)!
  if (isNowPaid) await emitPaid(tx, now, locked.accounts.get(account.id)!, payment)
  const cancelled = isNowPaid ? cancelCounterpart(counterpart, paidAt, 'session_paid') : undefined
  if (cancelled) await endAll(tx, now, [cancelled])
  if (isCredit) await emitCredited(tx, now, changed, accepted)
  return accepted
}

/** Decides the acceptance and its shares. Throws before anything is written. */
async function accept(
  tx: Tx,
  payment: Payment,
  { fee, now }: { fee: bigint; now: Date },
): Promise<{ movements: DecidedMovements; shares: Share[]; events: NewEvent[] }> {
  const splits = await openSplits(tx, [{ payment }])
  const earlier = (payment.splitId && (await findShares(tx, [payment])).get(payment.id)) || []
  const acceptance = toAcceptance(payment, fee)
  const movements = new DecidedMovements(tx, await splits.lock(accountsOf(acceptance)))
  const shares = splits.share(payment, {
    part: Math.max(-1, ...earlier.map(({ part }) => part)) + 1,
    accepted: payment.amountHeld,
    fee,
    earlier: {
      accepted: payment.amountAccepted,
      shares: earlier.map(({ line, amount, takenBack }) => ({ line, amount: amount - takenBack })),
    },
    now,
  })
  if (!movements.move(acceptance).isMoved) throw balanceLimit(payment)
  for (const share of shares)
    if (!movements.move(toShareMovement(movements.book, share)).isMoved) throw balanceLimit(payment)
  return { movements, shares, events: splits.events() }
}

/** Sends held money back to its sender. A worker makes the payout. */
export async function returnHeld(
  tx: Tx,
  now: RealTime,
  { destination, ...name }: PaymentName & { destination: Destination },
  decide?: DecideScreened,
): Promise<Payment> {
  const locked = await lockPayment(tx, name)
  const { payment } = locked
  refuseNotHeld(payment)
  const decision = await decideIfScreened(payment, decide)
  const { amountHeld: amount } = payment
  const at = after(now, await getClockOffset(tx, name.environmentId))
  const returned = newReturn(at, payment, { amount, destination })
  if (decision) insertDecision(tx, now, { payment, action: 'return', decision })
  insertReturns(tx, now, [returned])
  shiftPayments(tx, now, locked, [
    {
      paymentId: payment.id,
      amount,
      from: 'amountHeld',
      to: 'amountReturning',
      event: { type: 'payment.returning', causeId: returned.id },
    },
  ])
  return locked.payments.get(payment.id)!
}

async function emitPaid(
  tx: Tx,
  now: RealTime,
  account: CollectionAccount,
  { id }: Payment,
): Promise<void> {
  const shown = collectionLimits.paymentsShownMax
  const [payments, others] = await Promise.all([
    findLatestPayments(tx, [account], shown),
    findOtherDeposits(tx, [account]),
  ])
  const { environmentId, id: resourceId, eventSequence: sequence } = account
  const type = eventTypeFor(account, 'PAID')!
  const data = showAccount(account, payments.get(account.id)!, others.get(account.id))
  emitAll(tx, now, [{ environmentId, type, resourceId, causeId: id, sequence, data }])
  await updateSessions(tx, now, [{ account, mayEndSession: true, causeId: id }], payments)
}

/**
 * The fee on the whole payment less what was charged before, including for money refunded since.
 * Never more than is accepted now: the merchant may have spent the rest.
 */
function remainingFee(
  terms: EnvironmentTerms,
  { source, amount, amountHeld, fee }: Payment,
): bigint {
  const remaining = collectionFeeOf(terms, source, amount) - fee
  if (remaining <= 0n) return 0n
  return remaining < amountHeld ? remaining : amountHeld
}

async function emitCredited(
  tx: Tx,
  now: RealTime,
  account: CollectionAccount,
  payment: Payment,
): Promise<void> {
  const { environmentId, id: resourceId, eventSequence: sequence } = account
  const type = eventTypeFor(account, 'CREDITED')!
  const others = await findOtherDeposits(tx, [account])
  const data = showCredit(account, payment, others.get(account.id))
  emitAll(tx, now, [{ environmentId, type, resourceId, causeId: payment.id, sequence, data }])
}

function toAcceptance(payment: Payment, fee: bigint): Movement {
  const { environmentId, asset, id, amountHeld: amount } = payment
  const lines: Movement['lines'] = [
    { debit: 'suspense', credit: 'available', amount, purpose: 'payment_accepted' },
    { debit: 'available', credit: 'fees', amount: fee, purpose: 'payment_accepted_fee' },
  ]
  const nonZero = lines.filter((line) => line.amount > 0n)
  return { environmentId, asset, causeId: id, isHold: false, lines: nonZero }
}

/**
 * Says by whose decision a locked payment may go on that is held for screening. It stays held for
 * screening while it is sent back, in case the return fails.
 */
export type DecideScreened = (payment: Payment) => Promise<ScreeningDecision>

export async function decideIfScreened(
  payment: Payment,
  decide: DecideScreened | undefined,
): Promise<ScreeningDecision | undefined> {
  if (payment.heldFor === null) return undefined
  if (!decide) throw heldForScreening(payment)
  return decide(payment)
}

function acceptanceOf({ requestId, operator }: ScreeningDecision): 'accept' | 'clear' {
  return requestId === null && operator === null ? 'clear' : 'accept'
}

export function heldForScreening(payment: Payment): Refusal {
  return new Refusal('payment_action_failed', {
    reason: 'screening',
    message: `${paymentReference(payment)} is held for screening. One member asks to accept or return it, and another one who may decide about payments does so.`,
  })
}

export function refuseNotHeld(payment: Payment): void {
  if (payment.amountHeld === 0n) throw notHeld(payment)
}

export function notHeld(payment: Payment): Refusal {
  return new Refusal('payment_action_failed', {
    reason: 'invalid_state',
    message: `No money of ${paymentReference(payment)} is held, so there is nothing to resolve.`,
  })
}

function balanceLimit(payment: Payment): Refusal {
  return new Refusal('payment_action_failed', {
    reason: 'balance_limit',
    message: `Accepting ${paymentReference(payment)} would exceed the largest balance the ledger can hold.`,
  })
}
