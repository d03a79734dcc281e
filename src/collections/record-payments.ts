import { after } from '../base/clock.js'
import { newId } from '../base/ids.js'
import { limits } from '../base/limits.js'
import { Refusal } from '../base/refusal.js'
import { emitAll } from '../events/emit.js'
import { moveAll } from '../ledger/move.js'
import type { Movement } from '../ledger/movement.js'
import type { Asset } from '../money/assets.js'
import { Busy } from '../postgres/busy.js'
import type { Tx } from '../postgres/tx.js'
import { type Amounts, type CollectionAccount, isWallet } from './account.js'
import {
  type CollectionRule,
  type CollectionRules,
  collectionFeeOf,
  offsetAt,
  policyOf,
  readCollectionRules,
} from './collection-rules.js'
import { cancelCounterpart, pairCounterparts, withSessionStatus } from './counterparts.js'
import { judgePayment, type Verdict } from './judge-payment.js'
import {
  acceptsCurrency,
  accountKeyOf,
  accountNumberOf,
  concludeNotice,
  exceedsLimit,
  findDefect,
} from './match-notices.js'
import type { Payment } from './payment.js'
import { type JudgedPayment, toPaymentEvents } from './payment-events.js'
import type { CollectionRail, PaymentNotice } from './ports.js'
import { destinationOf } from './return-destination.js'
import { lockAccountsByNumber, updateCollectionAccounts } from './store-accounts.js'
import {
  lockNotices,
  type Notice,
  type NoticeName,
  noticeKey,
  writeJudgements,
} from './store-notices.js'
import { findLatestPayments, insertPayments } from './store-payments.js'
import { insertReturns, newReturn, type Return } from './store-returns.js'
import { type ChangedAccount, updateSessions } from './update-sessions.js'

/** Judging a notice updates `accounts` and `payments`, for the notices after it. */
type Batch = {
  now: Date
  rails: Map<string, CollectionRail>
  rules: CollectionRules
  /** By `numberKey`. */
  accounts: Map<string, CollectionAccount>
  /** The key of each account's counterpart. */
  counterparts: Map<string, string>
  /** The latest payments by account id, newest first. */
  payments: Map<string, Payment[]>
}

/**
 * Judges notices: books each payment, updates its account and emits its events. Skips notices that
 * were judged before. A notice with an unknown account number is retried later, because it may
 * arrive before the account is committed.
 */
export async function recordPayments(
  tx: Tx,
  now: Date,
  { names, rails }: { names: NoticeName[]; rails: Map<string, CollectionRail> },
): Promise<void> {
  const notices = await lockNotices(tx, names)
  const bookable = notices.filter(({ payment }) => findDefect(payment) === null)
  const accounts = await lockAccountsByNumber(tx, bookable.map(accountNumberOf)).catch(
    rethrowBusy(bookable, accountKeyOf),
  )
  const locked = [...accounts.values()]
  const [rules, payments] = await Promise.all([
    readCollectionRules(tx, locked),
    findLatestPayments(
      tx,
      locked.filter(({ amountReceived }) => amountReceived > 0n),
      limits.collections.paymentsShown,
    ),
  ])
  const counterparts = pairCounterparts(accounts)
  const batch: Batch = { now, rails, rules, accounts, counterparts, payments }
  const matched = bookable.filter((notice) => {
    const account = accounts.get(accountKeyOf(notice))
    return account !== undefined && acceptsCurrency(account, notice)
  })
  const sorted = sortByReceipt(batch, matched)
  const ids = newPaymentIds(batch, sorted)
  const tooLargeNotices = new Set<Notice>()
  const judged: JudgedPayment[] = []
  for (const [index, notice] of sorted.entries()) {
    if (exceedsLimit(accounts.get(accountKeyOf(notice))!, notice)) tooLargeNotices.add(notice)
    else judged.push(judgeNotice(batch, notice, ids[index]!))
  }

  const moved = await moveAll(tx, now, judged.map(toMovement)).catch(
    rethrowBusy(sorted, (notice) => `${accounts.get(accountKeyOf(notice))!.environmentId}`),
  )
  // Fail the batch: the lane splits it until the payment that does not fit the books is alone.
  if (!moved.every(({ isMoved }) => isMoved)) throw balanceLimit()
  const written = toPaymentEvents(judged)
  insertPayments(tx, written.payments)
  updateCollectionAccounts(tx, written.accounts)
  insertReturns(
    tx,
    now,
    judged.flatMap((one) => toReturn(rails, one)),
  )
  emitAll(tx, now, written.events)
  await updateSessions(tx, now, changesOf(judged, written.accounts))
  writeJudgements(
    tx,
    notices.map((notice) => concludeNotice(now, notice, { accounts, tooLargeNotices })),
  )
}

