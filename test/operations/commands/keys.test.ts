import { expect, test } from 'vitest'
import { after, day, hour, second } from '../../../src/base/clock.js'
import { createKeyRing } from '../../../src/merchants/keys/key-ring.js'
import { sql } from '../../../src/postgres/sql.js'
import { freshDatabase } from '../../support/database.js'
import { clock, createConsole, seal } from './commands.js'

const db = await freshDatabase()
const { run, runJson } = createConsole(db)
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

test('a new merchant gets two working test keys, which are shown once', async () => {
  const result = await run('merchants', 'create', 'Ada Stores')
  const keys = result.out.match(/\b[sp]k_test_[0-9A-Za-z]{38}/g)!
  expect(keys.map((key) => key.slice(0, 3))).toEqual(['sk_', 'pk_'])
  expect(result.out).toMatch(/^mer_\w{26} {2}Ada Stores\n/)
  expect(result.out).toContain('not shown again')
  const ring = createKeyRing({ db, seal, clock })
  for (const key of keys)
    expect(await ring.find(key, address)).toMatchObject({
      environment: { mode: 'test', merchantName: 'Ada Stores' },
    })
  expect(result.exitCode).toBe(0)
})

test('a key can be created, listed, rolled and revoked', async () => {
  const { reference: merchant } = await runJson('merchants', 'create', 'Ada Stores')
  const created = await runJson(
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
    '--permission',
    'payouts.create',
    '--payouts-wait',
  )
  expect(created.key).toMatch(/^sk_live_/)
  expect(created).toMatchObject({
    expiresAt: '2026-02-04T09:00:00.000Z',
    allowedAddresses: ['203.0.113.0/24', '2001:db8::1'],
    permissions: ['payouts.create'],
    payoutsWaitForApproval: true,
  })

  // The new key is valid as long as the old one was.
  const lifetimeMs = Date.parse(created.expiresAt) - Date.parse(created.createdAt)
  const rolled = await runJson('keys', 'roll', created.reference, '--grace', '2h')
  expect(rolled).toMatchObject({
    rolledFrom: created.reference,
    payoutsWaitForApproval: true,
    oldExpiresAt: after(clock.now(), 2 * hour).toISOString(),
    expiresAt: after(clock.now(), lifetimeMs).toISOString(),
  })
  const ring = createKeyRing({ db, seal, clock })
  expect(await ring.find(created.key, address)).toBeDefined()
  expect(await ring.find(rolled.key, address)).toBeDefined()

  await runJson('keys', 'revoke', rolled.reference)
  clock.advance(second)
  expect(await ring.find(rolled.key, address)).toBeUndefined()
  expect(await ring.find(created.key, address)).toBeDefined()

  const list = (await run('keys', 'list', merchant)).out
  expect(list).toMatch(new RegExp(`${rolled.reference}.* revoked `))
  expect(list).toMatch(new RegExp(`${created.reference}.* rolled, in grace period `))
  expect(list).not.toContain(rolled.key.slice(8, 40))
})

test('rolling gives the old key a day by default; revoking twice is reported', async () => {
  const { keys } = await runJson('merchants', 'create', 'Ada Stores')
  const rolled = await runJson('keys', 'roll', keys[0].reference)
  expect(rolled.oldExpiresAt).toBe(after(clock.now(), day).toISOString())
  await run('keys', 'revoke', keys[1].reference)
  const again = await run('keys', 'revoke', keys[1].reference)
  expect(again).toMatchObject({ exitCode: 0, err: '' })
  expect(again.out).toContain('was already revoked')
})

// The audit log has a line for each of these keys, but never the key itself.
test('no table holds a key that a command has shown', async () => {
  const { reference: merchant, keys } = await runJson('merchants', 'create', 'Ada Stores')
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
  const created = await runJson(...create)
  const rolled = await runJson('keys', 'roll', created.reference, '--grace', '0s')
  await runJson('keys', 'revoke', rolled.reference)
  const dump = await dumpDatabase()
  for (const { key, reference } of [...keys, created, rolled]) {
    expect(dump).toContain(reference)
    expect(dump).not.toContain(key.slice(8, 40))
    expect(dump).not.toContain(Buffer.from(key).toString('base64').slice(0, 40))
  }
})

test('invalid key commands are refused in one line and change nothing', async () => {
  const { reference: merchant } = await runJson('merchants', 'create', 'Ada Stores')
  const create = ['keys', 'create', merchant, '--mode', 'test', '--kind', 'secret', '--name', 'x']
  const wrong = [
    ['keys', 'create', merchant, '--kind', 'secret', '--name', 'x'],
    ['keys', 'create', merchant, '--mode', 'demo', '--kind', 'secret', '--name', 'x'],
    ['keys', 'create', merchant, '--mode', 'test', '--kind', 'secret', '--name', ' '],
    ['keys', 'create', 'mer_1', '--mode', 'test', '--kind', 'secret', '--name', 'x'],
    [...create, '--expires', '2026-02-30'],
    [...create, '--expires', '2020-01-01'],
    [...create, '--expires', 'tomorrow'],
    [...create, '--allow', '10.0.0.0/99'],
    ['keys', 'roll', 'key_1'],
    ['keys', 'roll', 'key_1', '--grace', '8x'],
    ['keys', 'revoke', 'key_1'],
    ['keys', 'list', 'mer_1'],
    ['merchants', 'create', 'a\tb'],
    ['merchants', 'create', 'x'.repeat(101)],
  ]
  const before = await runJson('keys', 'list', merchant)
  for (const words of wrong) {
    const result = await run(...words)
    expect(result.exitCode, words.join(' ')).toBe(1)
    expect(result.out).toBe('')
    expect(result.err.trimEnd().split('\n'), result.err).toHaveLength(1)
  }
  const [key] = await runJson('keys', 'list', merchant)
  expect((await run('keys', 'roll', key.reference, '--grace', '169h')).err).toContain('7 days')
  expect(await runJson('keys', 'list', merchant)).toEqual(before)
})
