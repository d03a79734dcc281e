import { expect, test } from 'vitest'
import { after, day, hour, second } from '../../../src/base/clock.js'
import { createKeyRing } from '../../../src/merchants/key-ring.js'
import { sql } from '../../../src/postgres/sql.js'
import { freshDatabase } from '../../support/database.js'
import { clock, createConsole, seal } from './commands.js'

const db = await freshDatabase()
const { run, ask } = createConsole(db)
const address = '203.0.113.7'

/** Every row of every table, as text. */
async function dumpDatabase(): Promise<string> {
  const tables = await db.rows(sql<{ name: string }>`
    select table_name as name from information_schema.tables where table_schema = 'public'`)
  const dumps = tables.map(({ name }) =>
    db.rows(sql<{ row: string }>`select t::text as row from ${sql.identifier(name)} t`),
  )
  return (await Promise.all(dumps))
    .flat()
    .map(({ row }) => row)
    .join('\n')
}

test('a new merchant gets two test keys that work and a line saying they are shown once', async () => {
  const said = await run('merchants', 'create', 'Ada Stores')
  const keys = said.out.match(/\b[sp]k_test_[0-9A-Za-z]{38}/g)!
  expect(keys.map((key) => key.slice(0, 3))).toEqual(['sk_', 'pk_'])
  expect(said.out).toMatch(/^mer_\w{26} {2}Ada Stores\n/)
  expect(said.out).toContain('shown this once')
  const ring = createKeyRing({ db, seal, clock })
  for (const key of keys)
    expect(await ring.find(key, address)).toMatchObject({
      environment: { mode: 'test', merchantName: 'Ada Stores' },
    })
  expect(said.exitCode).toBe(0)
})

test('a key lives through create, list, roll and revoke as its owner expects', async () => {
  const { reference: merchant } = await ask('merchants', 'create', 'Ada Stores')
  const created = await ask(
    'keys',
    'create',
    merchant,
    '--mode',
    'live',
    '--kind',
    'secret',
    '--name',
    'Backend',
    '--expires',
    '2026-02-04T09:00',
    '--allow',
    '203.0.113.0/24',
    '--allow',
    '2001:db8::1',
  )
  expect(created.key).toMatch(/^sk_live_/)
  expect(created).toMatchObject({
    expiresAt: '2026-02-04T09:00:00.000Z',
    allowedAddresses: ['203.0.113.0/24', '2001:db8::1'],
  })

  // The new key is given as long a life as the old one was.
  const lifetimeMs = Date.parse(created.expiresAt) - Date.parse(created.createdAt)
  const rolled = await ask('keys', 'roll', created.reference, '--grace', '2h')
  expect(rolled).toMatchObject({
    rolledFrom: created.reference,
    oldExpiresAt: after(clock.now(), 2 * hour).toISOString(),
    expiresAt: after(clock.now(), lifetimeMs).toISOString(),
  })
  const ring = createKeyRing({ db, seal, clock })
  expect(await ring.find(created.key, address)).toBeDefined()
  expect(await ring.find(rolled.key, address)).toBeDefined()

  await ask('keys', 'revoke', rolled.reference)
  clock.advance(second)
  expect(await ring.find(rolled.key, address)).toBeUndefined()
  expect(await ring.find(created.key, address)).toBeDefined()

  const list = (await run('keys', 'list', merchant)).out
  expect(list).toMatch(new RegExp(`${rolled.reference}.* revoked `))
  expect(list).toMatch(new RegExp(`${created.reference}.* rolled, in grace `))
  expect(list).not.toContain(rolled.key.slice(8, 40))
})

test('rolling without a grace gives the old key a day; revoking twice is said plainly', async () => {
  const { keys } = await ask('merchants', 'create', 'Ada Stores')
  const rolled = await ask('keys', 'roll', keys[0].reference)
  expect(rolled.oldExpiresAt).toBe(after(clock.now(), day).toISOString())
  await run('keys', 'revoke', keys[1].reference)
  const again = await run('keys', 'revoke', keys[1].reference)
  expect(again).toMatchObject({ exitCode: 0, err: '' })
  expect(again.out).toContain('was revoked before')
})

// The audit tells of every one of these keys; the keys themselves must be nowhere.
test('no row of any table holds a key that a command has shown', async () => {
  const { reference: merchant, keys } = await ask('merchants', 'create', 'Ada Stores')
  const create = [
    'keys',
    'create',
    merchant,
    '--mode',
    'test',
    '--kind',
    'public',
    '--name',
    'Page',
  ]
  const created = await ask(...create)
  const rolled = await ask('keys', 'roll', created.reference, '--grace', '0s')
  await ask('keys', 'revoke', rolled.reference)
  const dump = await dumpDatabase()
  for (const { key, reference } of [...keys, created, rolled]) {
    expect(dump).toContain(reference)
    expect(dump).not.toContain(key.slice(8, 40))
    expect(dump).not.toContain(Buffer.from(key).toString('base64').slice(0, 40))
  }
})

test('what is no key order is refused in one line before or without a change', async () => {
  const { reference: merchant } = await ask('merchants', 'create', 'Ada Stores')
  const order = ['keys', 'create', merchant, '--mode', 'test', '--kind', 'secret', '--name', 'x']
  const wrong = [
    ['keys', 'create', merchant, '--kind', 'secret', '--name', 'x'],
    ['keys', 'create', merchant, '--mode', 'demo', '--kind', 'secret', '--name', 'x'],
    ['keys', 'create', merchant, '--mode', 'test', '--kind', 'secret', '--name', ' '],
    ['keys', 'create', 'mer_1', '--mode', 'test', '--kind', 'secret', '--name', 'x'],
    [...order, '--expires', '2026-02-30'],
    [...order, '--expires', '2020-01-01'],
    [...order, '--expires', 'tomorrow'],
    [...order, '--allow', '10.0.0.0/99'],
    ['keys', 'roll', 'key_1'],
    ['keys', 'roll', 'key_1', '--grace', '8x'],
    ['keys', 'revoke', 'key_1'],
    ['keys', 'list', 'mer_1'],
    ['merchants', 'create', 'a\tb'],
    ['merchants', 'create', 'x'.repeat(101)],
  ]
  const before = await ask('keys', 'list', merchant)
  for (const words of wrong) {
    const said = await run(...words)
    expect(said.exitCode, words.join(' ')).toBe(1)
    expect(said.out).toBe('')
    expect(said.err.trimEnd().split('\n'), said.err).toHaveLength(1)
  }
  const [key] = await ask('keys', 'list', merchant)
  expect((await run('keys', 'roll', key.reference, '--grace', '169h')).err).toContain('7 days')
  expect(await ask('keys', 'list', merchant)).toEqual(before)
})
