import type { EnvironmentId } from '../base/environment.js'
import { sql } from '../postgres/sql.js'
import type { Queryable } from '../postgres/transactions/tx.js'
import type { SummedUp } from './calendar.js'

/** Reports whose days can change after they ended. The balance report needs no days. */
export const dailyReports = ['received', 'conversion', 'payout_times'] as const

export type DailyReport = (typeof dailyReports)[number]

/**
 * Read before the sums: a day that is summed up and unchanged now has right sums in any later
 * statement, and a day that is not is read from its rows, even if it is summed up meanwhile.
 */
export async function readSummedUp(
  db: Queryable,
  environmentId: EnvironmentId,
  report: DailyReport,
): Promise<SummedUp> {
  const [row] = await db.rows(sql<{ upTo: Date | null; changedDays: Date[] | null }>`
    select (select summed_up_to from report_progress
        where environment_id = ${environmentId}) as up_to,
      (select array_agg(distinct day_start) from report_changes
        where environment_id = ${environmentId} and report = ${report}) as changed_days`)
  return { upTo: row!.upTo, changedDays: row!.changedDays ?? [] }
}
