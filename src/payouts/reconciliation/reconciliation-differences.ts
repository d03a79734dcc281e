import type { RealTime } from '../../base/clock.js'
import { newId } from '../../base/ids.js'
import { Refusal } from '../../base/refusal.js'
import { sql } from '../../postgres/sql.js'
import { listStatement } from '../../postgres/statement.js'
import { column, Table } from '../../postgres/table.js'
import type { Queryable, Tx } from '../../postgres/transactions/tx.js'
import { reconcileLimits } from '../limits.js'
import type { Difference } from './compare-books.js'

const storedDifferences = new Table('reconciliation_differences', {
  id: column.uuid(),
  rail: column.text(),
  kind: column.text<Difference['kind']>(),
  name: column.text(),
  inBooks: column.text(),
  atRail: column.text(),
  foundAt: column.time(),
  /** When a comparison last found it. */
  seenAt: column.time(),
  /** When a comparison no longer found it. */
  resolvedAt: column.time().orNull(),
  note: column.text().orNull(),
  notedAt: column.time().orNull(),
})

export type StoredDifference = typeof storedDifferences.row & { notedBy: string | null }

const upsert = listStatement({
  name: 'upsert_differences',
  columns: {
    ...storedDifferences.types('id', 'kind', 'name', 'inBooks', 'atRail'),
    occurrence: 'int4',
  },
  text: (list, parameter, names) => `
    insert into reconciliation_differences as d (${names}, rail, found_at, seen_at)
    select ${names}, ${parameter(0)}, ${parameter(1)}::timestamptz, ${parameter(1)}::timestamptz
    from ${list}
    on conflict (rail, kind, name, occurrence) where resolved_at is null do update set
      in_books = excluded.in_books, at_rail = excluded.at_rail, seen_at = excluded.seen_at`,
})

/**
 * Keeps what a comparison of a rail found. A difference that was found before keeps its row and its
 * note; one that is no longer found is resolved. Differences stay until they are fixed, because
 * every comparison starts where books and rail last agreed.
 */
export function storeDifferences(
  tx: Tx,
  now: RealTime,
  { rail, differences }: { rail: string; differences: Difference[] },
): void {
  const kept = differences.slice(0, reconcileLimits.differencesKeptMax)
  const counts = new Map<string, number>()
  const rows = kept.map(({ kind, name, inBooks, atRail }) => {
    const occurrence = (counts.get(`${kind} ${name}`) ?? 0) + 1
    counts.set(`${kind} ${name}`, occurrence)
    return { id: newId(now), kind, name, occurrence, inBooks, atRail }
  })
  if (rows.length > 0) tx.write(upsert(rows, rail, now))
  // If the limit cut some off, it is unknown which of the stored ones were found again.
  if (kept.length < differences.length) return
  const found = rows.map(({ kind, name, occurrence }) => `${kind} ${occurrence} ${name}`)
  tx.write(sql`
    update reconciliation_differences set resolved_at = ${now}
    where rail = ${rail} and resolved_at is null
      and kind || ' ' || occurrence || ' ' || name <> all(${found}::text[])`)
}

const select = sql`
  select ${storedDifferences.of('d')}, u.name as noted_by
  from reconciliation_differences d left join users u on u.id = d.noted_by`

/** Newest first. */
export function listDifferences(
  db: Queryable,
  page: { isOpen: boolean; rail: string | undefined; before: string | undefined; limit: number },
): Promise<StoredDifference[]> {
  return db.rows(sql<StoredDifference>`
    ${select}
    where (d.resolved_at is null) = ${page.isOpen}
      ${page.rail === undefined ? sql`` : sql`and d.rail = ${page.rail}`}
      ${page.before === undefined ? sql`` : sql`and d.id < ${page.before}`}
    order by d.id desc limit ${page.limit}`)
}

/** Replaces the note. The audit log keeps the earlier ones. */
export async function noteDifference(
  tx: Tx,
  now: RealTime,
  { id, note, notedBy }: { id: string; note: string; notedBy: string },
): Promise<StoredDifference> {
  await tx.rows(sql`
    update reconciliation_differences
    set note = ${note}, noted_by = ${notedBy}, noted_at = ${now} where id = ${id}`)
  const [difference] = await tx.rows(sql<StoredDifference>`${select} where d.id = ${id}`)
  if (!difference) throw new Refusal('not_found', { message: 'No such difference exists.' })
  return difference
}
