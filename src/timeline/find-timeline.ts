import type { Environment, EnvironmentId, Mode } from '../base/environment.js'
import { fromReference, type Prefix, prefixes } from '../base/ids.js'
import { Refusal } from '../base/refusal.js'
import { getCase } from '../cases/store-cases.js'
import { accountKinds, accountReference } from '../collections/accounts/account.js'
import { getPayment } from '../collections/payments/find-payments.js'
import type { Payment } from '../collections/payments/payment.js'
import {
  type PaymentRow,
  paymentColumns,
  toPayment,
} from '../collections/payments/store-payments.js'
import { findReturn, listReturnsOfPayments } from '../collections/returns/find-returns.js'
import { idOfSession } from '../collections/sessions/session.js'
import { getInvoice } from '../customers/invoices/store-invoices.js'
import { getSchedule } from '../customers/schedules/store-schedules.js'
import type { EventType } from '../events/catalogue.js'
import { seesEvent } from '../events/filter.js'
import { isOfSplit, type Purpose } from '../ledger/purposes.js'
import { type ClockMove, listClockMoves } from '../merchants/environment-clock.js'
import { getPayout } from '../payouts/records/find-payouts.js'
import { sql } from '../postgres/sql.js'
import type { Queryable } from '../postgres/transactions/tx.js'
import { listSplitCauses } from '../subaccounts/shares/split-causes.js'
import { type Permissions, type ResourceKind, sees } from '../team/seen-with.js'
import { readCaseItems } from './case-items.js'
import { readEventItems } from './event-items.js'
import { readInvoiceItems, readScheduleItems } from './invoice-items.js'
import { readLedger, toLedgerItem } from './ledger-items.js'
import { timelineLimits } from './limits.js'
import { readOperatorItems } from './operator-items.js'
import {
  type AccountRow,
  type TimelineSession,
  toAccountItem,
  toPaymentItems,
  toReturnItems,
  toSessionItems,
} from './payment-items.js'
import { readAttempts, toAttemptItems, toPayoutItems } from './payout-items.js'
import type { TimelineItem } from './resource.js'

export type Timeline = { items: TimelineItem[]; isTruncated: boolean }

type Subject = {
  environment: Pick<Environment, 'id' | 'mode' | 'clockOffsetMs'>
  reference: string
  permissions: Permissions
}

/** The resource whose timeline a reference names. */
export function subjectOf(reference: string): ResourceKind {
  if (reference.startsWith(prefixes.bankTransfer)) return 'bank_transfer'
  if (reference.startsWith(prefixes.case)) return 'case'
  if (reference.startsWith(prefixes.invoice)) return 'invoice'
  if (reference.startsWith(prefixes.invoiceSchedule)) return 'invoice'
  return reference.startsWith(prefixes.cryptoTransfer) ? 'crypto_transfer' : 'payment'
}

/**
 * What happened to a payment, a payout, a return, a collection account, a checkout session, an
 * invoice, a schedule of invoices or a case, newest first: assembled from their rows by about ten
 * reads, each by an index and bounded. One read at a time: a request may hold only one connection.
 * The caller may see the subject; ledger entries and events are shown if it may see those, too.
 */
export async function findTimeline(db: Queryable, subject: Subject): Promise<Timeline> {
  const { environment, reference } = subject
  const history = await readSubject(db, subject)
  const decisions = await readOperatorItems(db, environment.id, reference)
  const moves =
    environment.clockOffsetMs === 0
      ? []
      : (await listClockMoves(db, [environment.id])).get(environment.id)!
  const shown = [...history.items, ...decisions].filter((item) => seesItem(subject, item))
  const items = sortNewestFirst(shown, moves, environment.clockOffsetMs)
  const { itemsMax } = timelineLimits
  return {
    items: items.slice(0, itemsMax),
    isTruncated: history.isTruncated || items.length > itemsMax,
  }
}

function seesItem({ permissions }: Subject, { kind, details }: TimelineItem): boolean {
  if (kind === 'ledger_entry')
    return (
      sees(permissions, 'balance_entry') &&
      (!isOfSplit(details.purpose as Purpose) || sees(permissions, 'split'))
    )
  if (kind !== 'event' && kind !== 'webhook_delivery') return true
  return sees(permissions, 'event') && seesEvent(permissions, details.type as EventType)
}

