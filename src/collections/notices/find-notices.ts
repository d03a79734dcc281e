import type { RealTime } from '../../base/clock.js'
import { Refusal } from '../../base/refusal.js'
import { sql } from '../../postgres/sql.js'
import { listStatement } from '../../postgres/statement.js'
import type { Queryable, Tx } from '../../postgres/transactions/tx.js'
import { type CollectionAccount, isWallet } from '../accounts/account.js'
import { collectionLimits } from '../limits.js'
import type { ReportedPayment } from '../ports.js'
import {
  type NoticeDefect,
  type NoticeName,
  type NoticeState,
  parseReported,
} from './store-notices.js'

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
  report: string
  receivedAt: Date
}

/** Notices that are not a payment of any merchant, oldest first. */
export async function listOpenNotices(db: Queryable, limit: number): Promise<OpenNotice[]> {
  // One index per half: the planner would misuse a single index over both to find notices by name.
  const rows = await db.rows(sql<NoticeRow>`
    select rail, mode, id, state, reason, report, received_at from (
      (select * from notices where state in ('WAITING', 'UNMATCHED')
        order by received_at limit ${limit})
      union all (select * from notices where state = 'REFUSED'
        order by received_at limit ${limit})) notice
    order by received_at limit ${limit}`)
  return rows.map(({ report, ...row }) => {
    const { railAccount, amount, currency } = parseReported(report)
    return { ...row, accountNumber: railAccount, amount, currency }
  })
}

export type OtherDeposit = Pick<OpenNotice, 'id' | 'amount' | 'currency' | 'receivedAt'> & {
  reason: NoticeDefect
}

const walletColumns = { id: 'uuid', rail: 'text', railAccount: 'text' } as const

type RefusedRow = Pick<NoticeRow, 'id' | 'report'> & { accountId: string; reason: NoticeDefect }

const refusedDeposits = listStatement<typeof walletColumns, RefusedRow>({
  name: 'find_other_deposits',
  columns: walletColumns,
  text: (list, parameter) => `
    select list.id as account_id, n.id, n.report, n.reason from ${list}
    cross join lateral (
      select one.id, one.report, one.reason from notices one
      where one.rail = list.rail and one.report ->> 'accountNumber' = list.rail_account
        and one.state = 'REFUSED'
      order by one.received_at desc, one.id collate "C" desc
      limit ${parameter(0)}) n`,
})

type Wallet = Pick<CollectionAccount, 'id' | 'kind' | 'rail' | 'railAccount'>

/**
 * Refused deposits of wallets, such as other tokens, newest first, by account id. Accounts at banks
 * have none and cost nothing here.
 */
export async function findOtherDeposits(
  db: Queryable,
  accounts: Wallet[],
): Promise<Map<string, OtherDeposit[]>> {
  const wallets = accounts.filter(isWallet)
  const found = new Map<string, OtherDeposit[]>()
  if (wallets.length === 0) return found
  const rows = await db.rows(refusedDeposits(wallets, collectionLimits.paymentsShownMax))
  for (const { accountId, id, report, reason } of rows) {
    const deposits = found.get(accountId) ?? []
    found.set(accountId, deposits)
    deposits.push(toOtherDeposit({ id, reported: parseReported(report), reason }))
  }
  for (const deposits of found.values()) deposits.sort(byTimeOnChain)
  return found
}

/** Adds deposits that are being refused in this transaction to those found. */
export function withRefused(found: OtherDeposit[], refused: RefusedNotice[]): OtherDeposit[] {
  if (refused.length === 0) return found
  return [...refused.map(toOtherDeposit), ...found]
    .slice(0, collectionLimits.paymentsShownMax)
    .sort(byTimeOnChain)
}

type RefusedNotice = { id: string; reported: ReportedPayment; reason: NoticeDefect }

function toOtherDeposit({ id, reported, reason }: RefusedNotice): OtherDeposit {
  const { amount, currency, receivedAt } = reported
  return { id, amount, currency, reason, receivedAt }
}

/** Newest first. */
function byTimeOnChain(one: OtherDeposit, other: OtherDeposit): number {
  return sortKeyOf(one) < sortKeyOf(other) ? 1 : -1
}

function sortKeyOf({ receivedAt, id }: OtherDeposit): string {
  return `${receivedAt.toISOString()} ${id}`
}

/** Makes an unmatched notice due now. */
export async function retryNotice(
  tx: Tx,
  now: RealTime,
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