/** Translates `Busy` from rows to the notices that need them: the lane retries only those. */
function rethrowBusy(notices: Notice[], keyOf: (notice: Notice) => string) {
  return (error: unknown): never => {
    if (!(error instanceof Busy)) throw error
    const blocked = notices.filter((notice) => error.waitsFor.has(keyOf(notice)))
    throw new Busy(
      new Map(blocked.map((notice) => [noticeKey(notice), error.waitsFor.get(keyOf(notice))!])),
    )
  }
}

/**
 * Sorts by environment, then by when the rail received the money: the first payment must not become
 * the duplicate because its notice arrived last.
 */
function sortByReceipt({ accounts, rules }: Batch, notices: Notice[]): Notice[] {
  const timed = notices.map((notice) => {
    const account = accounts.get(accountKeyOf(notice))!
    const at = receivedAtOf(notice.payment, account, rules.of(account)).getTime()
    return { notice, environmentId: account.environmentId, at }
  })
  timed.sort(
    (one, other) =>
      one.environmentId - other.environmentId ||
      one.at - other.at ||
      (one.notice.id < other.notice.id ? -1 : 1),
  )
  return timed.map(({ notice }) => notice)
}

/**
 * Ids made within one millisecond are random, and lists sort by id: sort them, so that the payment
 * that is judged last is listed first.
 */
function newPaymentIds({ now, rules, accounts }: Batch, sorted: Notice[]): string[] {
  const ids = sorted.map((notice) => {
    const account = accounts.get(accountKeyOf(notice))!
    const id = newId(after(now, rules.of(account).clockOffsetMs))
    return { environmentId: account.environmentId, id }
  })
  return ids
    .sort((one, other) => one.environmentId - other.environmentId || (one.id < other.id ? -1 : 1))
    .map(({ id }) => id)
}

function judgeNotice(batch: Batch, notice: Notice, id: string): JudgedPayment {
  const { now, rails, rules, accounts, counterparts, payments } = batch
  const key = accountKeyOf(notice)
  const before = accounts.get(key)!
  const counterpartKey = counterparts.get(key) ?? ''
  const counterpart = accounts.get(counterpartKey)
  const rule = rules.of(before)
  const { amount } = notice.payment
  const receivedAt = receivedAtOf(notice.payment, before, rule)
  const isReturnable = findDestination(rails.get(notice.rail), notice.payment) !== undefined
  const verdict = judgePayment(
    withSessionStatus(before, counterpart),
    { amount, receivedAt, isReturnable },
    policyOf(rule, before.kind),
  )
  const { isNowPaid } = verdict
  const at = after(now, rule.clockOffsetMs)
  const fee = collectionFeeOf(rule, before.kind, verdict.amountAccepted)
  const payment = toPayment(notice, before, { id, verdict, fee, receivedAt, at })
  const account = credited(before, payment, isNowPaid ? at : null)
  const cancelled = isNowPaid ? cancelCounterpart(counterpart, at) : undefined

  const latest = [payment, ...(payments.get(account.id) ?? [])]
  payments.set(account.id, latest.slice(0, limits.collections.paymentsShown))
  accounts.set(key, account)
  if (cancelled) accounts.set(counterpartKey, cancelled)
  const withPayments = (one: CollectionAccount) => ({
    account: one,
    payments: payments.get(one.id) ?? [],
  })
  return {
    ...withPayments(account),
    payment,
    isNowPaid,
    cancelled: cancelled && withPayments(cancelled),
  }
}

