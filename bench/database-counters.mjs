/** What PostgreSQL counts, per request: commits, flushes of its log, bytes of log, rows. */
import { Database } from '../dist/postgres/database.js'
import { startEmbeddedServer } from '../dist/postgres/embedded/server.js'
import { sql } from '../dist/postgres/sql.js'

export async function openCounters(dataDirectory) {
  const { url } = await startEmbeddedServer({ dataDirectory })
  const db = new Database(url, () => {}, { size: 1 })
  const read = async () => {
    const [row] = await db.rows(sql`
      select (select xact_commit + xact_rollback from pg_stat_database
          where datname = current_database())::float8 as commits,
        (select xact_rollback from pg_stat_database
          where datname = current_database())::float8 as rollbacks,
        (select sum(fsyncs) from pg_stat_io where object = 'wal')::float8 as flushes,
        (select wal_bytes from pg_stat_wal)::float8 as wal_bytes,
        (select sum(n_tup_ins) from pg_stat_user_tables)::float8 as inserts,
        (select sum(n_tup_upd) from pg_stat_user_tables)::float8 as updates,
        (select sum(n_tup_hot_upd) from pg_stat_user_tables)::float8 as hot_updates,
        (select sum(n_tup_del) from pg_stat_user_tables)::float8 as deletes`)
    return row
  }
  return {
    async start() {
      const before = await read()
      return {
        async read(requests) {
          const after = await read()
          return Object.fromEntries(
            Object.keys(after).map((name) => [name, (after[name] - before[name]) / requests]),
          )
        },
      }
    },
    close: () => db.close(),
  }
}
