import type { EnvironmentId } from '../../base/environment.js'
import { sql } from '../../postgres/sql.js'
import type { Queryable } from '../../postgres/transactions/tx.js'
import type { Payout } from '../payout.js'

/** Who sends money: a user, or an API key. */
export type PayoutCreator = Pick<Payout, 'createdByKey' | 'createdByUser'>

/**
 * The users who may have created each payout or batch, by its id: the user who did or, for an API
 * key, every user who has seen the key or one of its roll chain.
 */
export async function findCreators(
  db: Queryable,
  environmentId: EnvironmentId,
  created: (PayoutCreator & { id: string })[],
): Promise<Map<string, ReadonlySet<string>>> {
  const keys = [...new Set(created.flatMap(({ createdByKey }) => createdByKey ?? []))]
  const rows =
    keys.length === 0
      ? []
      : await db.rows(sql<{ key: string; users: string[] }>`
          select key, array(select * from creators_of(${environmentId}, null, key)) as users
          from unnest(${keys}::uuid[]) key`)
  const holders = new Map(rows.map(({ key, users }) => [key, users]))
  return new Map(
    created.map(({ id, createdByKey, createdByUser }) => {
      if (createdByUser !== null) return [id, new Set([createdByUser])]
      return [id, new Set(createdByKey === null ? [] : holders.get(createdByKey))]
    }),
  )
}

/** How many members must approve what this creator sends: two if no member made the API key. */
export async function findNeededApprovals(
  db: Queryable,
  { createdByUser, createdByKey }: PayoutCreator,
): Promise<number> {
  const [row] = await db.rows(sql<{ needed: number }>`
    select approvals_needed(${createdByUser}, ${createdByKey}) as needed`)
  return row!.needed
}
