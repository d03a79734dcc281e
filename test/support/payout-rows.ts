import type { Database } from '../../src/postgres/database.js'
import { sql } from '../../src/postgres/sql.js'

/** Payout rows, attempts and events. */
export async function readPayoutRows(db: Database): Promise<string> {
  const rows = await db.rows(sql<{ row: string }>`
    select row_to_json(p)::text as row from payouts p
    union all select row_to_json(a)::text from payout_attempts a
    union all select row_to_json(e)::text from events e
    union all select row_to_json(l)::text from ledger_accounts l
    order by 1`)
  return rows.map(({ row }) => row).join('\n')
}
