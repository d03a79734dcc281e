import { readdir } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { migrate } from '../../src/postgres/migrate.js'
import { sql } from '../../src/postgres/sql.js'
import { emptyDatabase } from '../support/database.js'

const core = await listFolder('../../migrations/')
const simulation = await listFolder('../../migrations/simulation/')
const names = [...core, ...simulation].map((file) => file.replace(/\.sql$/, ''))

async function listFolder(path: string): Promise<string[]> {
  const entries = await readdir(new URL(path, import.meta.url), { withFileTypes: true })
  return entries.flatMap((entry) => (entry.isFile() ? [entry.name] : [])).sort()
}

// A file with an unexpected name would be skipped silently, and two files with one number would run
// in another order on another machine.
test('migrations are numbered from 1 without gaps across both folders', () => {
  for (const [index, file] of [...core, ...simulation].sort().entries()) {
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
  expect(rows.map(({ name }) => name)).toEqual([...names].sort())
  expect(await migrate(db.url)).toEqual([])
})

// An older program on a newer database would write by rules it has not read.
test('a database that was migrated by a newer version is refused and left alone', async () => {
  const db = await emptyDatabase()
  await migrate(db.url)
  await db.rows(sql`insert into migrations values ('9999_from_the_future', '2030-01-01T00:00:00Z')`)
  await expect(migrate(db.url)).rejects.toThrow('9999_from_the_future is unknown')
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

// The schema of production can be created without the tables of the sandbox bank, and they can be
// added later.
test('the simulation has migrations of its own', async () => {
  const db = await emptyDatabase()
  const findSandboxTables = () =>
    db.rows(sql<{ name: string }>`
      select table_name as name from information_schema.tables
      where table_schema = 'public' and table_name like 'sandbox%'`)
  expect(await migrate(db.url, { simulation: false })).toHaveLength(core.length)
  expect(await findSandboxTables()).toEqual([])
  expect(await migrate(db.url)).toHaveLength(simulation.length)
  expect(await findSandboxTables()).toHaveLength(4)
})
