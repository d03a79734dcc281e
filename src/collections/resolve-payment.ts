import { after } from '../base/clock.js'
import { limits } from '../base/limits.js'
import { Refusal } from '../base/refusal.js'
import { emitAll } from '../events/emit.js'
import { moveAll } from '../ledger/move.js'
import type { Movement } from '../ledger/movement.js'
import { getClockOffset } from '../merchants/environment-clock.js'
import type { Destination } from '../payouts/ports.js'
import type { Tx } from '../postgres/tx.js'
import { showAccount, showCredit } from '../resources/collection-account.js'
import { type CollectionAccount, eventOf, isDedicated } from './account.js'
import { type CollectionRule, collectionFeeOf, readCollectionRules } from './collection-rules.js'
import { endAll } from './end-accounts.js'
import { type PaymentName, paymentId, unknownPayment } from './find-payments.js'
import { isPaidBy } from './judge-payment.js'
import { notifySessions } from './notify-sessions.js'
import { type Payment, paymentReference } from './payment.js'
import { type LockedPayments, lockWithAccounts, shiftPayments } from './shift-payments.js'
import { findLatestPayments } from './store-payments.js'
import { insertReturns, newReturn } from './store-returns.js'
import { endTwin, twinOf, withTwinStatus } from './twins.js'

/** Locks a payment of this environment with the account that it came to. */
export async function lockOne(
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
 * Held money becomes the merchant's, less the fee; it pays an account that still waits, and then
 * the other one of its session waits no more.
 */
export async function acceptHeld(tx: Tx, now: Date, name: PaymentName): Promise<Payment> {
  const { payment, account, accounts } = await lockOne(tx, name)
  refuseNotHeld(payment)
  const twin = twinOf(account, accounts.values())
  const rule = (await readCollectionRules(tx, [account])).of(account)
  const { amountHeld: amount } = payment
  const fee = feeLeft(rule, payment)
  const [moved] = await moveAll(tx, now, [toAcceptance(payment, fee)])
  if (!moved!.isMoved) throw beyondLimit(payment)

  const isNowPaid = isPaidBy(withTwinStatus(account, twin), { amountAccepted: amount })
  const paidAt = after(now, rule.clockOffsetMs)
  const charged = { ...payment, fee: payment.fee + fee }
  const isCredit = isDedicated(account)
  const eventSequence = account.eventSequence + (isNowPaid || isCredit ? 1 : 0)
  const told = { ...account, eventSequence }
  const paid = isNowPaid ? { ...told, status: 'PAID' as const, paidAt } : told
  const locked = {
    payments: new Map([[payment.id, charged]]),
    accounts: new Map([[account.id, paid]]),
  }
  const shift = { from: 'amountHeld' as const, to: 'amountAccepted' as const }
  shiftPayments(tx, now, locked, [{ paymentId: payment.id, amount, ...shift }])
  const accepted = locked.payments.get(payment.id)!
  if (isNowPaid) await tellPaid(tx, now, locked.accounts.get(account.id)!, payment)
  const beside = isNowPaid ? endTwin(twin, paidAt) : undefined
  if (beside) await endAll(tx, now, [beside])
  if (isCredit) tellCredit(tx, now, paid, accepted)
  return accepted
}

/** Held money goes back, to the sender or to where the merchant says. */
export async function returnHeld(
  tx: Tx,
  now: Date,
  { destination, ...name }: PaymentName & { destination: Destination },
): Promise<Payment> {
  const locked = await lockOne(tx, name)
  const { payment } = locked
  refuseNotHeld(payment)
  const { amountHeld: amount } = payment
  const at = after(now, await getClockOffset(tx, name.environmentId))
  const returned = newReturn(at, payment, { amount, destination })
  insertReturns(tx, now, [returned])
  const told = { type: 'payment.returning' as const, causeId: returned.id }
  const shift = { from: 'amountHeld' as const, to: 'amountReturning' as const, told }
  shiftPayments(tx, now, locked, [{ paymentId: payment.id, amount, ...shift }])
  return locked.payments.get(payment.id)!
}

async function tellPaid(
  tx: Tx,
  now: Date,
  account: CollectionAccount,
  { id }: Payment,
): Promise<void> {
  const shown = limits.collections.paymentsShown
  const payments = await findLatestPayments(tx, [account], shown)
  const { environmentId, id: resourceId, eventSequence: sequence } = account
  const type = eventOf(account, 'PAID')!
  const data = showAccount(account, payments.get(account.id)!)
  emitAll(tx, now, [{ environmentId, type, resourceId, causeId: id, sequence, data }])
  await notifySessions(tx, now, [{ account, hasNewStatus: true, causeId: id }])
}

/**
 * What the whole payment costs, less what was charged before, also for what was refunded since. Of
 * the money that is accepted now and no other: the merchant may have spent the rest.
 */
function feeLeft(rule: CollectionRule, { source, amount, amountHeld, fee }: Payment): bigint {
  const left = collectionFeeOf(rule, source, amount) - fee
  if (left <= 0n) return 0n
  return left < amountHeld ? left : amountHeld
}

function tellCredit(tx: Tx, now: Date, account: CollectionAccount, payment: Payment): void {
  const { environmentId, id: resourceId, eventSequence: sequence } = account
  const type = eventOf(account, 'CREDITED')!
  const data = showCredit(account, payment)
  emitAll(tx, now, [{ environmentId, type, resourceId, causeId: payment.id, sequence, data }])
}

function toAcceptance(payment: Payment, fee: bigint): Movement {
  const { environmentId, asset, id, amountHeld: amount } = payment
  const lines: Movement['lines'] = [
    { debit: 'suspense', credit: 'available', amount, purpose: 'payment_accepted' },
    { debit: 'available', credit: 'fees', amount: fee, purpose: 'payment_accepted_fee' },
  ]
  const charged = lines.filter((line) => line.amount > 0n)
  return { environmentId, asset, causeId: id, isHold: false, lines: charged }
}

function refuseNotHeld(payment: Payment): void {
  if (payment.amountHeld > 0n) return
  throw new Refusal('payment_action_failed', {
    reason: 'invalid_state',
    message: `Nothing of ${paymentReference(payment)} is held, so there is nothing to resolve.`,
  })
}

function beyondLimit(payment: Payment): Refusal {
  return new Refusal('payment_action_failed', {
    reason: 'balance_limit',
    message: `With ${paymentReference(payment)} the balance would grow beyond what can be written.`,
  })
}