function readSubject(db: Queryable, { environment, reference }: Subject): Promise<Timeline> {
  const { id: environmentId, mode } = environment
  if (reference.startsWith(prefixes.payment))
    return readPaymentTimeline(db, { environmentId, mode, reference })
  if (reference.startsWith(prefixes.invoiceSchedule))
    return readScheduleTimeline(db, { environmentId, reference })
  if (reference.startsWith(prefixes.case)) return readCaseTimeline(db, { environmentId, reference })
  if (subjectOf(reference) === 'invoice')
    return readInvoiceTimeline(db, { environmentId, reference })
  if (subjectOf(reference) !== 'payment')
    return readPayoutTimeline(db, { environmentId, reference })
  if (reference.startsWith(prefixes.paymentReturn))
    return readReturnTimeline(db, { environmentId, reference })
  const accountPrefix = accountPrefixes.find((prefix) => reference.startsWith(prefix))
  if (accountPrefix) return readAccountTimeline(db, { environmentId, reference, accountPrefix })
  return readSessionTimeline(db, { environmentId, reference })
}

const accountPrefixes = Object.values(accountKinds).map(({ prefix }) => prefix)

type Name = { environmentId: EnvironmentId; reference: string }
type NameInMode = Name & { mode: Mode }

async function readPaymentTimeline(db: Queryable, name: NameInMode): Promise<Timeline> {
  const { environmentId } = name
  const payment = await getPayment(db, name)
  const [account] = await readAccounts(db, environmentId, [payment.accountId])
  const session = account!.sessionId
    ? await readSession(db, environmentId, account!.sessionId)
    : undefined
  const { returns, hasMore } = await readReturns(db, environmentId, [payment.id])
  const returnIds = returns.map(({ id }) => id)
  const shares = await readShares(db, { payments: [payment], returnIds })
  const payoutIds = returns.map(({ id, payoutId }) => payoutId ?? id)
  const ledger = await readLedger(db, environmentId, [payment.id, ...payoutIds, ...shares])
  const noticedAt = await readNoticeTime(db, payment, name.mode)
  const isTemporary = payment.source === 'virtual_account' || payment.source === 'crypto_wallet'
  const events = await readEventItems(db, {
    environmentId,
    resourceIds: [
      payment.id,
      ...(session ? [session.id] : []),
      ...(isTemporary ? [payment.accountId] : []),
    ],
    causeIds: [payment.id],
  })
  const items = [
    ...(session ? toSessionItems(session) : []),
    toAccountItem(account!),
    ...toPaymentItems(payment, noticedAt, ledger),
    ...returns.flatMap(toReturnItems),
    ...ledger.map(toLedgerItem),
    ...events.items,
  ]
  return { items, isTruncated: events.isTruncated || hasMore }
}

async function readPayoutTimeline(db: Queryable, name: Name): Promise<Timeline> {
  const { environmentId, reference } = name
  const { payout } = await getPayout(db, name)
  const attempts = await readAttempts(db, environmentId, [payout.id])
  const ledger = await readLedger(db, environmentId, [payout.id])
  const subjects = { environmentId, resourceIds: [payout.id], causeIds: [] }
  const events = await readEventItems(db, subjects)
  const own = toPayoutItems(payout)
  const isStart = ({ kind }: TimelineItem) => kind !== 'payout_ended' && kind !== 'review_required'
  const [first, ...started] = own.filter(isStart)
  const items = [
    first!,
    ...ledger.filter(({ effect }) => effect === 'hold').map(toLedgerItem),
    ...started,
    ...attempts.flatMap((attempt) => toAttemptItems(attempt, reference)),
    ...ledger.filter(({ effect }) => effect !== 'hold').map(toLedgerItem),
    ...own.filter((item) => !isStart(item)),
    ...events.items,
  ]
  return { items, isTruncated: events.isTruncated }
}

async function readInvoiceTimeline(db: Queryable, name: Name): Promise<Timeline> {
  const invoice = await getInvoice(db, name)
  const own = await readInvoiceItems(db, invoice)
  const { environmentId, id } = invoice
  const events = await readEventItems(db, { environmentId, resourceIds: [id], causeIds: [] })
  return {
    items: [...own.items, ...events.items],
    isTruncated: own.isTruncated || events.isTruncated,
  }
}