/** Chains report real time: add what the test clock was ahead at that moment. */
function receivedAtOf(
  { receivedAt }: PaymentNotice,
  account: CollectionAccount,
  rule: CollectionRule,
): Date {
  return isWallet(account) ? after(receivedAt, offsetAt(rule, receivedAt)) : receivedAt
}

function findDestination(
  rail: CollectionRail | undefined,
  payment: Pick<PaymentNotice, 'id' | 'sender'>,
) {
  return rail && destinationOf(payment, rail)
}

type Judgement = { id: string; verdict: Verdict; fee: bigint; receivedAt: Date; at: Date }

/** Written field by field because object spreads cost 5 % of the time per notice. */
function toPayment(
  { payment, rail, id: railId }: Notice,
  { environmentId, id: accountId, kind: source }: CollectionAccount,
  { id, verdict, fee, receivedAt, at }: Judgement,
): Payment {
  return {
    environmentId,
    id,
    accountId,
    source,
    rail,
    railId,
    asset: payment.currency as Asset,
    amount: payment.amount,
    amountAccepted: verdict.amountAccepted,
    amountHeld: verdict.amountHeld,
    amountReturning: verdict.amountReturning,
    amountReturned: verdict.amountReturned,
    fee,
    variance: verdict.variance,
    sender: payment.sender ?? unknownSender,
    sessionId: payment.sessionId,
    narration: payment.narration,
    eventSequence: 0,
    receivedAt,
    createdAt: at,
  }
}

const unknownSender = { name: '', accountNumber: '', bankCode: '', bankName: '' }

/** Only accounts that expect one amount keep sums and a variance. */
function credited(
  account: CollectionAccount,
  payment: Payment,
  paidAt: Date | null,
): CollectionAccount {
  if (account.amount === null) return account
  const { variance } = payment
  return {
    ...account,
    ...(paidAt && { status: 'PAID' as const, paidAt }),
    variance: variance === 'NONE' ? account.variance : variance,
    amountReceived: account.amountReceived + payment.amount,
    ...addAmounts(account, payment),
  }
}

function addAmounts(one: Amounts, other: Amounts): Amounts {
  return {
    amountAccepted: one.amountAccepted + other.amountAccepted,
    amountHeld: one.amountHeld + other.amountHeld,
    amountReturning: one.amountReturning + other.amountReturning,
    amountReturned: one.amountReturned + other.amountReturned,
  }
}

/** Accepted money is the merchant's. The rest is in suspense until accepted or sent back. */
function toMovement({ payment }: JudgedPayment): Movement {
  const { environmentId, asset, id, fee, amountAccepted, amountHeld, amountReturning } = payment
  const undecided = amountHeld + amountReturning
  const debit = asset === 'NGN' ? ('clearing' as const) : ('deposits' as const)
  const lines: Movement['lines'] = [
    { debit, credit: 'available', amount: amountAccepted, purpose: 'payment' },
    { debit, credit: 'suspense', amount: undecided, purpose: 'payment_held' },
    { debit: 'available', credit: 'fees', amount: fee, purpose: 'payment_fee' },
  ]
  const nonZero = lines.filter(({ amount }) => amount > 0n)
  return { environmentId, asset, causeId: id, isHold: false, lines: nonZero }
}

function toReturn(rails: Map<string, CollectionRail>, { payment }: JudgedPayment): Return[] {
  const { amountReturning: amount, createdAt } = payment
  if (amount === 0n) return []
  const destination = findDestination(rails.get(payment.rail), { ...payment, id: payment.railId })
  return [newReturn(createdAt, payment, { amount, destination: destination! })]
}

function balanceLimit(): Refusal {
  return new Refusal('account_action_failed', {
    reason: 'balance_limit',
    message:
      'This payment would exceed the largest balance the ledger can hold. It will be retried.',
  })
}

/** Only a newly paid account changes its session; a cancelled counterpart does not. */
function changesOf(judged: JudgedPayment[], accounts: CollectionAccount[]): ChangedAccount[] {
  const causes = new Map(
    judged.filter(({ isNowPaid }) => isNowPaid).map((one) => [one.account.id, one.payment.id]),
  )
  return accounts.map((account) => {
    const causeId = causes.get(account.id)
    return { account, hasNewStatus: causeId !== undefined, causeId: causeId ?? account.id }
  })
}
