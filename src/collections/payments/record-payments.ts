import { after, type RealTime, toEnvironmentTime } from '../../base/clock.js'
import { newId } from '../../base/ids.js'
import { Refusal } from '../../base/refusal.js'
import { emitAll } from '../../events/emit.js'
import { DecidedMovements } from '../../ledger/decided-movements.js'
import { accountsOf } from '../../ledger/move.js'
import type { Movement } from '../../ledger/movement.js'
import type { Asset } from '../../money/assets.js'
import { type ProviderFee, recordProviderFees } from '../../payouts/provider-fees.js'
import { environmentKey, renameBusy } from '../../postgres/transactions/busy.js'
import type { Tx } from '../../postgres/transactions/tx.js'
import type { Screening } from '../../screening/ports.js'
import { toShareMovement } from '../../subaccounts/shares/share-payment.js'
import { insertShares, type NewShare } from '../../subaccounts/shares/store-shares.js'
import { type CollectionAccount, isWallet } from '../accounts/account.js'
import {
  collectionFeeOf,
  type EnvironmentTerms,
  offsetAt,
  policyOf,
  readTerms,
  type TermsByEnvironment,
  type TermsReader,
} from '../accounts/environment-terms.js'
import {
  lockByRailAccount,
  type RailAccountKey,
  updateCollectionAccounts,
} from '../accounts/store-accounts.js'
import { collectionLimits } from '../limits.js'
import { findOtherDeposits, withRefused } from '../notices/find-notices.js'
import {
  acceptsCurrency,
  accountKeyOf,
  concludeNotice,
  exceedsLimit,
  findDefect,
  railAccountOf,
} from '../notices/match-notices.js'
import type { NoticeDefect } from '../notices/store-notices.js'
import {
  findStoredNotices,
  insertJudgedNotices,
  lockNotices,
  type NewNotice,
  type Notice,
  type NoticeConclusion,
  type NoticeKey,
  type NoticeName,
  noticeKey,
  type StorableNotice,
  toStorable,
  updateNotices,
} from '../notices/store-notices.js'
import type { CollectionRail, ReportedPayment } from '../ports.js'
import { destinationOf } from '../returns/return-destination.js'
import { insertReturns, newReturn, type Return } from '../returns/store-returns.js'
import { type HoldingVerdict, screenNotice } from '../screening/screen-senders.js'
import { insertScreenings } from '../screening/store-screenings.js'
import { type ChangedAccount, updateSessions } from '../sessions/update-sessions.js'
import { cancelCounterpart, cancelledIfCounterpartPaid, pairCounterparts } from './counterparts.js'
import { judgePayment, type Verdict } from './judge-payment.js'
import { openSplits } from './open-splits.js'
import { openBooksOf, receiveFor } from './pay-invoices.js'
import type { Payment } from './payment.js'
import { type JudgedPayment, sequencePaymentEvents } from './payment-events.js'
import { findLatestPayments, insertPayments } from './store-payments.js'

/** Judging a notice updates `accounts` and `payments`, for the notices after it. */
type Batch = {
  now: Date
  rails: ReadonlyMap<string, CollectionRail>
  terms: TermsByEnvironment
  accounts: Map<RailAccountKey, CollectionAccount>
  /** The key of each account's counterpart. */
  counterparts: Map<RailAccountKey, RailAccountKey>
  /** The latest payments by account id, newest first. */
  payments: Map<string, Payment[]>
  /** Called after the commit. */
  onBooked?: ((payments: Payment[]) => void) | undefined
  /** Undefined: nothing is screened. */
  screening?: Screening | undefined
}

/**
 * Judges stored notices and books them: writes each payment, updates its account and emits its
 * events. Skips notices that were judged before. A notice with an unknown account number is retried
 * later, because it may arrive before the account is committed.
 */