/** Its events are those of the invoices that it made, in their own timelines. */
async function readScheduleTimeline(db: Queryable, name: Name): Promise<Timeline> {
  return readScheduleItems(db, await getSchedule(db, name))
}

async function readCaseTimeline(db: Queryable, name: Name): Promise<Timeline> {
  const found = await getCase(db, name)
  const own = await readCaseItems(db, found)
  const { environmentId, id } = found
  const events = await readEventItems(db, { environmentId, resourceIds: [id], causeIds: [] })
  return {
    items: [...own.items, ...events.items],
    isTruncated: own.isTruncated || events.isTruncated,
  }
}

async function readReturnTimeline(db: Queryable, name: Name): Promise<Timeline> {
  const { environmentId, reference } = name
  const id = fromReference(prefixes.paymentReturn, reference)
  const paymentReturn = id ? await findReturn(db, { environmentId, id }) : undefined
  // The payout of a return that its payer claims has a reference of the same kind.
  if (!paymentReturn) return readPayoutTimeline(db, name)
  const payoutId = paymentReturn.payoutId ?? paymentReturn.id
  const attempts = await readAttempts(db, environmentId, [payoutId])
  const split = { paymentIds: [], returnIds: [paymentReturn.id] }
  const takenBack = await listSplitCauses(db, environmentId, { ...split, limit: sharesMax })
  const ledger = await readLedger(db, environmentId, [payoutId, ...takenBack])
  const subjects = { environmentId, resourceIds: [], causeIds: [paymentReturn.id] }
  const events = await readEventItems(db, subjects)
  const [created, ...ended] = toReturnItems(paymentReturn)
  const items = [
    created!,
    ...attempts.flatMap((attempt) => toAttemptItems(attempt, reference)),
    ...ledger.map(toLedgerItem),
    ...ended,
    ...events.items,
  ]
  return { items, isTruncated: events.isTruncated }
}

async function readSessionTimeline(db: Queryable, name: Name): Promise<Timeline> {
  const { environmentId, reference } = name
  const id = idOfSession(reference)
  const session = id ? await readSession(db, environmentId, id) : undefined
  // The id is part of the reference; the rest of it must be right, too.
  if (session?.reference !== reference) throw unknown(reference)
  const accountIds = [session.accountId, session.walletId].filter((id) => id !== null)
  const accounts = await readAccounts(db, environmentId, accountIds)
  return readCollection(db, { environmentId, session, accounts })
}

type AccountName = Name & { accountPrefix: Prefix }

async function readAccountTimeline(db: Queryable, name: AccountName): Promise<Timeline> {
  const { environmentId, reference, accountPrefix } = name
  const id = fromReference(accountPrefix, reference)
  const [account] = id ? await readAccounts(db, environmentId, [id]) : []
  // An id is unique among accounts of all kinds, so the prefix must be right, too.
  if (!account || accountReference(account) !== reference) throw unknown(reference)
  const session = account.sessionId
    ? await readSession(db, environmentId, account.sessionId)
    : undefined
  return readCollection(db, { environmentId, session, accounts: [account] })
}

type Collection = {
  environmentId: EnvironmentId
  session: TimelineSession | undefined
  accounts: AccountRow[]
}

/** A session or an account with its latest payments and their returns. */
async function readCollection(db: Queryable, collection: Collection): Promise<Timeline> {
  const { environmentId, session, accounts } = collection
  const { paymentsMax } = timelineLimits
  const accountIds = accounts.map(({ id }) => id)
  const newest = await readPayments(db, environmentId, accountIds)
  const payments = newest.slice(0, paymentsMax).toReversed()
  const paymentIds = payments.map((payment) => payment.id)
  const { returns, hasMore } = await readReturns(db, environmentId, paymentIds)
  const returnIds = returns.map(({ id }) => id)
  const shares = await readShares(db, { payments, returnIds })
  const payoutIds = returns.map(({ id, payoutId }) => payoutId ?? id)
  const ledger = await readLedger(db, environmentId, [...paymentIds, ...payoutIds, ...shares])
  const events = await readEventItems(db, {
    environmentId,
    resourceIds: [...(session ? [session.id] : []), ...accountIds, ...paymentIds],
    causeIds: [],
  })
  const items = [
    ...(session ? toSessionItems(session) : []),
    ...accounts.map(toAccountItem),
    ...payments.flatMap((payment) => toPaymentItems(payment, null, ledger)),
    ...returns.flatMap(toReturnItems),
    ...ledger.map(toLedgerItem),
    ...events.items,
  ]
  return { items, isTruncated: events.isTruncated || hasMore || newest.length > paymentsMax }
}

