import { after, type RealTime } from '../../base/clock.js'
import type { Mode } from '../../base/environment.js'
import { prefixes, toReference } from '../../base/ids.js'
import { limits } from '../../base/limits.js'
import type { DueTable } from '../../postgres/due.js'
import { sql } from '../../postgres/sql.js'
import { listStatement } from '../../postgres/statement.js'
import type { Queryable } from '../../postgres/transactions/tx.js'
import { type AccountKind, accountReference } from '../accounts/account.js'
import type { NoticeHint } from '../ports.js'

export type HintName = { rail: string; mode: Mode; id: string }

export type StoredHint = HintName & { about: NoticeHint['about']; attempts: number }

export type NewHint = HintName & { about: NoticeHint['about']; body: string }

/**
 * `CONFIRMED`: the answer of the bank's API is booked. `REJECTED`: the bank sent the money back to
 * the payer. `DROPPED`: unknown to the bank, or not a payment.
 */
export type HintState = 'OPEN' | 'CONFIRMED' | 'REJECTED' | 'DROPPED'

const columns = { rail: 'text', mode: 'text', id: 'text', hint: 'json', body: 'text' } as const

const insert = listStatement<typeof columns, HintName>({
  name: 'insert_notice_hints',
  columns,
  text: (list, parameter, names, values) => `
    insert into notice_hints as h (${names}, due_at, received_at)
    select ${values}, ${parameter(0)}, ${parameter(1)} from ${list}
    on conflict (rail, mode, id) do update
      set state = 'OPEN', reason = null, attempts = 0, due_at = excluded.due_at
      where h.state in ('OPEN', 'DROPPED')
    returning rail, mode, id`,
})

/** Returns the keys of the hints to confirm. Copies of a hint that has ended are not among them. */
export async function storeHints(
  db: Queryable,
  { now, dueAt }: { now: Date; dueAt: Date },
  hints: NewHint[],
): Promise<Set<string>> {
  const unique = new Map(hints.map((hint) => [hintKey(hint), hint]))
  const sorted = [...unique].sort(([a], [b]) => (a < b ? -1 : 1))
  const rows = sorted.map(([, { rail, mode, id, about, body }]) => ({
    rail,
    mode,
    id,
    hint: about,
    body: body.toWellFormed().replaceAll('\0', ' '),
  }))
  return new Set((await db.rows(insert(rows, dueAt, now))).map(hintKey))
}

export function hintKey({ rail, mode, id }: HintName): string {
  return `${rail}/${mode}/${id}`
}

export const hintsDue: DueTable = {
  table: 'notice_hints',
  keyColumns: ['rail', 'mode', 'id'],
  openCondition: "state = 'OPEN'",
  ownerColumn: 'rail',
  counterColumn: 'attempts',
  returning: 'job.rail, job.mode, job.id, job.hint, job.attempts',
}

export type HintRow = HintName & { hint: string; attempts: number }

export function toStoredHint({ rail, mode, id, hint, attempts }: HintRow): StoredHint {
  return { rail, mode, id, about: JSON.parse(hint) as NoticeHint['about'], attempts }
}

/** False: it had ended before. */
export async function endHint(
  db: Queryable,
  { rail, mode, id }: HintName,
  ended: {
    state: Exclude<HintState, 'OPEN'>
    reason: string | null
    /** Of a rejected payment. */
    railAccount?: string | null
  },
): Promise<boolean> {
  const { state, reason, railAccount = null } = ended
  const rows = await db.rows(sql`
    update notice_hints set state = ${state}, reason = ${reason}, rail_account = ${railAccount}
    where rail = ${rail} and mode = ${mode} and id = ${id} and state = 'OPEN' returning 1`)
  return rows.length > 0
}

export async function postponeHint(
  db: Queryable,
  { rail, mode, id }: HintName,
  dueAt: Date,
): Promise<void> {
  await db.rows(sql`
    update notice_hints set due_at = ${dueAt}
    where rail = ${rail} and mode = ${mode} and id = ${id} and state = 'OPEN'`)
}

/** Deletes a bounded number of old hints and returns how many. A late copy is confirmed again. */
export async function deleteOldHints(db: Queryable, now: RealTime): Promise<number> {
  const { hintRetentionMs, hintsDeletedPerBatchMax } = limits.banks
  const deleted = await db.rows(sql`
    delete from notice_hints h using (
      select rail, mode, id from notice_hints
      where state <> 'OPEN' and received_at <= ${after(now, -hintRetentionMs)}
      order by received_at limit ${hintsDeletedPerBatchMax} for update skip locked) old
    where h.rail = old.rail and h.mode = old.mode and h.id = old.id
    returning 1`)
  return deleted.length
}

export type RejectedPayment = HintName & {
  reason: string
  receivedAt: Date
  /** Null for the three if no collection account of ours was named. */
  merchant: string | null
  account: string | null
  merchantReference: string | null
}

type RejectedRow = Omit<RejectedPayment, 'merchant' | 'account'> & {
  merchantId: string | null
  accountId: string | null
  kind: AccountKind | null
}

/** Payments that a bank sent back to the payer, newest first. */
export async function listRejected(db: Queryable, limit: number): Promise<RejectedPayment[]> {
  const rows = await db.rows(sql<RejectedRow>`
    select h.rail, h.mode, h.id, h.reason, h.received_at, a.id as account_id, a.kind,
      a.merchant_reference, e.merchant_id
    from (select * from notice_hints where state = 'REJECTED'
      order by received_at desc limit ${limit}) h
    left join collection_accounts a on a.rail = h.rail and a.rail_account = h.rail_account
    left join environments e on e.id = a.environment_id
    order by h.received_at desc`)
  return rows.map(({ merchantId, accountId, kind, ...row }) => ({
    ...row,
    merchant: merchantId && toReference(prefixes.merchant, merchantId),
    account: accountId && kind && accountReference({ kind, id: accountId }),
  }))
}
