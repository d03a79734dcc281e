import { expect, test } from 'vitest'
import { sql } from '../../src/postgres/sql.js'
import { freshDatabase } from '../support/database.js'
import { readPage } from '../support/doc-pages.js'

/** docs/operating/scaling.md describes the real schema. */

const db = await freshDatabase()
const page = readPage('docs/operating/scaling.md')
const between = (start: string, end?: string) => {
  const [, after = ''] = page.split(start)
  const text = end === undefined ? after : after.split(end)[0]!
  return new Set([...text.matchAll(/`([a-z]+(?:_[a-z]+)*)`/g)].map(([, name]) => name!))
}
const listed = {
  spread: between('**These carry', '**These do not**'),
  elsewhere: between('**These do not**', '**These rules'),
  unique: between('**These rules', '**These statements'),
  due: between('**These statements'),
}

const isOurs = sql`c.relnamespace = 'public'::regnamespace and c.relname not like 'migrations%'`
const hasColumn = (relation: string) => sql`
  exists (select from pg_attribute a where a.attrelid = ${sql.identifier(relation)}
    and a.attname = 'environment_id' and not a.attisdropped)`

test('which tables carry environment_id', async () => {
  const rows = await db.rows(sql<{ name: string; isSpread: boolean }>`
    select c.relname as name, ${hasColumn('c.oid')} as is_spread from pg_class c
    where c.relkind = 'r' and ${isOurs}`)
  const names = (isSpread: boolean) =>
    rows.filter((row) => row.isSpread === isSpread).map(({ name }) => name)
  expect([...listed.spread].filter((name) => name !== 'environment_id').toSorted()).toEqual(
    names(true).toSorted(),
  )
  expect([...listed.elsewhere].toSorted()).toEqual(names(false).toSorted())
})

test('which of their indexes do not have it', async () => {
  const rows = await db.rows(sql<{ name: string; isUnique: boolean }>`
    select x.relname as name, i.indisunique as is_unique from pg_index i
    join pg_class c on c.oid = i.indrelid join pg_class x on x.oid = i.indexrelid
    where ${isOurs} and ${hasColumn('c.oid')} and not exists (
      select from pg_attribute a where a.attrelid = c.oid and a.attname = 'environment_id'
        and a.attnum = any(i.indkey))`)
  const of = (isUnique: boolean) => rows.filter((row) => row.isUnique === isUnique)
  expect(of(true).filter(({ name }) => !listed.unique.has(name))).toEqual([])
  expect(of(false).filter(({ name }) => !listed.due.has(name))).toEqual([])
  const known = new Set([...rows.map(({ name }) => name), ...listed.spread, ...listed.elsewhere])
  const invented = [...listed.unique, ...listed.due].filter((name) => !known.has(name))
  expect(invented.filter((name) => name !== 'reconcile')).toEqual([])
})