/** The latest returns of these payments, oldest first, and whether some were left out. */
async function readReturns(db: Queryable, environmentId: EnvironmentId, paymentIds: string[]) {
  const { returnsMax } = timelineLimits
  const limit = returnsMax + 1
  const newest = await listReturnsOfPayments(db, environmentId, { paymentIds, limit })
  return {
    returns: newest.slice(0, returnsMax).toReversed(),
    hasMore: newest.length > returnsMax,
  }
}

const { sharesMax } = timelineLimits

/** The ids of the shares of these payments, and of what was taken back of them. */
async function readShares(
  db: Queryable,
  { payments, returnIds }: { payments: Payment[]; returnIds: string[] },
): Promise<string[]> {
  const split = payments.filter(({ splitId }) => splitId !== null)
  if (split.length === 0) return []
  const paymentIds = split.map(({ id }) => id)
  const wanted = { paymentIds, returnIds, limit: sharesMax }
  return listSplitCauses(db, split[0]!.environmentId, wanted)
}

function readAccounts(
  db: Queryable,
  environmentId: EnvironmentId,
  ids: string[],
): Promise<AccountRow[]> {
  return db.rows(sql<AccountRow>`
    select id, kind, number, bank_name, session_id, created_at
    from collection_accounts where environment_id = ${environmentId} and id = any(${ids}::uuid[])
    order by id`)
}

async function readSession(
  db: Queryable,
  environmentId: EnvironmentId,
  id: string,
): Promise<TimelineSession | undefined> {
  const [session] = await db.rows(sql<TimelineSession>`
    select id, reference, account_id, wallet_id, created_at, opened_at
    from checkout_sessions where environment_id = ${environmentId} and id = ${id}`)
  return session
}

/** The latest payments into these accounts, newest first; one more than is shown. */
async function readPayments(
  db: Queryable,
  environmentId: EnvironmentId,
  accountIds: string[],
): Promise<Payment[]> {
  const paymentsRead = timelineLimits.paymentsMax + 1
  const rows = await db.rows(sql<PaymentRow>`
    select ${paymentColumns}
    from unnest(${accountIds}::uuid[]) account (id) cross join lateral (
      select * from payments where environment_id = ${environmentId} and account_id = account.id
      order by environment_id desc, account_id desc, id desc limit ${paymentsRead}) p
    order by p.id desc limit ${paymentsRead}`)
  return rows.map(toPayment)
}

/** Notices belong to no environment, so they are found by the rail's id of a payment. */
async function readNoticeTime(
  db: Queryable,
  { rail, railId }: Payment,
  mode: Mode,
): Promise<Date | null> {
  const [notice] = await db.rows(sql<{ receivedAt: Date }>`
    select received_at from notices
    where rail = ${rail} and mode = ${mode} and id = ${railId}`)
  return notice?.receivedAt ?? null
}

/** Items are given in the order in which they happen; equal times keep it. */
function sortNewestFirst(
  items: TimelineItem[],
  moves: ClockMove[],
  clockOffsetMs: number,
): TimelineItem[] {
  return items
    .map((item) => ({
      item,
      realMs: item.isInEnvironmentTime
        ? toRealMs(item.at, moves, clockOffsetMs)
        : item.at.getTime(),
    }))
    .sort((left, right) => left.realMs - right.realMs)
    .map(({ item }) => item)
    .reverse()
}

/** When it was, in real time, if the test clock showed this. Moves are sorted, oldest first. */
function toRealMs(at: Date, moves: ClockMove[], clockOffsetMs: number): number {
  for (let index = moves.length - 1; index >= 0; index -= 1) {
    const offsetMs = moves[index + 1]?.offsetBeforeMs ?? clockOffsetMs
    if (at.getTime() >= moves[index]!.movedAt.getTime() + offsetMs) return at.getTime() - offsetMs
  }
  return at.getTime() - (moves[0]?.offsetBeforeMs ?? clockOffsetMs)
}

function unknown(reference: string): Refusal {
  return new Refusal('not_found', {
    message: `No payment, transfer, return, account, wallet, checkout session, invoice or schedule ${reference} exists.`,
  })
}
