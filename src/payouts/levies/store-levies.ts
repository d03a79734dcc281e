import type { RealTime } from '../../base/clock.js'
import { limits } from '../../base/limits.js'
import { type Sql, sql } from '../../postgres/sql.js'
import type { Queryable, Tx } from '../../postgres/transactions/tx.js'
import { type Levy, type LevyDebit, levies, levyDebits } from './levy.js'

/** The latest entries, newest first, also those whose period is over. */
export function listLevies(db: Queryable): Promise<Levy[]> {
  return db.rows(sql<Levy>`
    select ${levies.columns} from levies order by id desc limit ${limits.operator.rowsListedMax}`)
}

/** Earlier entries stay: they decide again when this one has ended. */
export async function addLevy(
  tx: Tx,
  now: RealTime,
  levy: Omit<Levy, 'id' | 'createdAt'>,
): Promise<Levy> {
  const added = levies.insert({ ...levy, createdAt: now })
  const [row] = await tx.rows(sql<Levy>`${added} returning ${levies.columns}`)
  return row!
}

/** Newest first. */
export function listLevyDebits(db: Queryable): Promise<LevyDebit[]> {
  return db.rows(sql<LevyDebit>`
    select ${levyDebits.columns} from levy_debits
    order by id desc limit ${limits.operator.rowsListedMax}`)
}

export async function addLevyDebit(
  tx: Tx,
  now: RealTime,
  debit: Omit<LevyDebit, 'id' | 'createdAt'>,
): Promise<LevyDebit> {
  const added = levyDebits.insert({ ...debit, createdAt: now })
  const [row] = await tx.rows(sql<LevyDebit>`${added} returning ${levyDebits.columns}`)
  return row!
}

/** SQL for what an operator says about a rail at a time: the newest entry that is not after it. */
export function levyDebitsOf(rail: Sql, at: Sql): Sql {
  return sql`coalesce((
    select d.debits from levy_debits d where d.rail = ${rail} and d.since <= ${at}
    order by d.id desc limit 1), 'no')`
}
