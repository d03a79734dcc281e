/** What PostgreSQL counts: commits, flushes of its log, bytes of log, rows and index entries. */
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from '../dist/postgres/sql.js'

/** A backend that became idle reports what it counted after this time at the latest. */
const reportedWithinMs = 10_500

/**
 * Counts from now until read. `isSettled` waits until idle backends have reported, before and
 * after: without it, the figures of a few seconds are wrong.
 */
export async function startCounters(db, { isSettled = false } = {}) {
  if (isSettled) await sleep(reportedWithinMs)
  const before = await readCounters(db)
  return {
    /** Counts per request. */
    async read(requests) {
      if (isSettled) await sleep(reportedWithinMs)
      const after = await readCounters(db)
      return Object.fromEntries(
        Object.keys(after).map((name) => [name, (after[name] - before[name]) / requests]),
      )
    },
  }
}

/** `indexEntries` is an upper bound: partial indexes do not get an entry for every row. */
async function readCounters(db) {
  const [row] = await db.rows(sql`
    with tables as (
      select t.*, (select count(*) from pg_index i where i.indrelid = t.relid) as indexes
      from pg_stat_user_tables t)
    select (select xact_commit + xact_rollback from pg_stat_database
        where datname = current_database())::float8 as commits,
      (select xact_rollback from pg_stat_database
        where datname = current_database())::float8 as rollbacks,
      (select sum(fsyncs) from pg_stat_io where object = 'wal')::float8 as flushes,
      (pg_current_wal_insert_lsn() - '0/0')::float8 as wal_bytes,
      sum(n_tup_ins)::float8 as inserts,
      sum(n_tup_upd)::float8 as updates,
      sum(n_tup_hot_upd)::float8 as hot_updates,
      sum(n_tup_del)::float8 as deletes,
      sum((n_tup_ins + n_tup_upd - n_tup_hot_upd) * indexes)::float8 as index_entries
    from tables`)
  return row
}
