import type { RealTime } from '../../base/clock.js'
import type { EnvironmentId } from '../../base/environment.js'
import { Refusal } from '../../base/refusal.js'
import { sql } from '../../postgres/sql.js'
import type { Queryable, Tx } from '../../postgres/transactions/tx.js'
import type { AccountKind } from '../accounts/account.js'
import type { NoticeName, NoticeState } from './store-notices.js'

/** A notice as an operator sees it, with what the bank sent. */
export type NoticeDetail = NoticeName & {
  state: NoticeState
  reason: string | null
  report: string
  body: string | null
  /** The account at the rail that operators chose. */
  assignedAccount: string | null
  receivedAt: Date
}

export async function findNotice(
  db: Queryable,
  { rail, mode, id }: Record<keyof NoticeName, string>,
): Promise<NoticeDetail> {
  const [notice] = await db.rows(sql<NoticeDetail>`
    select rail, mode, id, state, reason, report::text as report, body,
      assigned_account, received_at
    from notices where rail = ${rail} and mode = ${mode} and id = ${id}`)
  if (!notice)
    throw new Refusal('not_found', {
      message: `No notice ${id} of ${rail} in ${mode} mode exists.`,
    })
  return notice
}

export type AssignableAccount = {
  environmentId: EnvironmentId
  id: string
  kind: AccountKind
  railAccount: string
  number: string
  accountName: string
}

type Assignment = Record<keyof NoticeName, string> & {
  environmentId: EnvironmentId
  accountId: string
}

/** The bank account of this rail that the payment is assigned to. */
export async function findAssignable(
  db: Queryable,
  { rail, environmentId, accountId }: Pick<Assignment, 'rail' | 'environmentId' | 'accountId'>,
): Promise<AssignableAccount> {
  const [account] = await db.rows(sql<AssignableAccount>`
    select environment_id, id, kind, rail_account, number, account_name
    from collection_accounts
    where environment_id = ${environmentId} and id = ${accountId} and rail = ${rail}
      and kind in ('virtual_account', 'dedicated_account')`)
  if (account) return account
  throw new Refusal('not_found', {
    message: `The merchant has no such account at ${rail}. Name a virtual or dedicated account there.`,
  })
}

/**
 * Treats a bank payment whose account is unknown as a payment into another account, and makes it
 * due: it is judged and booked like any other. What the bank reported is not changed. Deposits on
 * a chain cannot be assigned: their coins are in the wallet that they were sent to.
 */
export async function assignNotice(tx: Tx, now: RealTime, assignment: Assignment): Promise<void> {
  const { rail, mode, id } = assignment
  const { railAccount } = await findAssignable(tx, assignment)
  const rows = await tx.rows(sql`
    update notices set assigned_account = ${railAccount}, due_at = ${now}
    where rail = ${rail} and mode = ${mode} and id = ${id} and state = 'UNMATCHED' returning id`)
  if (rows.length === 0)
    throw new Refusal('not_found', {
      message: `No unmatched notice ${id} of ${rail} in ${mode} mode exists.`,
    })
}
