import type { Seal } from '../../base/sealed.js'
import type { Database } from '../../postgres/database.js'
import { sql } from '../../postgres/sql.js'
import { retentionClasses } from './classes.js'
import { createMentions } from './mentions.js'
import type { Person, SearchScope } from './person.js'
import { listTargets, scanMentions } from './scan-mentions.js'
import { units } from './units.js'

/** A row with what it says about the person. */
type ExportedRow = {
  table: string
  id: string
  /** When the row was made; null where the table does not say. */
  createdAt: string | null
  fields: Record<string, unknown>
}

/** Everything known of a person: rows of the person, then texts that name the person. */
export async function exportPerson(
  db: Database,
  { seal, now, scope, person }: { seal: Seal; now: Date; scope: SearchScope; person: Person },
): Promise<ExportedRow[]> {
  const rows: ExportedRow[] = []
  const owned = [
    { table: 'customers', keys: person.customers },
    { table: 'recipients', keys: person.recipients },
    ...(['sessions', 'accounts', 'payments', 'payouts', 'claims', 'returns'] as const).map(
      (name) => ({ table: units[name].table, keys: person[name] }),
    ),
  ]
  for (const { table, keys } of owned) {
    const columns = retentionClasses
      .filter((item) => item.table === table)
      .flatMap((item) => Object.keys(item.columns))
    const fields = sql.join(
      columns.flatMap((name) => [sql`${name}::text`, sql`t.${sql.identifier(name)}`]),
    )
    const found = await db.rows(sql<{ id: string; createdAt: Date; fields: string }>`
      select t.id, t.created_at, json_build_object(${fields})::text as fields
      from unnest(${keys.map(({ environmentId }) => environmentId)}::integer[],
        ${keys.map(({ id }) => id)}::uuid[]) wanted (environment_id, id)
      join ${sql.identifier(table)} t using (environment_id, id) order by t.id`)
    for (const { id, createdAt, fields: text } of found)
      rows.push({ table, id, createdAt: createdAt.toISOString(), fields: JSON.parse(text) })
  }
  const mentions = createMentions(person)
  if (mentions.patterns.length === 0) return rows
  const search = { scope, mentions, seal, now, before: now }
  for (const target of await listTargets(db, scope))
    for await (const found of scanMentions(db, target, search))
      for (const { key, texts } of found) {
        const named = target.typed.map(({ name }, at) => [name, texts[at]])
        const fields = Object.fromEntries(named.filter(([, text]) => text !== null))
        rows.push({ table: target.table, id: key.join(' '), createdAt: null, fields })
      }
  return rows
}
