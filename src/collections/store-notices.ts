import type { Mode } from '../base/environment.js'
import { Busy } from '../postgres/busy.js'
import { listStatement } from '../postgres/statement.js'
import type { Tx } from '../postgres/tx.js'
import type { PaymentNotice } from './ports.js'

/** The id is the rail's id of the payment, so a repeated notice is stored once. */
export type NoticeName = { rail: string; mode: Mode; id: string }

export type NoticeState = 'WAITING' | 'UNMATCHED' | 'TAKEN' | 'REFUSED'

export type Notice = NoticeName & { payment: PaymentNotice; attempts: number }

export type NewNotice = NoticeName & {
  payment: PaymentNotice
  /** The body as it arrived; null if we found the payment by querying the rail. */
  body: string | null
}

/** Writes the amount as text: JSON numbers are floats. */
function serializePayment(payment: PaymentNotice): string {
  const plain = { ...payment, amount: payment.amount.toString() }
  const text = JSON.stringify(plain)
  return mayBeUnreadable.test(text) ? JSON.stringify(plain, replaceUnreadable) : text
}

/** Lone surrogates and NULs: PostgreSQL stores them in json but fails to read them back. */
const mayBeUnreadable = /\\u(?:d[89a-f]|0000)/

function replaceUnreadable(_: string, value: unknown): unknown {
  return typeof value === 'string' ? value.toWellFormed().replaceAll('\0', ' ') : value
}

export function parsePayment(text: string): PaymentNotice {
  const parsed = JSON.parse(text) as Omit<PaymentNotice, 'amount' | 'receivedAt'> & {
    amount: string
    receivedAt: string
  }
  return {
    ...parsed,
    amount: BigInt(parsed.amount),
    receivedAt: new Date(parsed.receivedAt),
  }
}

const named = { rail: 'text', mode: 'text', id: 'text' } as const

const insert = listStatement({
  name: 'insert_notices',
  columns: { ...named, announced: 'text', body: 'text', due_at: 'timestamptz' },
  text: (list, more) => `
    insert into notices (rail, mode, id, announced, body, due_at, state, received_at)
    select rail, mode, id, announced::json, body, due_at, 'WAITING', ${more(0)}::timestamptz
    from ${list} on conflict do nothing`,
})

/** Inserts new notices and ignores known ones. Sorted to prevent deadlocks. */
export function insertNotices(
  tx: Tx,
  { now, dueAt }: { now: Date; dueAt: Date },
  notices: NewNotice[],
): void {
  const rows = notices.map(({ rail, mode, id, payment, body }) => ({
    rail,
    mode,
    id,
    announced: serializePayment(payment),
    body,
    due_at: dueAt,
  }))
  tx.write(insert(rows.sort(byName), now))
}

/**
 * Deliberately not the condition of the index on due notices: the planner would scan that whole
 * index for every named notice, and the cost of a backlog would be quadratic.
 */
const isUnjudged = `n.state not in ('TAKEN', 'REFUSED')`

type NoticeRow = Omit<Notice, 'payment'> & { announced: string }

const lock = listStatement<typeof named, NoticeRow>({
  name: 'lock_notices',
  columns: named,
  text: (list) => `
    select n.rail, n.mode, n.id, n.announced, n.looks as attempts from notices n
    join ${list} on n.rail = list.rail and n.mode = list.mode and n.id = list.id
    where ${isUnjudged}
    order by n.rail, n.mode, n.id for no key update of n`,
})

const lockFree = listStatement<typeof named, NoticeRow & { isOurs: boolean }>({
  name: 'lock_free_notices',
  columns: named,
  text: (list) => `
    select n.rail, n.mode, n.id, held.announced, held.looks as attempts,
      held.id is not null as "isOurs"
    from notices n join ${list} on n.rail = list.rail and n.mode = list.mode and n.id = list.id
    left join lateral (
      select own.id, own.announced, own.looks from notices own
      where own.rail = n.rail and own.mode = n.mode and own.id = n.id
        and ${isUnjudged.replace('n.', 'own.')}
      for no key update skip locked) held on true
    where ${isUnjudged}`,
})

/**
 * Locks the notices that have not been judged. In a lane, throws `Busy` with those that another
 * transaction is judging.
 */
export async function lockNotices(tx: Tx, names: NoticeName[]): Promise<Notice[]> {
  const unique = [...new Map(names.map((name) => [noticeKey(name), name])).values()].sort(byName)
  const rows = tx.waitsForLocks ? await tx.rows(lock(unique)) : await lockFreeNotices(tx, unique)
  return rows.map(({ announced, ...row }) => ({ ...row, payment: parsePayment(announced) }))
}

async function lockFreeNotices(tx: Tx, names: NoticeName[]): Promise<NoticeRow[]> {
  const rows = await tx.rows(lockFree(names))
  const held = rows.filter(({ isOurs }) => !isOurs).map(noticeKey)
  if (held.length > 0) throw new Busy(new Map(held.map((key) => [key, key])))
  return rows.map(({ isOurs, ...notice }) => notice)
}

const end = listStatement({
  name: 'end_notices',
  columns: { ...named, state: 'text', reason: 'text', due_at: 'timestamptz' },
  text: (list) => `
    update notices n set state = list.state, reason = list.reason, due_at = list.due_at
    from ${list} where n.rail = list.rail and n.mode = list.mode and n.id = list.id
      and ${isUnjudged}`,
})

export type JudgedNotice = NoticeName & {
  state: NoticeState
  reason: string | null
  due_at: Date
}

/** The caller has locked the notices. */
export function writeJudgements(tx: Tx, judged: JudgedNotice[]): void {
  if (judged.length > 0) tx.write(end(judged))
}

export function noticeKey({ rail, mode, id }: NoticeName): string {
  return `${rail}/${mode}/${id}`
}

function byName(one: NoticeName, other: NoticeName): number {
  return noticeKey(one) < noticeKey(other) ? -1 : 1
}
