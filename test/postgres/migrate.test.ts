import { readdir } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { findObstacle, migrate, planMigrations } from '../../src/postgres/migrations/migrate.js'
import { sql } from '../../src/postgres/sql.js'
import { connect, connectListener } from '../../src/postgres/wire/connection.js'
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

// A later migration fails, because its second table already exists. Nothing of it must remain, and
// those before it are done: one transaction for all would hold their locks until the last ends.
test('each migration runs whole or not at all', async () => {
  const db = await emptyDatabase()
  await db.rows(sql`create table deliveries (id integer)`)
  await expect(migrate(db.url)).rejects.toMatchObject({ code: '42P07' })
  const applied = await db.rows(sql<{ name: string }>`select name from migrations order by name`)
  expect(applied.map(({ name }) => name)).toEqual(names.slice(0, 3))
  const [table] = await db.rows(sql`select to_regclass('events') as found`)
  expect(table).toEqual({ found: null })
  await db.rows(sql`drop table deliveries`)
  expect(await migrate(db.url)).toEqual(names.slice(3))
})

// Every request on the table would wait behind the migration, for as long as the other session
// pleases.
test('a migration gives up when another session keeps its table', async () => {
  const db = await emptyDatabase()
  await migrate(db.url)
  await db.rows(sql`delete from migrations where name = '0034_secret_rotation'`)
  await db.transaction(async (tx) => {
    await tx.rows(sql`lock table installation`)
    await expect(migrate(db.url)).rejects.toThrow(
      /^Migration 0034_secret_rotation was not applied: another session used a table/,
    )
  })
})

// Its rules would change under a process that does not know them.
test('a migration is refused while processes run that do not know it', async () => {
  const db = await emptyDatabase()
  await migrate(db.url)
  const newest = [...names].sort().at(-1)!
  await db.rows(sql`delete from migrations where name = ${newest}`)
  const older = await connect(db.url, 'manilla streams 0001')
  const { missing, obstacle } = await planMigrations(db.url, { simulation: true })
  expect(missing.map(({ name }) => name)).toEqual([newest])
  expect(obstacle).toMatch(/^Processes of an older version are running: API /)
  await expect(migrate(db.url)).rejects.toThrow(`must be stopped before ${newest} can be applied`)
  await older.end()
  // A worker of this version knows the migration, and what is no listener is no process.
  const others = [
    await connectListener(db.url, 'manilla wake-ups'),
    await connect(db.url, 'manilla 0001'),
  ]
  expect(await planMigrations(db.url, { simulation: true })).toMatchObject({ obstacle: undefined })
  for (const client of others) await client.end()
})

test('a process is tolerated if it knows what the migration requires', () => {
  const since = new Date()
  const judge = (knownMin: string | undefined, newestKnown: string | undefined) =>
    findObstacle(
      [{ name: '0060_more', text: '', knownMin }],
      [{ kind: 'API', newestKnown, address: null, since }],
      '0059',
    ) === undefined
  expect(judge(undefined, '0059')).toBe(false)
  expect(judge(undefined, '0060')).toBe(true)
  expect(judge('0059', '0059')).toBe(true)
  expect(judge('0059', '0058')).toBe(false)
  // An older process, whose listener does not name it, knows what was applied when it started.
  expect(judge('0059', undefined)).toBe(true)
  expect(judge(undefined, undefined)).toBe(false)
})

// An older process that restarts during an upgrade must come back, and an upgrade within the window
// can be taken back.
test('an older version runs on a newer database whose migrations tolerate it', async () => {
  const db = await emptyDatabase()
  await migrate(db.url)
  const newest = [...names].sort().at(-1)!.slice(0, 4)
  await db.rows(sql`insert into migrations values ('9998_tolerant', '2030', ${newest})`)
  expect(await migrate(db.url)).toEqual([])
  await db.rows(sql`insert into migrations values ('9999_strict', '2030', '9998')`)
  await expect(migrate(db.url)).rejects.toThrow('9999_strict is unknown')
})

test('a plan changes nothing', async () => {
  const db = await emptyDatabase()
  const { missing } = await planMigrations(db.url, { simulation: true })
  expect(missing.map(({ name }) => name)).toEqual(names)
  const [table] = await db.rows(sql`select to_regclass('migrations') as found`)
  expect(table).toEqual({ found: null })
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
