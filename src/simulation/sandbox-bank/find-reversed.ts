import type { RealTime } from '../../base/clock.js'
import { sql } from '../../postgres/sql.js'
import type { Queryable, Tx } from '../../postgres/transactions/tx.js'
import { sandboxBankLimits } from './limits.js'

export type ReversedTransfers = { cursor: bigint; references: string[] }

/** Whether `findReversed` would list a transfer. Spares an idle bank its transaction. */
export async function hasReversed(db: Queryable, now: RealTime, after: bigint): Promise<boolean> {
  const [row] = await db.rows<{ hasReversed: boolean }>({
    name: 'has_reversed_sandbox_transfers',
    text: `
      select coalesce((select max(reversal_number) from sandbox_transfers) > $2, false)
        or coalesce((select min(reverses_at) from sandbox_transfers
          where reverses_at is not null and reversal_number is null) <= $1, false)
        as has_reversed`,
    values: [now, after],
  })
  return row!.hasReversed
}

/** Any number that nothing else in this database locks. */
const lockKey = 7_265_647

/**
 * Lists reversed transfers after the cursor. Reversals are numbered when first listed, by one
 * process at a time, so numbers are committed in order and a reader that continues from the last
 * number it saw misses none. Rows that another transaction has locked are listed next time.
 */
export async function findReversed(
  tx: Tx,
  now: RealTime,
  after: bigint,
): Promise<ReversedTransfers> {
  const limit = sandboxBankLimits.reversalsPerBatchMax
  await tx.rows(sql`select pg_advisory_xact_lock(${lockKey})`)
  tx.write(sql`
    with due as materialized (
      select reference, reverses_at from sandbox_transfers
      where reverses_at <= ${now} and reversal_number is null
      order by reverses_at, reference limit ${limit}
      for no key update skip locked),
    numbered as (
      select reference, row_number() over (order by reverses_at, reference) as place from due)
    update sandbox_transfers t set is_reported = true,
      reversal_number = numbered.place
        + (select coalesce(max(reversal_number), 0) from sandbox_transfers)
    from numbered where t.reference = numbered.reference`)
  const rows = await tx.rows(sql<{ reference: string; number: bigint }>`
    select reference, reversal_number as number from sandbox_transfers
    where reversal_number > ${after} order by reversal_number limit ${limit}`)
  return {
    cursor: rows.at(-1)?.number ?? after,
    references: rows.map(({ reference }) => reference),
  }
}
