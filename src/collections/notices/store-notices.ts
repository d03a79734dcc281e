import type { RealTime } from '../../base/clock.js'
import type { Mode } from '../../base/environment.js'
import { type ListText, listStatement } from '../../postgres/statement.js'
import { throwIfHeld } from '../../postgres/transactions/busy.js'
import type { Queryable, Tx } from '../../postgres/transactions/tx.js'
import type { ScreeningVerdict } from '../../screening/ports.js'
import type { ReportedPayment } from '../ports.js'

/** The id is the rail's id of the payment, so a repeated notice is stored once. */
export type NoticeName = { rail: string; mode: Mode; id: string }

/** Why a payment is booked into no account. Operators see it; nothing is credited. */
export const noticeDefects = [
  'another_currency',
  'other_token_account',
  'not_positive',
  'too_large',
] as const
export type NoticeDefect = (typeof noticeDefects)[number]

export type NoticeState = 'WAITING' | 'UNMATCHED' | 'BOOKED' | 'REFUSED'

/** A stored notice that has not been judged. */
export type Notice = NoticeName & {
  reported: ReportedPayment
  attempts: number
  /** What a provider reported about the sender; null: it was not queried. */
  screened: ScreeningVerdict | null
}

export type NewNotice = NoticeName & {
  reported: ReportedPayment
  /** The body as it arrived; null if we found the payment by querying the rail. */
  body: string | null
}

/** The JSON of the column: amounts as text, because JSON numbers are floats. */
type StoredPayment = Omit<
  ReportedPayment,
  'amount' | 'receivedAt' | 'bankSessionId' | 'railAccount' | 'providerFee'
> & {
  accountNumber: string
  amount: string
  receivedAt: string
  sessionId: string | null
  providerFee?: string
}

/** A new notice as it is stored and judged: `report` is `reported` as JSON. */
export type StorableNotice = Notice & { report: string; body: string | null }

/** What is judged is what can be read back from the table. */
export function toStorable({ rail, mode, id, reported, body }: NewNotice): StorableNotice {
  const stored = toStored(reported)
  const text = JSON.stringify(stored)
  const isReadable = !mayBeUnreadable.test(text)
  const report = isReadable ? text : JSON.stringify(stored, replaceUnreadable)
  return {
    rail,
    mode,
    id,
    reported: isReadable ? reported : parseReported(report),
    attempts: 0,
    screened: null,
    report,
    body,
  }
}

function toStored(reported: ReportedPayment): StoredPayment {
  return {
    id: reported.id,
    accountNumber: reported.railAccount,
    currency: reported.currency,
    sender: reported.sender,
    narration: reported.narration,
    amount: reported.amount.toString(),
    receivedAt: reported.receivedAt.toISOString(),
    sessionId: reported.bankSessionId,
    ...(reported.isInOtherTokenAccount && { isInOtherTokenAccount: true }),
    ...(reported.providerFee !== undefined && { providerFee: reported.providerFee.toString() }),
  }
}

/** Lone surrogates and NULs: PostgreSQL stores them in json but fails to read them back. */
const mayBeUnreadable = /\\u(?:d[89a-f]|0000)/

function replaceUnreadable(_: string, value: unknown): unknown {
  return typeof value === 'string' ? value.toWellFormed().replaceAll('\0', ' ') : value
}

export function parseReported(text: string): ReportedPayment {
  const stored = JSON.parse(text) as StoredPayment
  return {
    id: stored.id,
    railAccount: stored.accountNumber,
    amount: BigInt(stored.amount),
    currency: stored.currency,
    sender: stored.sender,
    bankSessionId: stored.sessionId,
    narration: stored.narration,
    receivedAt: new Date(stored.receivedAt),
    ...(stored.isInOtherTokenAccount && { isInOtherTokenAccount: true }),
    ...(stored.providerFee !== undefined && { providerFee: BigInt(stored.providerFee) }),
  }
}

const named = { rail: 'text', mode: 'text', id: 'text' } as const

const columns = {
  ...named,
  report: 'jsonText',
  body: 'text',
  state: 'text',
  reason: 'text',
  dueAt: 'timestamptz',
} as const

const insertText: ListText = (list, parameter, names, values) => `
    insert into notices (${names}, received_at)
    select ${values}, ${parameter(0)}::timestamptz from ${list}`

const insert = listStatement({
  name: 'insert_notices',
  columns,
  text: (...parts) => `${insertText(...parts)} on conflict do nothing`,
})

/** Inserts new notices and ignores known ones. Sorted to prevent deadlocks. */
export function insertNotices(
  tx: Tx,
  { now, dueAt }: { now: Date; dueAt: Date },
  notices: NewNotice[],
): void {
  const waiting = { state: 'WAITING' as const, reason: null, dueAt }
  const rows = notices.map((notice) => ({ ...toStorable(notice), ...waiting }))
  tx.write(insert(rows.sort(byName), now))
}

const insertUnknown = listStatement({
  name: 'insert_judged_notices',
  columns,
  text: insertText,
})

export type JudgedNotice = { notice: StorableNotice; conclusion: NoticeConclusion }

/**
 * Inserts new notices together with what was concluded about them. Fails if one is known already:
 * another transaction may have judged it.
 */
