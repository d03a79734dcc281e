import type { RealTime } from '../base/clock.js'
import { limits } from '../base/limits.js'
import { claimDue, type DueTable } from '../postgres/due.js'
import { assigned, listStatement } from '../postgres/statement.js'
import type { Queryable, Tx } from '../postgres/transactions/tx.js'
import { depositLimits } from './limits.js'
import { type PollResult, type TokenAccount, tokenAccounts } from './token-account.js'

/**
 * Only for unread accounts, which are few, and for our coins: other tokens are not in the books,
 * and their amounts can exceed a bigint.
 */
const booked = `case when job.is_unread and job.asset in ('USDC', 'USDT') then least(
  (select coalesce(sum(p.amount), 0) from payments p
    join collection_accounts a on a.environment_id = p.environment_id and a.id = p.account_id
    where a.rail = job.rail and a.rail_account = job.wallet and p.asset = job.asset)
  + (select coalesce(sum((n.report ->> 'amount')::numeric), 0) from notices n
    where n.rail = job.rail and n.report ->> 'accountNumber' = job.wallet
      and n.state = 'REFUSED' and split_part(n.id, ':', 2) = job.address)
  - (select coalesce(sum(p.amount), 0) from sweep_parts p
    join sweeps s on s.rail = p.rail and s.id = p.sweep_id and s.state = 'LANDED'
    where p.rail = job.rail and p.token_account = job.address),
  ${limits.money.ledgerMax})::bigint end`

export const tokenAccountsDue: DueTable = {
  table: 'token_accounts',
  keyColumns: ['rail', 'address'],
  openCondition: 'not has_trouble',
  ownerColumn: 'rail',
  counterColumn: 'polls',
  returning: `${tokenAccounts.of('job')},
    (select w.created_at from wallets w where w.rail = job.rail and w.address = job.wallet)
      as wallet_created_at,
    (select a.kind from collection_accounts a
      where a.rail = job.rail and a.rail_account = job.wallet)
      as kind, ${booked} as booked`,
}

export const troubledDue: DueTable = {
  ...tokenAccountsDue,
  name: 'troubled_token_accounts',
  openCondition: 'has_trouble',
}

/** Troubled accounts are claimed separately: reading them may take long and delay the others. */
export async function claimTokenAccounts(
  db: Queryable,
  now: RealTime,
  { rail, isTroubled }: { rail: string; isTroubled: boolean },
): Promise<TokenAccount[]> {
  const { accountsPerBatchMax: limit } = depositLimits
  return claimDue(db, isTroubled ? troubledDue : tokenAccountsDue, { owner: rail, now, limit })
}

const keyColumns = tokenAccounts.types('rail', 'address', 'polls')

/** Always locks in the same order, so that two writers cannot deadlock. */
const lockOwn = (list: string) => `
  with own as materialized (
    select t.rail, t.address from token_accounts t
    join ${list} on t.rail = list.rail and t.address = list.address and t.polls = list.polls
    order by t.rail, t.address for no key update of t)`

const polled = {
  ...tokenAccounts.typesWithout('rail', 'address', 'wallet', 'asset', 'polls'),
  dueAt: 'timestamptz',
} as const

const writeRows = listStatement({
  name: 'write_poll_results',
  columns: { ...keyColumns, ...polled },
  text: (list) => `${lockOwn(list)}
    update token_accounts t set ${assigned(polled)}
    from own join ${list} on own.rail = list.rail and own.address = list.address
    where t.rail = own.rail and t.address = own.address`,
})

/** A worker that outlived its lease writes nothing: its claim number is outdated. */
export function writePollResults(tx: Tx, results: PollResult[]): void {
  const rows = results.map(({ account, trouble, ...result }) => ({
    ...account,
    ...result,
    hasTrouble: trouble !== null,
  }))
  tx.write(writeRows(rows))
}

const postponeRows = listStatement({
  name: 'postpone_polls',
  columns: keyColumns,
  text: (list, parameter) => `${lockOwn(list)}
    update token_accounts t set due_at = ${parameter(0)}::timestamptz
    from own where t.rail = own.rail and t.address = own.address`,
})

/** Makes claimed accounts due at another time than the end of the lease. */
export async function postponePolls(db: Queryable, dueAt: Date, claimed: TokenAccount[]) {
  if (claimed.length === 0) return
  await db.rows(postponeRows(claimed, dueAt))
}
