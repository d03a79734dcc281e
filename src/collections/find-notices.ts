import { limits } from '../base/limits.js'
import { Refusal } from '../base/refusal.js'
import { sql } from '../postgres/sql.js'
import type { Queryable, Tx } from '../postgres/tx.js'
import type { CollectionAccount } from './account.js'
import { type NoticeName, type NoticeState, parseReported } from './store-notices.js'

type OpenNotice = NoticeName & {
  state: NoticeState
  reason: string | null
  accountNumber: string
  amount: bigint
  currency: string
  receivedAt: Date
}

type NoticeRow = NoticeName & {
  state: NoticeState
  reason: string | null
  announced: string
  receivedAt: Date
}

/** Notices that are not a payment of any merchant, oldest first. */
export async function listOpenNotices(db: Queryable, limit: number): Promise<OpenNotice[]> {
  // One index per half: the planner would misuse a single index over both to find notices by name.
  const rows = await db.rows(sql<NoticeRow>`
    select rail, mode, id, state, reason, announced, received_at as "receivedAt" from (
      (select * from notices where state in ('WAITING', 'UNMATCHED')
        order by received_at limit ${limit})
      union all (select * from notices where state = 'REFUSED'
        order by received_at limit ${limit})) notice
    order by received_at limit ${limit}`)
  return rows.map(({ announced, ...row }) => {
    const { railAccount, amount, currency } = parseReported(announced)
    return { ...row, accountNumber: railAccount, amount, currency }
  })
}

export type OtherDeposit = Pick<OpenNotice, 'id' | 'amount' | 'currency' | 'receivedAt'>

/** Refused deposits of a wallet, such as other tokens, newest first. */
export async function listOtherDeposits(
  db: Queryable,
  { rail, number }: Pick<CollectionAccount, 'rail' | 'number'>,
): Promise<OtherDeposit[]> {
  const rows = await db.rows(sql<Pick<NoticeRow, 'id' | 'announced'>>`
    select id, announced from notices
    where rail = ${rail} and announced ->> 'accountNumber' = ${number} and state = 'REFUSED'
    order by received_at desc limit ${limits.collections.paymentsShownMax}`)
  return rows.map(({ id, announced }) => {
    const { amount, currency, receivedAt } = parseReported(announced)
    return { id, amount, currency, receivedAt }
  })
}

/** Makes an unmatched notice due now. */
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
  throw new Refusal('not_found', {
    message: `No unmatched notice ${id} of ${rail} in ${mode} mode exists.`,
  })
}
