import { sql } from 'kysely'
import type { Reader, Tx } from '../postgres/tx.js'
import { Refusal } from '../refusal.js'
import { type NoticeName, type NoticeState, readAnnounced } from './store-notices.js'

export type OpenNotice = NoticeName & {
  state: NoticeState
  reason: string | null
  accountNumber: string
  amount: bigint
  currency: string
  receivedAt: Date
}

type Row = NoticeName & {
  state: NoticeState
  reason: string | null
  announced: string
  receivedAt: Date
}

/** Money that a bank spoke of and that is no payment of any merchant, oldest first. */
export async function listOpenNotices(db: Reader, limit: number): Promise<OpenNotice[]> {
  // Each half by an index of its own: one over both would tempt whoever judges notices by name.
  const rows = await db.rows(sql<Row>`
    select rail, mode, id, state, reason, announced, received_at as "receivedAt" from (
      select * from notices where state in ('WAITING', 'UNMATCHED')
      union all select * from notices where state = 'REFUSED') notice
    order by received_at limit ${limit}`)
  return rows.map(({ announced, ...row }) => {
    const { accountNumber, amount, currency } = readAnnounced(announced)
    return { ...row, accountNumber, amount, currency }
  })
}

/** Has a notice that fits no account looked at again now. */
export async function retryNotice(
  tx: Tx,
  now: Date,
  { rail, mode, id }: Record<keyof NoticeName, string>,
): Promise<void> {
  const rows = await tx.rows(sql`
    update notices set due_at = ${now}
    where rail = ${rail} and mode = ${mode} and id = ${id} and state in ('WAITING', 'UNMATCHED')
    returning id`)
  if (rows.length > 0) return
  const message = `No notice ${id} of ${rail} in ${mode} mode is waiting to be judged.`
  throw new Refusal('not_found', { message })
}