export async function bookStoredNotices(
  tx: Tx,
  now: RealTime,
  given: { names: NoticeName[] } & Pick<Batch, 'rails' | 'onBooked' | 'screening'>,
): Promise<void> {
  const { names, rails, onBooked, screening } = given
  const notices = await lockNotices(tx, names)
  const accounts = await lockAccountsOf(tx, notices)
  const terms = await readTerms(tx, [...accounts.values()])
  const batch = { now, rails, terms, accounts, onBooked, screening }
  const conclusions = await judgeAndBook(tx, batch, notices)
  updateNotices(
    tx,
    notices.map((notice, index) => {
      const { rail, mode, id } = notice
      const { state, reason, dueAt } = conclusions[index]!
      return { rail, mode, id, state, reason, dueAt }
    }),
  )
}

/**
 * Does the same for notices that have just arrived and are not stored yet: inserts them with the
 * result.
 * Returns the keys of those it judged; the others had been stored before.
 *
 * The accounts are locked before stored notices are read: a transaction that judged a copy of a
 * notice held its account until the commit, so the copy is found. A copy without an account can be
 * missed; then the insert fails, and the lane runs the batch again.
 */
export async function bookNewNotices(
  tx: Tx,
  now: RealTime,
  given: { notices: NewNotice[]; recent: TermsReader } & Pick<
    Batch,
    'rails' | 'onBooked' | 'screening'
  >,
): Promise<Set<NoticeKey>> {
  const { rails, recent, onBooked, screening } = given
  const arrived = new Map<NoticeKey, StorableNotice>()
  for (const notice of given.notices) {
    const key = noticeKey(notice)
    if (!arrived.has(key)) arrived.set(key, toStorable(notice))
  }
  if (arrived.size === 0) return new Set()
  const all = [...arrived.values()]
  const [accounts, stored, recentTerms] = await Promise.all([
    lockAccountsOf(tx, all),
    findStoredNotices(tx, all),
    recent.read(tx),
  ])
  const notices = all.filter((notice) => !stored.has(noticeKey(notice)))
  const terms = await recent.complete(tx, recentTerms, [...accounts.values()])
  const batch = { now, rails, terms, accounts, onBooked, screening }
  const conclusions = await judgeAndBook(tx, batch, notices)
  insertJudgedNotices(
    tx,
    now,
    notices.map((notice, index) => ({ notice, conclusion: conclusions[index]! })),
  )
  return new Set(notices.map(noticeKey))
}

function lockAccountsOf(
  tx: Tx,
  notices: Notice[],
): Promise<Map<RailAccountKey, CollectionAccount>> {
  const bookable = notices.filter(({ reported }) => findDefect(reported) === null)
  return lockByRailAccount(tx, bookable.map(railAccountOf)).catch(
    renameBusy(bookable, accountKeyOf, noticeKey),
  )
}

/** Writes everything but the notices, and returns what to conclude about each of them. */
async function judgeAndBook(
  tx: Tx,
  given: Omit<Batch, 'counterparts' | 'payments'>,
  notices: Notice[],
): Promise<NoticeConclusion[]> {
  const { now, accounts, onBooked } = given
  // Only accounts that expect one amount list payments in events. Others count none: they stay 0.
  const paid = [...accounts.values()].filter(({ amountReceived }) => amountReceived > 0n)
  const payments = await findLatestPayments(tx, paid, collectionLimits.paymentsShownMax)
  const counterparts = pairCounterparts(accounts)
  const batch: Batch = { ...given, counterparts, payments }
  const refused = new Map<Notice, NoticeDefect>()
  const matched: Notice[] = []
  for (const notice of notices) {
    const defect = findDefect(notice.reported)
    const account = accounts.get(accountKeyOf(notice))
    if (defect) refused.set(notice, defect)
    else if (account && acceptsCurrency(account, notice)) matched.push(notice)
    else if (account) refused.set(notice, 'another_currency')
  }
  const sorted = sortByReceipt(batch, matched)
  const ids = newPaymentIds(batch, sorted)
  const judged: JudgedPayment[] = []
  for (const [index, notice] of sorted.entries()) {
    const account = accounts.get(accountKeyOf(notice))!
    if (exceedsLimit(account, notice)) refused.set(notice, 'too_large')
    else judged.push(judgeInBatch(batch, notice, ids[index]!))
  }
  await addOtherDeposits(tx, judged, refused)
  if (judged.length > 0) await bookAll(tx, batch, judged, sorted)
  recordProviderFees(tx, now, toProviderFees(judged, sorted))
  if (onBooked && judged.length > 0)
    tx.afterCommit(() => onBooked(judged.map(({ payment }) => payment)))
  return notices.map((notice) =>
    concludeNotice(now, notice, {
      reason: refused.get(notice) ?? null,
      hasAccount: accounts.has(accountKeyOf(notice)),
    }),
  )
}

