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

// Eight processes start at once on an empty database, as eight containers would, and share nothing
// else. All must succeed, each migration must run once, and one process must run them all.
test('eight processes can migrate an empty database at the same time', async () => {
  const db = await emptyDatabase()
  const ran = await Promise.all(Array.from({ length: 8 }, () => migrate(db.url)))

  expect(ran.filter((list) => list.length > 0)).toEqual([names])
  const rows = await db.rows(sql<{ name: string }>`select name from migrations order by name`)
  expect(rows.map(({ name }) => name)).toEqual([...names].sort())
  expect(await migrate(db.url)).toEqual([])
})

// An older version does not know the rules of a newer schema.
test('a database migrated by a newer version is refused and not changed', async () => {
  const db = await emptyDatabase()
  await migrate(db.url)
  await db.rows(sql`insert into migrations values ('9999_from_the_future', '2030-01-01T00:00:00Z')`)
  await expect(migrate(db.url)).rejects.toThrow('9999_from_the_future is unknown')
  const [row] = await db.rows(sql<{ count: bigint }>`select count(*) from migrations`)
  expect(row!.count).toBe(BigInt(names.length) + 1n)
})

// A later migration fails, because its table already exists. Then none of them must have run: no
// version supports a database between two versions.
test('migrations run all or none', async () => {
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

// The production schema can be created without the tables of the sandbox bank, and they can be
// added later.
test('the simulation has its own migrations', async () => {
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
