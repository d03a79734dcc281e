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
import type { AccountWithPayments } from './find-accounts.js'
import { judgePayment, type Verdict } from './judge-payment.js'
import { type AccountChange, notifySessions } from './notify-sessions.js'
import type { Payment } from './payment.js'
import { toPaymentEvents } from './payment-events.js'
import type { CollectionRail, PaymentNotice } from './ports.js'
import { destinationOf } from './return-destination.js'
import { isFor, judgementOf, outgrows, toNumber, whyUnsound } from './sort-notices.js'
import { lockAccountsByNumber, numberKey, updateCollectionAccounts } from './store-accounts.js'
import {
  lockNotices,
  type Notice,
  type NoticeName,
  noticeKey,
  writeJudgements,
} from './store-notices.js'
import { findLatestPayments, insertPayments } from './store-payments.js'
import { insertReturns, newReturn } from './store-returns.js'
import { endTwin, pairTwins, withTwinStatus } from './twins.js'

/** What a payment did: the account as it was left, and its payments until then, newest first. */
export type JudgedPayment = AccountWithPayments & {
  payment: Payment
  isNowPaid: boolean
  /** The other account of the session that this paid, where it waited until now. */
  ended: AccountWithPayments | undefined
}

type Context = {
  now: Date
  rails: Map<string, CollectionRail>
  rules: CollectionRules
  /** Each as the payments before left it. */
  accounts: Map<string, CollectionAccount>
  twins: Map<string, string>
  payments: Map<string, Payment[]>
}

/**
 * Judges what banks announced: books it, changes the account it came to, tells the merchant. What
 * somebody has judged before is left alone. A number that nobody has is looked for again later, for
 * a notice may overtake the account it is about.
 */
export async function recordPayments(
  tx: Tx,
  now: Date,
  { names, rails }: { names: NoticeName[]; rails: Map<string, CollectionRail> },
): Promise<void> {
  const notices = await lockNotices(tx, names)
  const sound = notices.filter(({ announced }) => !whyUnsound(announced))
  const accounts = await lockAccountsByNumber(tx, sound.map(toNumber)).catch(
    busyNotices(sound, (notice) => numberKey(toNumber(notice))),
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
  const context = { now, rails, rules, accounts, twins: pairTwins(accounts), payments }
  const matched = sound.filter((notice) => isFor(accounts.get(numberKey(toNumber(notice))), notice))
  const ordered = inOrder(context, matched)
  const ids = idsFor(context, ordered)
  const outgrown = new Set<Notice>()
  const taken = ordered.flatMap((notice, index) => {
    if (!outgrows(accounts, notice)) return [take(context, notice, ids[index]!)]
    outgrown.add(notice)
    return []
  })

  const environmentOf = (notice: Notice) =>
    `${accounts.get(numberKey(toNumber(notice)))!.environmentId}`
  const moved = await moveAll(tx, now, taken.map(toMovement)).catch(
    busyNotices(ordered, environmentOf),
  )
  // One that does not fit the books fails its batch, and the lane finds out which: it waits alone.
  if (!moved.every(({ isMoved }) => isMoved)) throw beyondLimit()
  const { happenings, left } = toPaymentEvents(taken)
  insertPayments(tx, left.payments)
  updateCollectionAccounts(tx, left.accounts)
  insertReturns(
    tx,
    now,
    taken.flatMap((one) => toReturn(context, one)),
  )
  emitAll(tx, now, happenings)
  await notifySessions(tx, now, changesOf(taken, left.accounts))
  writeJudgements(
    tx,
    notices.map((notice) => judgementOf(now, notice, { accounts, outgrown })),
  )
}

/** Says which notices cannot be judged now, where another transaction holds what they need. */
function busyNotices(notices: Notice[], nameOf: (notice: Notice) => string) {
  return (error: unknown): never => {
    if (!(error instanceof Busy)) throw error
    const held = notices.filter((notice) => error.waitsFor.has(nameOf(notice)))
    throw new Busy(
      new Map(held.map((notice) => [noticeKey(notice), error.waitsFor.get(nameOf(notice))!])),
    )
  }
}

/**
 * By when the bank had the money: who paid first must not be the duplicate because the bank told of
 * it last. Those of one environment side by side.
 */
function inOrder({ accounts, rules }: Context, matched: Notice[]): Notice[] {
  const placed = matched.map((notice) => {
    const account = accounts.get(numberKey(toNumber(notice)))!
    const at = timeOf(notice.announced, account, rules.of(account)).getTime()
    return { notice, environmentId: account.environmentId, at }
  })
  placed.sort(
    (one, other) =>
      one.environmentId - other.environmentId ||
      one.at - other.at ||
      (one.notice.id < other.notice.id ? -1 : 1),
  )
  return placed.map(({ notice }) => notice)
}

/** Ids of one moment are random, and lists are sorted by them: what is judged last is newest. */
function idsFor({ now, rules, accounts }: Context, ordered: Notice[]): string[] {
  const ids = ordered.map((notice) => {
    const account = accounts.get(numberKey(toNumber(notice)))!
    const id = newId(after(now, rules.of(account).clockOffsetMs))
    return { environmentId: account.environmentId, id }
  })
  return ids
    .sort((one, other) => one.environmentId - other.environmentId || (one.id < other.id ? -1 : 1))
    .map(({ id }) => id)
}

function take(context: Context, notice: Notice, id: string): JudgedPayment {
  const { now, rails, rules, accounts, twins, payments } = context
  const { announced, rail } = notice
  const key = numberKey(toNumber(notice))
  const before = accounts.get(key)!
  const twinKey = twins.get(key) ?? ''
  const twin = accounts.get(twinKey)
  const rule = rules.of(before)
  const { amount } = announced
  const receivedAt = timeOf(announced, before, rule)
  const isReturnable = whereBack(announced, rails.get(rail)) !== undefined
  const policy = policyOf(rule, before.kind)
  const judged = withTwinStatus(before, twin)
  const verdict = judgePayment(judged, { amount, receivedAt, isReturnable }, policy)
  const { isNowPaid } = verdict
  const at = after(now, rule.clockOffsetMs)
  const fee = collectionFeeOf(rule, before.kind, verdict.amountAccepted)
  const payment = toPayment(notice, before, { id, verdict, fee, receivedAt, at })
  const account = credited(before, payment, isNowPaid ? at : null)
  const ended = isNowPaid ? endTwin(twin, at) : undefined
  const all = [payment, ...(payments.get(account.id) ?? [])]
  payments.set(account.id, all.slice(0, limits.collections.paymentsShown))
  accounts.set(key, account)
  if (ended) accounts.set(twinKey, ended)
  const found = (one: CollectionAccount) => ({ account: one, payments: payments.get(one.id) ?? [] })
  return { ...found(account), payment, isNowPaid, ended: ended && found(ended) }
}

/** A chain lives in the time of the world: what it took is of the time that was here then. */
function timeOf(
  { receivedAt }: PaymentNotice,
  account: CollectionAccount,
  rule: CollectionRule,
): Date {
  return isWallet(account) ? after(receivedAt, offsetAt(rule, receivedAt)) : receivedAt
}

/** A wallet that sent coins may be an exchange's: they go back only to where somebody says. */
function whereBack(sent: Pick<PaymentNotice, 'id' | 'sender'>, rail: CollectionRail | undefined) {
  return rail && destinationOf(sent, rail)
}

type Judgement = { id: string; verdict: Verdict; fee: bigint; receivedAt: Date; at: Date }

/** Field by field: made of several objects it took a twentieth of the time of a notice. */
function toPayment(
  { announced, rail, id: railId }: Notice,
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
    asset: announced.currency as Asset,
    amount: announced.amount,
    amountAccepted: verdict.amountAccepted,
    amountHeld: verdict.amountHeld,
    amountReturning: verdict.amountReturning,
    amountReturned: verdict.amountReturned,
    fee,
    variance: verdict.variance,
    sender: announced.sender ?? nobody,
    sessionId: announced.sessionId,
    narration: announced.narration,
    eventSequence: 0,
    receivedAt,
    createdAt: at,
  }
}

