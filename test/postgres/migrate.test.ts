import { readdir } from 'node:fs/promises'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { migrate } from '../../src/postgres/migrate.js'
import { emptyDatabase } from '../support/database.js'

const files = await readdir(new URL('../../migrations/', import.meta.url))
const names = files.sort().map((file) => file.replace(/\.sql$/, ''))

// A file that the program does not recognize would be skipped without a word, and a number given
// twice or left out would run in another order on another machine.
test('migrations are numbered from 1 without gaps, and every file is one', () => {
  for (const [index, file] of files.sort().entries()) {
    const number = `${index + 1}`.padStart(4, '0')
    expect(file).toMatch(new RegExp(`^${number}_[a-z_]+\\.sql$`))
  }
})

// Eight programs start at once on an empty database, as eight containers would; each has connections
// of its own and shares nothing else. All must succeed, each migration must have run once, and one of
// them must have run them all.
test('eight programs can migrate an empty database at the same time', async () => {
  const db = await emptyDatabase()
  const ran = await Promise.all(Array.from({ length: 8 }, () => migrate(db.url)))

  expect(ran.filter((list) => list.length > 0)).toEqual([names])
  const rows = await db.rows(sql<{ name: string }>`select name from migrations order by name`)
  expect(rows.map(({ name }) => name)).toEqual(names)
  expect(await migrate(db.url)).toEqual([])
})

// An older program on a newer database would write by rules it has not read.
test('a database that was migrated by a newer version is refused and left alone', async () => {
  const db = await emptyDatabase()
  await migrate(db.url)
  await db.rows(sql`insert into migrations values ('9999_from_the_future', '2030-01-01T00:00:00Z')`)
  await expect(migrate(db.url)).rejects.toThrow('9999_from_the_future is missing')
  const [row] = await db.rows(sql<{ count: bigint }>`select count(*) from migrations`)
  expect(row!.count).toBe(BigInt(names.length) + 1n)
})

// A later migration cannot run, because its table is in the way. Then none of them has run: a
// database between two versions would be understood by no program.
test('migrations are done all or none', async () => {
  const db = await emptyDatabase()
  await db.rows(sql`create table deliveries (id integer)`)
  await expect(migrate(db.url)).rejects.toMatchObject({ code: '42P07' })
  const tables = await db.rows(sql<{ name: string }>`
    select table_name as name from information_schema.tables
    where table_schema = 'public' and table_name not like 'migrations%'`)
  expect(tables).toEqual([{ name: 'deliveries' }])
  await db.rows(sql`drop table deliveries`)
  expect(await migrate(db.url)).toEqual(names)
})