/** What providers charged for these payments, as far as their notices tell. */
function toProviderFees(judged: JudgedPayment[], notices: Notice[]): ProviderFee[] {
  const charged = notices.filter(({ reported }) => reported.providerFee !== undefined)
  if (charged.length === 0) return []
  const feeOf = new Map(
    charged.map(({ rail, id, reported }) => [`${rail}/${id}`, reported.providerFee!]),
  )
  return judged.flatMap(({ payment: { environmentId, id: causeId, rail, railId } }) => {
    const amount = feeOf.get(`${rail}/${railId}`)
    return amount === undefined ? [] : [{ environmentId, causeId, rail, amount }]
  })
}

/** Events show a wallet as its verify operation does: with the deposits that it does not accept. */
async function addOtherDeposits(
  tx: Tx,
  judged: JudgedPayment[],
  refused: Map<Notice, NoticeDefect>,
): Promise<void> {
  const changed = judged.flatMap((one) => (one.cancelled ? [one, one.cancelled] : [one]))
  const ofWallets = changed.filter(({ account }) => isWallet(account))
  if (ofWallets.length === 0) return
  const wallets = new Map(ofWallets.map(({ account }) => [account.id, account]))
  const found = await findOtherDeposits(tx, [...wallets.values()])
  for (const one of ofWallets) {
    const { id, rail, railAccount } = one.account
    const own = [...refused].filter(
      ([notice]) => notice.rail === rail && notice.reported.railAccount === railAccount,
    )
    one.otherDeposits = withRefused(
      found.get(id) ?? [],
      own.map(([{ id, reported }, reason]) => ({ id, reported, reason })),
    )
  }
}

async function bookAll(
  tx: Tx,
  { now, rails, terms, accounts, payments }: Batch,
  judged: JudgedPayment[],
  notices: Notice[],
): Promise<void> {
  const environmentOf = (notice: Notice) => accounts.get(accountKeyOf(notice))!.environmentId
  const books = await openBooksOf(tx, judged).catch(
    renameBusy(notices, (notice) => environmentKey(environmentOf(notice)), noticeKey),
  )
  const splits = await openSplits(tx, judged)
  const keys = judged.flatMap((one) => accountsOf(toMovement(one)))
  const book = await splits
    .lock(keys)
    .catch(renameBusy(notices, (notice) => environmentKey(environmentOf(notice)), noticeKey))
  // A payment that does not fit the books cannot be left out: those judged after it build on it.
  // Fail the batch, and the lane halves it until that payment is alone.
  const movements = new DecidedMovements(tx, book)
  const move = (movement: Movement) => {
    if (!movements.move(movement).isMoved) throw balanceLimit()
  }
  const shares: NewShare[] = []
  for (const one of judged) {
    move(toMovement(one))
    const { clockOffsetMs } = terms.of(one.account)
    for (const share of splits.share(one.payment)) {
      move(toShareMovement(book, share))
      shares.push({ share, clockOffsetMs })
    }
  }
  movements.write(now)
  insertShares(tx, shares)
  for (const payment of judged) receiveFor(books, payment)
  const written = sequencePaymentEvents(judged)
  written.events.push(...splits.events())
  insertPayments(tx, written.payments)
  insertScreenings(
    tx,
    now,
    judged.flatMap(({ held }) => held ?? []),
  )
  updateCollectionAccounts(tx, written.accounts)
  const returns = judged.flatMap((one) => newReturns(rails, one))
  if (returns.length > 0) insertReturns(tx, now, returns)
  emitAll(tx, now, written.events)
  books?.write(now)
  await updateSessions(tx, now, changesOf(judged, written.accounts), payments)
}

