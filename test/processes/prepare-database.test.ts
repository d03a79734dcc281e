import pg from 'pg'
import { expect, test } from 'vitest'
import { Secret } from '../../src/base/secret.js'
import { sql } from '../../src/postgres/sql.js'
import { connect } from '../../src/postgres/wire/connection.js'
import { planPreparation, prepareDatabase } from '../../src/processes/prepare-database.js'
import { emptyDatabase } from '../support/database.js'
import { onlySandbox } from '../support/open-manilla.js'
import { runCommandOn } from '../support/program.js'

const configOf = (letter: string) => ({
  secret: new Secret(letter.repeat(32)),
  bank: onlySandbox.bank,
})
const db = await emptyDatabase()

// The variable is what an operator can change; `connect ECONNREFUSED` names neither.
test('a database that cannot be opened is reported with the variable and what to do', async () => {
  const { username } = new URL(db.url)
  const { host, port } = new pg.Client(db.url)
  const address = host.startsWith('/') ? `${host}/.s.PGSQL.${port}` : `${host}:${port}`
  const open = (url: string) =>
    prepareDatabase(url, { ...configOf('a'), databaseUrl: new Secret(url) })
  const missing = new URL(db.url)
  missing.pathname = '/no_such_database'
  await expect(open(missing.href)).rejects.toThrow(
    `DATABASE_URL: cannot open "no_such_database" at ${address}. The database does not exist.`,
  )
  // As PostgreSQL documents a socket: with a user, without a host.
  await expect(open(`postgres://${username}@/x?host=/nowhere&port=5433`)).rejects.toThrow(
    'DATABASE_URL: cannot open /nowhere/.s.PGSQL.5433 (ENOENT). Check host and port',
  )
  await expect(open(`postgres://${username}:hunter2@127.0.0.1:1/x`)).rejects.toThrow(
    /^DATABASE_URL: cannot open 127\.0\.0\.1:1 \(ECONNREFUSED\)\. Check host and port/,
  )
})

// With another secret every API key would be rejected and no sealed value could be opened. Starting
// anyway would look like an attack to every merchant.
test('a database is opened only with the secret it was created with', async () => {
  expect(await prepareDatabase(db.url, configOf('a'))).not.toEqual([])
  expect(await prepareDatabase(db.url, configOf('a'))).toEqual([])
  await expect(prepareDatabase(db.url, configOf('b'))).rejects.toThrow(/belongs to another secret/)
})

// A process with the wrong secret probably has the wrong database, too.
test('a database of another secret is not migrated', async () => {
  const before = await emptyDatabase()
  await prepareDatabase(before.url, configOf('a'), { simulation: false })
  await expect(prepareDatabase(before.url, configOf('b'))).rejects.toThrow(/another secret/)
  await expect(planPreparation(before.url, configOf('b'))).rejects.toThrow(/another secret/)
  const [table] = await before.rows(sql`select to_regclass('sandbox_accounts') as found`)
  expect(table).toEqual({ found: null })
  expect(await planPreparation(before.url, configOf('a'))).toMatchObject({
    missing: [{ name: '0007_sandbox_bank' }, {}, {}],
    obstacle: undefined,
  })
})

test('a dry run prints what is missing and who is in the way', async () => {
  const old = await emptyDatabase()
  const migrateCommand = (...words: string[]) =>
    runCommandOn({ databaseUrl: old.url, secret: 'a'.repeat(32) }, 'migrate', ...words)
  const empty = await migrateCommand('--dry-run')
  expect(empty).toMatchObject({ code: 0, err: '' })
  expect(empty.out).toMatch(/^Missing:\n {2}0001_merchants: older processes must be stopped\n/)
  expect(empty.out).toMatch(/All of them can be applied now\.\n$/)
  await migrateCommand()
  expect((await migrateCommand('--dry-run')).out).toBe('Already up to date.\n')
  await old.rows(sql`delete from migrations where name = '0048_exchange_actions'`)
  const running = await connect(old.url, 'manilla wake-ups 0047')
  const refused = await migrateCommand('--dry-run')
  expect(refused.code).toBe(1)
  expect(refused.out).toMatch(
    /Processes of an older version are running: worker .* must be stopped/,
  )
  await running.end()
})
