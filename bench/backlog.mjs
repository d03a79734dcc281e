/** The length of every queue of a service, and the size of every table. */
import { sql } from '../dist/postgres/sql.js'
import { readMetrics } from './metrics.mjs'

const queuesInMemory = ['manilla_lane_waiting', 'manilla_pool_waiting']
/** Unpaid accounts wait for their payers, not for the service. */
const waitsForOthers = 'collection_accounts'

/**
 * Returns a function that reads all lengths. Queues of the database are the tables with an index on
 * due rows, so that a table that gets one is counted from then on: rows that are due, and rows that
 * are open, due or not.
 */
export async function openBacklog(db, metricsUrl) {
  const indexes = await db.rows(sql`
    select c.relname as table, pg_get_expr(i.indpred, i.indrelid) as condition
    from pg_index i join pg_class c on c.oid = i.indrelid
    where i.indexrelid::regclass::text ~ '_due$' order by 1`)
  const counts = indexes.flatMap(({ table, condition }) => {
    const open = condition ?? 'true'
    const due = count(`${table}: due`, table, `${open} and due_at <= now()`)
    const isCounted = condition !== null && table !== waitsForOthers
    return isCounted ? [due, count(`${table}: open`, table, open)] : [due]
  })
  const query = { text: counts.join(' union all '), values: [] }
  return async function readBacklog() {
    const metrics = await readMetrics(metricsUrl)
    const rows = await db.rows(query)
    const waiting = metrics.filter(({ name }) => queuesInMemory.includes(name))
    return Object.fromEntries([
      ...rows.map(({ name, length }) => [name, length]),
      ...waiting.map(({ name, labels, value }) => [`${name}${labels}`, value]),
    ])
  }
}

function count(name, table, condition) {
  return `select '${name}' as name, count(*)::int as length from ${table} where ${condition}`
}

/** Tables and indexes. Bytes of a table include values stored outside its rows. */
export function readSizes(db) {
  return db.rows(sql`
    select 'table' as kind, relname as name, pg_table_size(relid)::float8 as bytes,
      (n_tup_ins - n_tup_del)::float8 as rows
    from pg_stat_user_tables
    union all
    select 'index', indexrelname, pg_relation_size(indexrelid)::float8, null
    from pg_stat_user_indexes order by 1, 2`)
}