/**
 * Sorts by environment, then by when the rail received the money: the first payment must not become
 * the duplicate because its notice arrived last.
 */
function sortByReceipt({ accounts, terms }: Batch, notices: Notice[]): Notice[] {
  const timed = notices.map((notice) => {
    const account = accounts.get(accountKeyOf(notice))!
    const at = receivedAtOf(notice.reported, account, terms.of(account)).getTime()
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
 * One id for each of the sorted notices. Lists show the newest id first, and ids of one millisecond
 * are random: within an environment the ids are sorted, so that the payment judged last is listed
 * first. The ids contain the time of their environment, so they are not comparable across them.
 */
function newPaymentIds({ now, terms, accounts }: Batch, sorted: Notice[]): string[] {
  const ids = sorted.map((notice) => {
    const account = accounts.get(accountKeyOf(notice))!
    const id = newId(after(now, terms.of(account).clockOffsetMs))
    return { environmentId: account.environmentId, id }
  })
  return ids
    .sort((a, b) => a.environmentId - b.environmentId || (a.id < b.id ? -1 : 1))
    .map(({ id }) => id)
}

/** Judges one notice and updates the batch for the notices after it. */
function judgeInBatch(batch: Batch, notice: Notice, id: string): JudgedPayment {
  const { now, rails, terms, accounts, counterparts, payments, screening } = batch
  const key = accountKeyOf(notice)
  const before = accounts.get(key)!
  const counterpartKey = counterparts.get(key)
  const counterpart = counterpartKey && accounts.get(counterpartKey)
  const ownTerms = terms.of(before)
  const { amount } = notice.reported
  const receivedAt = receivedAtOf(notice.reported, before, ownTerms)
  const isReturnable = destinationOf(notice.reported, rails.get(notice.rail)) !== undefined
  const holding = screening && screenNotice(screening, notice)
  const isHeldForScreening = holding !== undefined
  const verdict = judgePayment(
    cancelledIfCounterpartPaid(before, counterpart),
    { amount, receivedAt, isReturnable, isHeldForScreening },
    policyOf(ownTerms, before.kind),
  )
  const { isNowPaid } = verdict
  // In the time of the environment, which is ahead of real time if its test clock was advanced.
  const at = toEnvironmentTime(now, ownTerms.clockOffsetMs)
  const fee = collectionFeeOf(ownTerms, before.kind, verdict.amountAccepted)
  const payment = newPayment(notice, before, { id, verdict, holding, fee, receivedAt, at })
  const account = credited(before, payment, isNowPaid ? at : null)
  const cancelled = isNowPaid ? cancelCounterpart(counterpart, at, 'session_paid') : undefined

  const earlier = payments.get(account.id)
  const latest = earlier ? [payment, ...earlier] : [payment]
  payments.set(account.id, latest.slice(0, collectionLimits.paymentsShownMax))
  accounts.set(key, account)
  if (counterpartKey && cancelled) accounts.set(counterpartKey, cancelled)
  return {
    account,
    payments: payments.get(account.id)!,
    payment,
    isNowPaid,
    cancelled: cancelled && { account: cancelled, payments: payments.get(cancelled.id) ?? [] },
    held: holding && { payment, mode: notice.mode, verdict: holding },
  }
}

/**
 * In the time of the environment. The sandbox bank reports it; chains report real time, so add what
 * the test clock was ahead at that moment.
 */
function receivedAtOf(
  { receivedAt }: ReportedPayment,
  account: CollectionAccount,
  ownTerms: EnvironmentTerms,
): Date {
  return isWallet(account) ? after(receivedAt, offsetAt(ownTerms, receivedAt)) : receivedAt
}

/** Field by field, like `credited`: object spreads are slow. */
function newPayment(
  { reported, rail, id: railId }: Notice,
  { environmentId, id: accountId, kind: source, splitId, customerId, invoiceId }: CollectionAccount,
  {
    id,
    verdict,
    holding,
    fee,
    receivedAt,
    at,
  }: {
    id: string
    verdict: Verdict
    holding: HoldingVerdict | undefined
    fee: bigint
    receivedAt: Date
    at: Date
  },
): Payment {
  return {
    environmentId,
    id,
    accountId,
    source,
    rail,
    railId,
    asset: reported.currency as Asset,
    amount: reported.amount,
    amountAccepted: verdict.amountAccepted,
    amountHeld: verdict.amountHeld,
    amountReturning: verdict.amountReturning,
    amountReturned: verdict.amountReturned,
    fee,
    variance: verdict.variance,
    heldFor: holding ? 'screening' : null,
    sender: reported.sender ?? unknownSender,
    bankSessionId: reported.bankSessionId,
    narration: reported.narration,
    eventSequence: 0,
    splitId,
    customerId,
    invoiceId,
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
  return {
    environmentId: account.environmentId,
    id: account.id,
    kind: account.kind,
    rail: account.rail,
    railAccount: account.railAccount,
    number: account.number,
    accountName: account.accountName,
    bankCode: account.bankCode,
    bankName: account.bankName,
    asset: account.asset,
    amount: account.amount,
    requestedAmount: account.requestedAmount,
    merchantReference: account.merchantReference,
    customer: account.customer,
    metadata: account.metadata,
    status: paidAt ? 'PAID' : account.status,
    variance: payment.variance === 'NONE' ? account.variance : payment.variance,
    amountReceived: account.amountReceived + payment.amount,
    amountAccepted: account.amountAccepted + payment.amountAccepted,
    amountHeld: account.amountHeld + payment.amountHeld,
    amountReturning: account.amountReturning + payment.amountReturning,
    amountReturned: account.amountReturned + payment.amountReturned,
    eventSequence: account.eventSequence,
    sessionId: account.sessionId,
    customerId: account.customerId,
    invoiceId: account.invoiceId,
    splitId: account.splitId,
    expiresAt: account.expiresAt,
    paidAt: paidAt ?? account.paidAt,
    endedAt: account.endedAt,
    cancellationReason: account.cancellationReason,
    createdAt: account.createdAt,
  }
}

/** Accepted money is the merchant's. The rest is in suspense until accepted or sent back. */
function toMovement({ payment }: JudgedPayment): Movement {
  const { environmentId, asset, id, fee, amountAccepted, amountHeld, amountReturning } = payment
  const amountInSuspense = amountHeld + amountReturning
  const debit = asset === 'NGN' ? ('clearing' as const) : ('deposits' as const)
  const lines: Movement['lines'] = [
    { debit, credit: 'available', amount: amountAccepted, purpose: 'payment' },
    { debit, credit: 'suspense', amount: amountInSuspense, purpose: 'payment_held' },
    { debit: 'available', credit: 'fees', amount: fee, purpose: 'payment_fee' },
  ]
  const nonZero = lines.filter(({ amount }) => amount > 0n)
  return { environmentId, asset, causeId: id, isHold: false, lines: nonZero }
}

/** The return of the payment, if a part of it goes back to the sender. */
function newReturns(
  rails: ReadonlyMap<string, CollectionRail>,
  { payment }: JudgedPayment,
): Return[] {
  const { amountReturning: amount, createdAt } = payment
  if (amount === 0n) return []
  const { railId: id, sender } = payment
  const destination = destinationOf({ id, sender }, rails.get(payment.rail))
  return [newReturn(createdAt, payment, { amount, destination: destination! })]
}

function balanceLimit(): Refusal {
  return new Refusal('account_action_failed', {
    reason: 'balance_limit',
    message:
      'This payment would exceed the largest balance the ledger can hold. It will be retried.',
  })
}

/** Only a newly paid account ends its session; its cancelled counterpart does not end it again. */
function changesOf(judged: JudgedPayment[], accounts: CollectionAccount[]): ChangedAccount[] {
  const causes = new Map(
    judged.filter(({ isNowPaid }) => isNowPaid).map((one) => [one.account.id, one.payment.id]),
  )
  return accounts.map((account) => {
    const causeId = causes.get(account.id)
    return { account, mayEndSession: causeId !== undefined, causeId: causeId ?? account.id }
  })
}