const nobody = { name: '', accountNumber: '', bankCode: '', bankName: '' }

/** Sums and variance are kept by accounts that wait for one amount; others take what comes. */
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

export function addAmounts(one: Amounts, other: Amounts): Amounts {
  return {
    amountAccepted: one.amountAccepted + other.amountAccepted,
    amountHeld: one.amountHeld + other.amountHeld,
    amountReturning: one.amountReturning + other.amountReturning,
    amountReturned: one.amountReturned + other.amountReturned,
  }
}

/** What is accepted is the merchant's; all else waits in suspense until it is decided or gone. */
function toMovement({ payment }: JudgedPayment): Movement {
  const { environmentId, asset, id, fee, amountAccepted, amountHeld, amountReturning } = payment
  const waiting = amountHeld + amountReturning
  const debit = asset === 'NGN' ? ('clearing' as const) : ('deposits' as const)
  const lines: Movement['lines'] = [
    { debit, credit: 'available', amount: amountAccepted, purpose: 'payment' },
    { debit, credit: 'suspense', amount: waiting, purpose: 'payment_held' },
    { debit: 'available', credit: 'fees', amount: fee, purpose: 'payment_fee' },
  ]
  const charged = lines.filter(({ amount }) => amount > 0n)
  return { environmentId, asset, causeId: id, isHold: false, lines: charged }
}

function toReturn({ rails }: Context, { payment }: JudgedPayment) {
  const { amountReturning: amount, createdAt } = payment
  if (amount === 0n) return []
  const destination = whereBack({ ...payment, id: payment.railId }, rails.get(payment.rail))
  return [newReturn(createdAt, payment, { amount, destination: destination! })]
}

function beyondLimit(): Refusal {
  return new Refusal('account_action_failed', {
    reason: 'balance_limit',
    message: 'With this payment the balance would grow beyond what can be written. It waits.',
  })
}

/** The payment that paid an account is the cause. What ends beside it is not told of sessions. */
function changesOf(taken: JudgedPayment[], left: CollectionAccount[]): AccountChange[] {
  const paying = new Map(
    taken.filter(({ isNowPaid }) => isNowPaid).map((one) => [one.account.id, one.payment.id]),
  )
  return left.map((account) => {
    const causeId = paying.get(account.id)
    return { account, hasNewStatus: causeId !== undefined, causeId: causeId ?? account.id }
  })
}
