import { sql } from '../../postgres/sql.js'
import type { Queryable } from '../../postgres/transactions/tx.js'

export type UnservedRail = { rail: string; payouts: number }

/** Rails with open payouts that nothing polls, such as a bank whose keys were removed. */
export async function listUnservedRails(
  db: Queryable,
  servedNames: string[],
): Promise<UnservedRail[]> {
  return db.rows(sql<UnservedRail>`
    select rail, count(*)::int as payouts from payouts
    where status = 'SUBMITTED' and rail <> all(${servedNames}::text[])
    group by rail order by rail`)
}