export function insertJudgedNotices(tx: Tx, now: RealTime, judged: JudgedNotice[]): void {
  if (judged.length === 0) return
  const rows = judged.map(({ notice, conclusion }) => ({ ...notice, ...conclusion }))
  tx.write(insertUnknown(rows.sort(byName), now))
}

const findNames = listStatement<typeof named, NoticeName>({
  name: 'find_notice_names',
  columns: named,
  text: (list) => `
    select n.rail, n.mode, n.id from notices n
    join ${list} on n.rail = list.rail and n.mode = list.mode and n.id = list.id`,
})

/** The keys of those that are stored, judged or not. */
export async function findStoredNotices(tx: Tx, names: NoticeName[]): Promise<Set<NoticeKey>> {
  return new Set((await tx.rows(findNames(names))).map(noticeKey))
}

/**
 * Deliberately not the condition of the index on due notices: the planner would scan that whole
 * index for every named notice, and the cost of a backlog would be quadratic.
 */
const isUnjudged = (alias: string) => `${alias}.state not in ('BOOKED', 'REFUSED')`

type NoticeRow = Omit<Notice, 'reported' | 'screened'> & {
  report: string
  screening: string | null
  assignedAccount: string | null
}

const lock = listStatement<typeof named, NoticeRow>({
  name: 'lock_notices',
  columns: named,
  text: (list) => `
    select n.rail, n.mode, n.id, n.report, n.attempts,
      n.assigned_account, n.screening::text as screening
    from notices n
    join ${list} on n.rail = list.rail and n.mode = list.mode and n.id = list.id
    where ${isUnjudged('n')}
    order by n.rail, n.mode, n.id for no key update of n`,
})

/** Also returns the notices that another transaction holds, without their content. */
const lockUnheld = listStatement<typeof named, NoticeRow & { isHeld: boolean }>({
  name: 'lock_unheld_notices',
  columns: named,
  text: (list) => `
    select n.rail, n.mode, n.id, own.report, own.attempts,
      own.assigned_account, own.screening, own.id is null as is_held
    from notices n join ${list} on n.rail = list.rail and n.mode = list.mode and n.id = list.id
    left join lateral (
      select same.id, same.report, same.attempts, same.assigned_account,
        same.screening::text as screening from notices same
      where same.rail = n.rail and same.mode = n.mode and same.id = n.id
        and ${isUnjudged('same')}
      for no key update skip locked) own on true
    where ${isUnjudged('n')}`,
})

/**
 * Locks the notices that have not been judged. If the transaction may not wait for locks, throws
 * `Busy` with the `noticeKey` of those that another transaction is judging.
 */
export async function lockNotices(tx: Tx, names: NoticeName[]): Promise<Notice[]> {
  const unique = [...new Map(names.map((name) => [noticeKey(name), name])).values()].sort(byName)
  const rows = tx.waitsForLocks ? await tx.rows(lock(unique)) : await lockUnheldNotices(tx, unique)
  return rows.map(({ rail, mode, id, report, screening, assignedAccount, attempts }) => ({
    rail,
    mode,
    id,
    reported: withAssigned(parseReported(report), assignedAccount),
    attempts,
    screened: screening === null ? null : (JSON.parse(screening) as ScreeningVerdict),
  }))
}

/** A payment whose account is unknown is judged as one into the account that operators chose. */
function withAssigned(reported: ReportedPayment, account: string | null): ReportedPayment {
  return account === null ? reported : { ...reported, railAccount: account }
}

async function lockUnheldNotices(tx: Tx, names: NoticeName[]): Promise<NoticeRow[]> {
  const rows = await tx.rows(lockUnheld(names))
  throwIfHeld(rows, noticeKey)
  return rows
}

const update = listStatement({
  name: 'update_notices',
  columns: { ...named, state: 'text', reason: 'text', dueAt: 'timestamptz' },
  text: (list) => `
    update notices n set state = list.state, reason = list.reason, due_at = list.due_at
    from ${list} where n.rail = list.rail and n.mode = list.mode and n.id = list.id
      and ${isUnjudged('n')}`,
})

export type NoticeConclusion = {
  state: NoticeState
  reason: string | null
  /** When an open notice is judged again. Without meaning for others: the column needs one. */
  dueAt: Date
}

export type ConcludedNotice = NoticeName & NoticeConclusion

/** The caller has locked the notices. */
export function updateNotices(tx: Tx, concluded: ConcludedNotice[]): void {
  if (concluded.length === 0) return
  tx.write(update(concluded))
}

const storeScreened = listStatement({
  name: 'store_notice_screenings',
  columns: { ...named, screened: 'json' },
  text: (list) => `
    update notices n set screening = list.screened::json
    from ${list} where n.rail = list.rail and n.mode = list.mode and n.id = list.id
      and ${isUnjudged('n')}`,
})

/** Kept with the notice for the lane that judges it. Sorted to prevent deadlocks. */
export async function storeScreenings(
  db: Queryable,
  screened: (NoticeName & { screened: ScreeningVerdict })[],
): Promise<void> {
  await db.rows(storeScreened(screened.toSorted(byName)))
}

export type NoticeKey = `notice ${string}`

export function noticeKey({ rail, mode, id }: NoticeName): NoticeKey {
  return `notice ${rail}/${mode}/${id}`
}

function byName(one: NoticeName, other: NoticeName): number {
  return noticeKey(one) < noticeKey(other) ? -1 : 1
}
