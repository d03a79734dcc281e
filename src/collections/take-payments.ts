import { after } from '../clock.js'
import { emitAll } from '../events/emit.js'
import { newId } from '../ids.js'
import { moveAll } from '../ledger/move.js'
import type { Movement } from '../ledger/movement.js'
import { limits } from '../limits.js'
import { type Asset, assets } from '../money/assets.js'
import type { Tx } from '../postgres/tx.js'
import { Refusal } from '../refusal.js'
import { type Account, isWallet, type Places } from './account.js'
import { feeOf, policyOf, type Rule, type Rules, readRules } from './collection-rules.js'
import { judgePayment, type Verdict } from './judge-payment.js'
import type { Payment } from './payment.js'
import type { Announced, CollectionRail } from './ports.js'
import { destinationOf } from './return-destination.js'
import { lockAccountsByNumber, numberKey, updateAccounts } from './store-accounts.js'
import {
  type JudgedNotice,
  lockNotices,
  type Notice,
  type NoticeName,
  writeJudgements,
} from './store-notices.js'
import { findLatestPayments, insertPayments } from './store-payments.js'
import { insertReturns, newReturn } from './store-returns.js'
import { tellOfPayments } from './tell-of-payments.js'
import { type Change, tellSessions } from './tell-sessions.js'

/** What a payment did: the account as it was left, and its payments until then, newest first. */
export type Taken = { account: Account; payment: Payment; payments: Payment[]; isNowPaid: boolean }

type Context = {
  now: Date
  rails: Map<string, CollectionRail>
  rules: Rules
  /** Each as the payments before left it. */
  accounts: Map<string, Account>
  payments: Map<string, Payment[]>
}

/**
 * Judges what banks announced: books it, changes the account it came to, tells the merchant. What
 * somebody has judged before is left alone. A number that nobody has is looked for again later, for
 * a notice may overtake the account it is about.
 */
export async function takePayments(
  tx: Tx,
  now: Date,
  { names, rails }: { names: NoticeName[]; rails: Map<string, CollectionRail> },
): Promise<void> {
  const notices = await lockNotices(tx, names)
  const sound = notices.filter(({ announced }) => !whyUnsound(announced))
  const accounts = await lockAccountsByNumber(tx, sound.map(toNumber))
  const locked = [...accounts.values()]
  const [rules, payments] = await Promise.all([
    readRules(tx, locked),
    findLatestPayments(
      tx,
      locked.filter(({ amountReceived }) => amountReceived > 0n),
      limits.collections.paymentsShown,
    ),
  ])
  const context = { now, rails, rules, accounts, payments }
  const matched = sound.filter((notice) => isFor(accounts.get(numberKey(toNumber(notice))), notice))
  const ordered = inOrder(context, matched)
  const ids = idsFor(context, ordered)
  const outgrown = new Set<Notice>()
  const taken = ordered.flatMap((notice, index) => {
    if (!outgrows(context, notice)) return [take(context, notice, ids[index]!)]
    outgrown.add(notice)
    return []
  })

  const moved = await moveAll(tx, now, taken.map(toMovement))
  // One that does not fit the books fails its batch, and the lane finds out which: it waits alone.
  if (!moved.every(({ isMoved }) => isMoved)) throw beyondLimit()
  const { happenings, left } = tellOfPayments(taken)
  insertPayments(
    tx,
    left.map(({ payment }) => payment),
  )
  updateAccounts(tx, lastOfEach(left))
  insertReturns(
    tx,
    now,
    taken.flatMap((one) => toReturn(context, one)),
  )
  emitAll(tx, now, happenings)
  await tellSessions(tx, now, changesOf(taken, left))
  writeJudgements(
    tx,
    notices.map((notice) => judgementOf(now, notice, { accounts, outgrown })),
  )
}

/**
 * By when the bank had the money: who paid first must not be the duplicate because the bank told of
 * it last. Those of one environment side by side.
 */
