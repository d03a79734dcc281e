import type { Mode } from '../base/environment.js'
import { Busy } from '../postgres/busy.js'
import { listStatement } from '../postgres/statement.js'
import type { Tx } from '../postgres/tx.js'
import type { PaymentNotice } from './ports.js'

/** A notice is named by the payment it speaks of: told twice, it is one. */
export type NoticeName = { rail: string; mode: Mode; id: string }

export type NoticeState = 'WAITING' | 'UNMATCHED' | 'TAKEN' | 'REFUSED'

export type Notice = NoticeName & { announced: PaymentNotice; looks: number }

export type NewNotice = NoticeName & {
  announced: PaymentNotice
  /** As it came; null: it was found by asking. */
  body: string | null
}

/** Bigints and times as text; nothing of it is a float. */
function writeAnnounced(announced: PaymentNotice): string {
  const plain = { ...announced, amount: announced.amount.toString() }
  const text = JSON.stringify(plain)
  return mayBeBroken.test(text) ? JSON.stringify(plain, mendTexts) : text
}

/** Halves of letters and zeros, which the database keeps in json but never reads from it again. */
const mayBeBroken = /\\u(?:d[89a-f]|0000)/

function mendTexts(_: string, value: unknown): unknown {
  return typeof value === 'string' ? value.toWellFormed().replaceAll('\0', ' ') : value
}

export function readAnnounced(text: string): PaymentNotice {
  const written = JSON.parse(text) as Omit<PaymentNotice, 'amount' | 'receivedAt'> & {
    amount: string
    receivedAt: string
  }
  const { amount, receivedAt } = written
  return { ...written, amount: BigInt(amount), receivedAt: new Date(receivedAt) }
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

/** What is new is kept; of what was told before, nothing changes. Sorted against deadlocks. */
export function insertNotices(
  tx: Tx,
  { now, dueAt }: { now: Date; dueAt: Date },
  notices: NewNotice[],
): void {
  const rows = notices.map(({ rail, mode, id, announced, body }) => ({
    rail,
    mode,
    id,
    announced: writeAnnounced(announced),
    body,
    due_at: dueAt,
  }))
  tx.write(insert(rows.sort(byName), now))
}

/**
 * Said otherwise than by the index of what is due: few wait as a rule, so the planner would read
 * all of them for each that is named, and the cost of a backlog would grow with its square.
 */
const isUnjudged = `n.state not in ('TAKEN', 'REFUSED')`

type StoredNotice = Omit<Notice, 'announced'> & { announced: string }

const lock = listStatement<typeof named, StoredNotice>({
  name: 'lock_notices',
  columns: named,
  text: (list) => `
    select n.rail, n.mode, n.id, n.announced, n.looks from notices n
    join ${list} on n.rail = list.rail and n.mode = list.mode and n.id = list.id
    where ${isUnjudged}
    order by n.rail, n.mode, n.id for no key update of n`,
})

const lockFree = listStatement<typeof named, StoredNotice & { isOurs: boolean }>({
  name: 'lock_free_notices',
  columns: named,
  text: (list) => `
    select n.rail, n.mode, n.id, held.announced, held.looks, held.id is not null as "isOurs"
    from notices n join ${list} on n.rail = list.rail and n.mode = list.mode and n.id = list.id
    left join lateral (
      select own.id, own.announced, own.looks from notices own
      where own.rail = n.rail and own.mode = n.mode and own.id = n.id
        and ${isUnjudged.replace('n.', 'own.')}
      for no key update skip locked) held on true
    where ${isUnjudged}`,
})

/**
 * Locks the notices that are not judged yet. In a lane, throws `Busy` with those that another
 * transaction is judging.
 */
export async function lockNotices(tx: Tx, names: NoticeName[]): Promise<Notice[]> {
  const unique = [...new Map(names.map((name) => [noticeKey(name), name])).values()].sort(byName)
  const rows = tx.waitsForLocks ? await tx.rows(lock(unique)) : await lockFreeNotices(tx, unique)
  return rows.map((row) => ({ ...row, announced: readAnnounced(row.announced) }))
}

async function lockFreeNotices(tx: Tx, names: NoticeName[]): Promise<StoredNotice[]> {
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

/** For notices that are locked. */
export function writeJudgements(tx: Tx, judged: JudgedNotice[]): void {
  if (judged.length > 0) tx.write(end(judged))
}

export function noticeKey({ rail, mode, id }: NoticeName): string {
  return `${rail}/${mode}/${id}`
}

function byName(one: NoticeName, other: NoticeName): number {
  return noticeKey(one) < noticeKey(other) ? -1 : 1
}
