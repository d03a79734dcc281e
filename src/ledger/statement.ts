import type { EnvironmentId } from '../base/environment.js'
import type { Asset } from '../money/assets.js'
import { sql } from '../postgres/sql.js'
import type { Queryable } from '../postgres/tx.js'
import type { StatementEnd } from './book.js'
import type { Purpose } from './purposes.js'

/** One line of a merchant's statement: the change of the available balance, and its result. */
export type StatementEntry = {
  asset: Asset
  entryNumber: bigint
  /** Negative for spent and held money. */
  change: bigint
  availableAfter: bigint
  purpose: Purpose
  causeId: string
  kind: 'post' | 'hold' | 'release'
  createdAt: Date
}

type StatementName = { environmentId: EnvironmentId; asset: Asset }

/** The last number of a statement, and the balance after it. */
export async function findStatementEnd(
  db: Queryable,
  { environmentId, asset }: StatementName,
): Promise<StatementEnd> {
  const [end] = await db.rows(sql<StatementEnd>`
    select entry_count as "entryNumber",
      credits_posted - debits_posted - debits_pending as available
    from ledger_accounts
    where environment_id = ${environmentId} and asset = ${asset} and name = 'available'`)
  return end ?? { entryNumber: 0n, available: 0n }
}

/** The entries of one type and effect in a part of a statement. */
export type StatementLine = {
  purpose: Purpose
  kind: StatementEntry['kind']
  count: number
  /** Negative if the balance fell. */
  change: bigint
}

/** Sums a part of a statement, both ends included. */
export async function sumStatement(
  db: Queryable,
  { environmentId, asset, first, last }: StatementName & { first: bigint; last: bigint },
): Promise<StatementLine[]> {
  if (first > last) return []
  const range = sql`environment_id = ${environmentId} and asset = ${asset}
    and entry_number between ${first} and ${last}`
  return db.rows(sql<StatementLine>`
    select purpose, kind, count(*)::int as count, sum(change)::int8 as change from (
      select purpose, case when is_hold then 'hold' else 'post' end as kind,
        case when credit = 'available' then amount else -amount end as change
      from ledger_transfers where ${range}
      union all
      select purpose, 'release', amount from ledger_resolutions where ${range}) entries
    group by purpose, kind order by purpose, kind`)
}

/** Newest first, below the given entry number. */
export async function listStatementEntries(
  db: Queryable,
  page: { environmentId: EnvironmentId; asset: Asset; below: bigint; limit: number },
): Promise<StatementEntry[]> {
  return db.rows<StatementEntry>({
    name: 'list_entries',
    text: `
      with transfers as (
        select asset, entry_number,
          case when credit = 'available' then amount else -amount end as change,
          available_after, purpose, cause_id,
          case when is_hold then 'hold' else 'post' end as kind, created_at
        from ledger_transfers
        where environment_id = $1 and asset = $2 and entry_number < $3
        order by entry_number desc limit $4),
      releases as (
        select asset, entry_number, amount as change, available_after, purpose, cause_id,
          'release' as kind, created_at
        from ledger_resolutions
        where environment_id = $1 and asset = $2 and entry_number < $3
        order by entry_number desc limit $4)
      select asset, entry_number as "entryNumber", change, available_after as "availableAfter",
        purpose, cause_id as "causeId", kind, created_at as "createdAt"
      from (select * from transfers union all select * from releases) entries
      order by entry_number desc limit $4`,
    values: [page.environmentId, page.asset, page.below, page.limit],
  })
}