function inOrder({ accounts }: Context, matched: Notice[]): Notice[] {
  const environmentOf = (notice: Notice) => accounts.get(numberKey(toNumber(notice)))!.environmentId
  return matched.toSorted(
    (one, other) =>
      environmentOf(one) - environmentOf(other) ||
      one.announced.receivedAt.getTime() - other.announced.receivedAt.getTime() ||
      (one.id < other.id ? -1 : 1),
  )
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

function take(context: Context, notice: Notice, id: string): Taken {
  const { now, rails, rules, accounts, payments } = context
  const { announced, rail } = notice
  const key = numberKey(toNumber(notice))
  const before = accounts.get(key)!
  const rule = rules.of(before)
  const { amount } = announced
  const receivedAt = timeOf(announced, before, rule)
  const isReturnable = whereBack(announced, rails.get(rail)) !== undefined
  const policy = policyOf(rule, before.kind)
  const verdict = judgePayment(before, { amount, receivedAt, isReturnable }, policy)
  const { isNowPaid } = verdict
  const at = after(now, rule.clockOffsetMs)
  const fee = feeOf(rule, before.kind, verdict.amountAccepted)
  const payment = toPayment(notice, before, { id, verdict, fee, receivedAt, at })
  const account = credited(before, payment, isNowPaid ? at : null)
  const all = [payment, ...(payments.get(account.id) ?? [])]
  payments.set(account.id, all.slice(0, limits.collections.paymentsShown))
  accounts.set(key, account)
  return { account, payment, payments: payments.get(account.id)!, isNowPaid }
}

/** A chain lives in the time of the world, whatever that of the environment is. */
function timeOf({ receivedAt }: Announced, account: Account, { clockOffsetMs }: Rule): Date {
  return isWallet(account) ? after(receivedAt, clockOffsetMs) : receivedAt
}

/** A wallet that sent coins may be an exchange's: they go back only to where somebody says. */
function whereBack(sent: Pick<Announced, 'id' | 'sender'>, rail: CollectionRail | undefined) {
  return rail && destinationOf(sent, rail)
}

type Judgement = { id: string; verdict: Verdict; fee: bigint; receivedAt: Date; at: Date }

/** Field by field: made of several objects it took a twentieth of the time of a notice. */
function toPayment(
  { announced, rail, id: railId }: Notice,
  { environmentId, id: accountId, kind: source }: Account,
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
function credited(account: Account, payment: Payment, paidAt: Date | null): Account {
  if (account.amount === null) return account
  const { variance } = payment
  return {
    ...account,
    ...(paidAt && { status: 'PAID' as const, paidAt }),
    variance: variance === 'NONE' ? account.variance : variance,
    amountReceived: account.amountReceived + payment.amount,
    ...addPlaces(account, payment),
  }
}

export function addPlaces(one: Places, other: Places): Places {
  return {
    amountAccepted: one.amountAccepted + other.amountAccepted,
    amountHeld: one.amountHeld + other.amountHeld,
    amountReturning: one.amountReturning + other.amountReturning,
    amountReturned: one.amountReturned + other.amountReturned,
  }
}

/** What is accepted is the merchant's; all else waits in suspense until it is decided or gone. */
function toMovement({ payment }: Taken): Movement {
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

function toReturn({ rails }: Context, { payment }: Taken) {
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

/** Null where the notice is about money that we keep books in. */
function whyUnsound({ amount, currency }: Announced): string | null {
  if (!(currency in assets)) return anotherCurrency
  if (amount <= 0n) return 'not_positive'
  return amount > limits.money.wireMax ? tooLarge : null
}

const tooLarge = 'too_large'
const anotherCurrency = 'another_currency'

/** Whether the account takes what came: naira at a bank, its own coin, or any coin. */
function isFor(account: Account | undefined, { announced: { currency } }: Notice): boolean {
  if (!account) return false
  return account.asset === null ? currency !== 'NGN' : account.asset === currency
}

/** All that an account received is shown as one number, and numbers end somewhere. */
function outgrows({ accounts }: Context, notice: Notice): boolean {
  const { amount, amountReceived } = accounts.get(numberKey(toNumber(notice)))!
  return amount !== null && amountReceived + notice.announced.amount > limits.money.wireMax
}

function judgementOf(
  now: Date,
  notice: Notice,
  { accounts, outgrown }: { accounts: Map<string, Account>; outgrown: Set<Notice> },
): JudgedNotice {
  const { rail, mode, id, announced, looks } = notice
  const account = accounts.get(numberKey(toNumber(notice)))
  const mismatch = account && !isFor(account, notice) ? anotherCurrency : null
  const reason = outgrown.has(notice) ? tooLarge : (whyUnsound(announced) ?? mismatch)
  const state = reason ? 'REFUSED' : account ? 'TAKEN' : 'UNMATCHED'
  return { rail, mode, id, state, reason, due_at: after(now, waitMs(looks)) }
}

/** Soon at first, when the account may be about to appear; then ever more rarely. */
export function waitMs(looks: number): number {
  const { retryMs, longestRetryMs } = limits.collections
  return Math.min(retryMs * 2 ** Math.min(looks, 20), longestRetryMs)
}

function toNumber({ rail, mode, announced }: Notice) {
  return { rail, mode, number: announced.accountNumber }
}

/** Each account once, as it was left; the payment that paid it is the cause. */
function changesOf(taken: Taken[], left: { account: Account }[]): Change[] {
  const paying = new Map(
    taken.filter(({ isNowPaid }) => isNowPaid).map((one) => [one.account.id, one.payment.id]),
  )
  return lastOfEach(left).map((account) => {
    const causeId = paying.get(account.id)
    return { account, hasNewStatus: causeId !== undefined, causeId: causeId ?? account.id }
  })
}

function lastOfEach(left: { account: Account }[]): Account[] {
  return [...new Map(left.map(({ account }) => [account.id, account])).values()]
}
