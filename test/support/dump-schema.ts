import type { Database } from '../../src/postgres/database.js'

/** The schema as the server reports it, in a stable order: schema.sql. */
export async function dumpSchema(db: Database): Promise<string> {
  const parts = [
    '-- The whole schema, written from a migrated database by `npm run generate`. Do not edit.',
    ...(await texts(db, functions)),
    ...(await texts(db, tables)),
    ...(await texts(db, indexes)),
    ...(await texts(db, triggers)),
  ]
  return `${parts.join('\n\n')}\n`
}

const ours = `n.nspname = 'public' and c.relname not like 'migrations%'`

const functions = `
  select pg_get_functiondef(p.oid) || ';' as text
  from pg_proc p join pg_namespace n on n.oid = p.pronamespace
  where n.nspname = 'public' order by p.proname, pg_get_function_identity_arguments(p.oid)`

const tables = `
  select format(E'create table %I (\\n%s\\n)%s;', c.relname, (
    select string_agg('  ' || line, E',\\n' order by rank, place, line) from (
      select 1 as rank, a.attnum::int as place, concat_ws(' ', a.attname, format_type(a.atttypid, a.atttypmod),
        case when a.attidentity <> '' then 'generated always as identity' end,
        case when d.adbin is not null then 'default ' || pg_get_expr(d.adbin, d.adrelid) end,
        case when a.attnotnull then 'not null' end) as line
      from pg_attribute a
      left join pg_attrdef d on d.adrelid = a.attrelid and d.adnum = a.attnum
      where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
      union all
      select 2, 0, format('constraint %I %s', k.conname, pg_get_constraintdef(k.oid))
      from pg_constraint k where k.conrelid = c.oid and k.contype <> 'n') lines),
    ' with (' || array_to_string(c.reloptions, ', ') || ')') as text
  from pg_class c join pg_namespace n on n.oid = c.relnamespace
  where c.relkind = 'r' and ${ours} order by c.relname`

const indexes = `
  select pg_get_indexdef(i.indexrelid) || ';' as text
  from pg_index i join pg_class c on c.oid = i.indrelid join pg_namespace n on n.oid = c.relnamespace
  where ${ours} and not exists (select from pg_constraint k where k.conindid = i.indexrelid)
  order by c.relname, i.indexrelid::regclass::text`

const triggers = `
  select pg_get_triggerdef(t.oid) || ';' as text
  from pg_trigger t join pg_class c on c.oid = t.tgrelid join pg_namespace n on n.oid = c.relnamespace
  where ${ours} and not t.tgisinternal order by c.relname, t.tgname`

async function texts(db: Database, query: string): Promise<string[]> {
  const rows = await db.rows<{ text: string }>({ text: query, values: [] })
  return rows.map((row) => row.text)
}
