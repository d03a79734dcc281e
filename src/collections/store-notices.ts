import type { Mode } from '../base/environment.js'
import { throwIfHeld } from '../postgres/busy.js'
import { listStatement } from '../postgres/statement.js'
import type { Tx } from '../postgres/tx.js'
import type { ReportedPayment } from './ports.js'

/**
 * The table keeps some old names: `announced` is the reported payment as JSON, `looks` counts the
 * times a worker claimed the notice, and TAKEN means recorded as a payment.
 */

/** The id is the rail's id of the payment, so a repeated notice is stored once. */
export type NoticeName = { rail: string; mode: Mode; id: string }

export type NoticeState = 'WAITING' | 'UNMATCHED' | 'TAKEN' | 'REFUSED'

/** A stored notice that has not been judged. */
export type Notice = NoticeName & { reported: ReportedPayment; attempts: number }

export type NewNotice = NoticeName & {
  reported: ReportedPayment
  /** The body as it arrived; null if we found the payment by querying the rail. */
  body: string | null
}

/** The JSON of the column: amounts as text, because JSON numbers are floats. */
type StoredPayment = Omit<ReportedPayment, 'amount' | 'receivedAt' | 'bankSessionId'> & {
  amount: string
  receivedAt: string
  sessionId: string | null
}

function serializeReported(reported: ReportedPayment): string {
  const { amount, receivedAt, bankSessionId, ...rest } = reported
  const plain: StoredPayment = {
    ...rest,
    amount: amount.toString(),
    receivedAt: receivedAt.toISOString(),
    sessionId: bankSessionId,
  }
  const text = JSON.stringify(plain)
  return mayBeUnreadable.test(text) ? JSON.stringify(plain, replaceUnreadable) : text
}

/** Lone surrogates and NULs: PostgreSQL stores them in json but fails to read them back. */
const mayBeUnreadable = /\\u(?:d[89a-f]|0000)/

function replaceUnreadable(_: string, value: unknown): unknown {
  return typeof value === 'string' ? value.toWellFormed().replaceAll('\0', ' ') : value
}

export function parseReported(text: string): ReportedPayment {
  const { amount, receivedAt, sessionId, ...rest } = JSON.parse(text) as StoredPayment
  return {
    ...rest,
    amount: BigInt(amount),
    receivedAt: new Date(receivedAt),
    bankSessionId: sessionId,
  }
}

const named = { rail: 'text', mode: 'text', id: 'text' } as const

const insert = listStatement({
  name: 'insert_notices',
  columns: { ...named, announced: 'text', body: 'text', due_at: 'timestamptz' },
  text: (list, parameter) => `
    insert into notices (rail, mode, id, announced, body, due_at, state, received_at)
    select rail, mode, id, announced::json, body, due_at, 'WAITING', ${parameter(0)}::timestamptz
    from ${list} on conflict do nothing`,
})

/** Inserts new notices and ignores known ones. Sorted to prevent deadlocks. */
export function insertNotices(
  tx: Tx,
  { now, dueAt }: { now: Date; dueAt: Date },
  notices: NewNotice[],
): void {
  const rows = notices.map(({ rail, mode, id, reported, body }) => ({
    rail,
    mode,
    id,
    announced: serializeReported(reported),
    body,
    due_at: dueAt,
  }))
  tx.write(insert(rows.sort(byName), now))
}

/**
 * Deliberately not the condition of the index on due notices: the planner would scan that whole
 * index for every named notice, and the cost of a backlog would be quadratic.
 */
const isUnjudged = (alias: string) => `${alias}.state not in ('TAKEN', 'REFUSED')`

type NoticeRow = Omit<Notice, 'reported'> & { announced: string }

const lock = listStatement<typeof named, NoticeRow>({
  name: 'lock_notices',
  columns: named,
  text: (list) => `
    select n.rail, n.mode, n.id, n.announced, n.looks as attempts from notices n
    join ${list} on n.rail = list.rail and n.mode = list.mode and n.id = list.id
    where ${isUnjudged('n')}
    order by n.rail, n.mode, n.id for no key update of n`,
})

/** Also returns the notices that another transaction holds, without their content. */
const lockUnheld = listStatement<typeof named, NoticeRow & { isHeld: boolean }>({
  name: 'lock_unheld_notices',
  columns: named,
  text: (list) => `
    select n.rail, n.mode, n.id, own.announced, own.looks as attempts, own.id is null as "isHeld"
    from notices n join ${list} on n.rail = list.rail and n.mode = list.mode and n.id = list.id
    left join lateral (
      select same.id, same.announced, same.looks from notices same
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
  return rows.map(({ announced, ...row }) => ({ ...row, reported: parseReported(announced) }))
}

async function lockUnheldNotices(tx: Tx, names: NoticeName[]): Promise<NoticeRow[]> {
  const rows = await tx.rows(lockUnheld(names))
  throwIfHeld(rows, noticeKey)
  return rows.map(({ isHeld, ...notice }) => notice)
}

const update = listStatement({
  name: 'update_notices',
  columns: { ...named, state: 'text', reason: 'text', due_at: 'timestamptz' },
  text: (list) => `
    update notices n set state = list.state, reason = list.reason, due_at = list.due_at
    from ${list} where n.rail = list.rail and n.mode = list.mode and n.id = list.id
      and ${isUnjudged('n')}`,
})

export type ConcludedNotice = NoticeName & {
  state: NoticeState
  reason: string | null
  /** When an unmatched notice is judged again. Without meaning for others: the column needs one. */
  dueAt: Date
}

/** The caller has locked the notices. */
export function updateNotices(tx: Tx, concluded: ConcludedNotice[]): void {
  if (concluded.length === 0) return
  const rows = concluded.map(({ rail, mode, id, state, reason, dueAt }) => ({
    rail,
    mode,
    id,
    state,
    reason,
    due_at: dueAt,
  }))
  tx.write(update(rows))
}

export type NoticeKey = `notice ${string}`

export function noticeKey({ rail, mode, id }: NoticeName): NoticeKey {
  return `notice ${rail}/${mode}/${id}`
}

function byName(one: NoticeName, other: NoticeName): number {
  return noticeKey(one) < noticeKey(other) ? -1 : 1
}
