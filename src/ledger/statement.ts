import type { EnvironmentId } from '../base/environment.js'
import type { Asset } from '../money/assets.js'
import type { Queryable } from '../postgres/tx.js'
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
