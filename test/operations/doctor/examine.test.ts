import { chmodSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { systemClock } from '../../../src/base/clock.js'
import { readConfig } from '../../../src/base/config.js'
import { createSeal } from '../../../src/base/sealed.js'
import { Secret } from '../../../src/base/secret.js'
import type { CheckResult } from '../../../src/operations/doctor/check-result.js'
import { examineDatabase } from '../../../src/operations/doctor/examine-database.js'
import {
  examineHome,
  examineKeys,
  examineModes,
  examineNodeVersion,
} from '../../../src/operations/doctor/examine-machine.js'
import {
  examineEndpoints,
  examineTreasuries,
} from '../../../src/operations/doctor/examine-rails.js'
import { examineService, examineWork } from '../../../src/operations/doctor/examine-work.js'
import { sql } from '../../../src/postgres/sql.js'
import { connect, connectListener } from '../../../src/postgres/wire/connection.js'
import type { OpenRails } from '../../../src/processes/open-rails.js'
import { prepareDatabase } from '../../../src/processes/prepare-database.js'
import { startChain } from '../../simulation/localnet/localnet.js'
import { manualClock } from '../../support/clock.js'
import { emptyDatabase, freshDatabase } from '../../support/database.js'
import { onlySandbox, openManilla } from '../../support/open-manilla.js'
import { openReceiver } from '../../support/receiver.js'

/** Each check runs against something that is really broken, and must report it with a fix. */

const folder = mkdtempSync(path.join(tmpdir(), 'manilla-doctor-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const settings = { DATABASE_URL: 'postgres://nobody', MANILLA_SECRET: 's'.repeat(32) }
const secretOf = (letter: string) => new Secret(letter.repeat(32))
const sealOf = (letter: string) => createSeal(secretOf(letter))
const configOf = (letter: string, bank: 'sandbox' | 'none' = 'sandbox') => ({
  secret: secretOf(letter),
  bank: { ...onlySandbox.bank, test: { collect: bank, payout: bank, floatMin: 0n } },
})
const statesOf = (results: CheckResult[]) =>
  Object.fromEntries(results.map(({ check, state }) => [check, state]))

/** Every warning and error suggests a fix. */
function expectFixes(results: CheckResult[]): void {
  for (const { state, fix } of results) if (state !== 'ok') expect(fix).toBeTruthy()
}

test.each([
  ['20.19.0', 'ok'],
  ['22.0.0', 'ok'],
  ['20.18.9', 'error'],
  ['18.99.0', 'error'],
])('Node %s is %s', (version, state) => {
  expect(examineNodeVersion(version).state).toBe(state)
})

test('a secret file that other users can read is reported with the command that fixes it', () => {
  writeFileSync(path.join(folder, 'secret'), 's'.repeat(64), { mode: 0o600 })
  const config = readConfig({ MANILLA_HOME: folder })
  expect(config.secretFile).toBe(path.join(folder, 'secret'))
  expect(readConfig({ ...settings, MANILLA_HOME: folder }).secretFile).toBeUndefined()
  expect(statesOf(examineHome(config))).toEqual({ 'Secret files': 'ok' })
  chmodSync(path.join(folder, 'secret'), 0o640)
  const [result] = examineHome(config)
  expect(result).toMatchObject({ state: 'error', fix: `chmod 600 ${folder}/secret` })
})

// A new secret would hide that the one with which all keys were hashed is lost.
test('a missing secret beside an existing database is not created again', () => {
  const home = mkdtempSync(path.join(folder, 'home-'))
  mkdirSync(path.join(home, 'data'))
  expect(() => readConfig({ MANILLA_HOME: home })).toThrow('secret is missing. Restore it')
  expect(readdirSync(home)).toEqual(['data'])
})

test('reports what live mode can do', () => {
  const chain = { SOLANA_LIVE_RPC_URLS: 'http://127.0.0.1:1', SOLANA_LIVE_KEY_FILE: '/x' }
  const states = (more: object) => statesOf(examineModes(readConfig({ ...settings, ...more })))
  expect(states({})).toEqual({ 'Live mode': 'warning', PUBLIC_URL: 'warning' })
  expect(states({ ...chain, PUBLIC_URL: 'https://pay.example.com' })).toEqual({
    'Live mode': 'ok',
  })
})

test('a test mode without a bank is reported', () => {
  const withoutBank = examineModes(readConfig({ ...settings, BANK_TEST: 'none' }))
  expect(withoutBank.find(({ check }) => check === 'Test mode')).toMatchObject({
    state: 'ok',
    message: 'no bank (BANK_TEST=none): naira payments are refused',
  })
})

test('unreadable keys are reported by variable, without their content', async () => {
  const chain = { SOLANA_LIVE_RPC_URLS: 'http://127.0.0.1:1' }
  const keys = (more: object) => examineKeys(readConfig({ ...settings, ...chain, ...more }))
  const errors = [
    ...(await keys({ SOLANA_LIVE_SECRET_KEY: 'notakey' })),
    ...(await keys({ SOLANA_LIVE_KEY_FILE: path.join(folder, 'none') })),
  ]
  expect(errors.map(({ state }) => state)).toEqual(['error', 'error'])
  expect(errors.map(({ fix }) => fix)).toEqual([
    'Check SOLANA_LIVE_SECRET_KEY.',
    'Check SOLANA_LIVE_KEY_FILE.',
  ])
  expect(JSON.stringify(errors)).not.toContain('notakey')
})

describe('the database', () => {
  // Both versions may run for a while; then the old one should be stopped.
  test('is a warning while processes of an older version run on it', async () => {
    const db = await freshDatabase()
    await prepareDatabase(db.url, configOf('a'))
    const examineIt = async () =>
      (
        await examineDatabase({ db, clock: systemClock, seal: sealOf('a'), simulation: true })
      ).filter(({ check }) => check === 'Versions')
    const current = await connectListener(db.url, 'manilla streams')
    expect(await examineIt()).toEqual([])
    const older = await connect(db.url, 'manilla wake-ups 0001')
    expect(await examineIt()).toMatchObject([
      { state: 'warning', message: expect.stringMatching(/^of an older version: worker /) },
    ])
    await Promise.all([current.end(), older.end()])
  })

  test('is ok when this version prepared it with this secret', async () => {
    const db = await freshDatabase()
    await prepareDatabase(db.url, configOf('a'))
    const results = await examineDatabase({
      db,
      clock: systemClock,
      seal: sealOf('a'),
      simulation: true,
    })
    expect(statesOf(results)).toMatchObject({ Database: 'ok', Schema: 'ok', Clock: 'ok' })

    const other = await examineDatabase({
      db,
      clock: systemClock,
      seal: sealOf('b'),
      simulation: true,
    })
    expect(statesOf(other)).toMatchObject({ Schema: 'ok', Secret: 'error' })

    const late = await examineDatabase({
      db,
      clock: manualClock(),
      seal: sealOf('a'),
      simulation: true,
    })
    expect(statesOf(late)).toMatchObject({ Clock: 'warning' })

    await db.rows(sql`insert into migrations values ('9999_from_the_future', now()::text)`)
    const ahead = await examineDatabase({
      db,
      clock: systemClock,
      seal: sealOf('a'),
      simulation: true,
    })
    expect(statesOf(ahead)).toMatchObject({ Schema: 'error' })
    expectFixes([...results, ...other, ...late, ...ahead])
  })

  test('needs the sandbox tables only where test mode has the sandbox bank', async () => {
    const db = await emptyDatabase()
    await prepareDatabase(db.url, configOf('a', 'none'))
    const schemaOf = async (simulation: boolean) => {
      const tools = { db, clock: systemClock, seal: sealOf('a'), simulation }
      return (await examineDatabase(tools)).find(({ check }) => check === 'Schema')
    }
    expect(await schemaOf(false)).toMatchObject({ state: 'ok' })
    expect(await schemaOf(true)).toMatchObject({
      state: 'warning',
      message:
        'the tables of the sandbox bank are missing: 0007_sandbox_bank, 0010_sandbox_collections, 0061_plain_words_of_the_sandbox',
    })
    // Turning the sandbox bank off later leaves its tables in place.
    await prepareDatabase(db.url, configOf('a'))
    expect(await schemaOf(false)).toMatchObject({ state: 'ok' })
  })

  // Tests run without fsync, for speed; the doctor must report that.
  test('is an error when it can lose acknowledged commits', async () => {
    const db = await freshDatabase()
    const [row] = await db.rows(sql<{ fsync: string }>`show fsync`)
    await prepareDatabase(db.url, configOf('a'))
    const results = await examineDatabase({
      db,
      clock: systemClock,
      seal: sealOf('a'),
      simulation: true,
    })
    expect(statesOf(results).Durability).toBe(row!.fsync === 'on' ? 'ok' : 'error')
    const name = new URL(db.url).pathname.slice(1)
    await db.rows({ text: `alter database ${name} set synchronous_commit = off`, values: [] })
    const { Database } = await import('../../../src/postgres/database.js')
    const again = new Database(db.url, () => {})
    const weak = await examineDatabase({
      db: again,
      clock: systemClock,
      seal: sealOf('a'),
      simulation: true,
    })
    await again.close()
    const durability = weak.find(({ check }) => check === 'Durability')
    expect(durability).toMatchObject({ state: 'error' })
    expect(durability!.message).toContain('synchronous_commit')
  })

  test('without migrations is reported, and not changed', async () => {
    const db = await emptyDatabase()
    const results = await examineDatabase({
      db,
      clock: systemClock,
      seal: sealOf('a'),
      simulation: true,
    })
    expect(statesOf(results)).toMatchObject({ Schema: 'error' })
    const [made] = await db.rows(sql<{ count: bigint }>`
      select count(*) as count from pg_tables where schemaname = 'public'`)
    expect(made!.count).toBe(0n)
  })
})

describe('rails', () => {
  test('a node that responds is ok; an unreachable one, or one of another chain, is an error', async () => {
    const chain = await startChain()
    await chain.advance(40)
    const db = await freshDatabase()
    const at = (mode: 'test' | 'live', url: string) => {
      const config = readConfig(settings)
      config.solana[mode].urls.push(url)
      return examineEndpoints(config, mode, { db, clock: systemClock })
    }
    expect(statesOf(await at('test', chain.url))).toEqual({ 'Solana (test)': 'ok' })
    const errors = [...(await at('live', chain.url)), ...(await at('test', 'http://127.0.0.1:9'))]
    expect(errors.map(({ state }) => state)).toEqual(['error', 'error'])
    expect(errors[0]!.message).toContain('not on mainnet')
    expectFixes(errors)
  })

  test('a treasury below its floors is reported with the missing amounts and its address', async () => {
    const db = await freshDatabase()
    const rail = {
      treasuryAddress: 'So1anaTreasury',
      treasuryBalances: async () => ({ SOL: 0n, USDC: 5_000_000n, USDT: 0n }),
    }
    const treasury = { mode: 'live' as const, rail, floors: { USDC: 7_500_000n } }
    const rails = { treasuries: [treasury] } as unknown as OpenRails
    const [result] = await examineTreasuries(db, rails)
    expect(result).toMatchObject({
      state: 'error',
      fix: 'Send 0.000000001 SOL and 2.5 USDC to So1anaTreasury.',
    })
    expect(result!.message).toContain('2.5 USDC')
    expect(result!.message).toContain('0.000000001 SOL')
  })
})

describe('the service', () => {
  test('is ok when ready, an error when not, and a warning when never started', async () => {
    const { url } = await openManilla()
    expect((await examineService(url)).state).toBe('ok')
    const broken = await openReceiver((response) => response.writeHead(503).end())
    expect((await examineService(broken.url)).state).toBe('error')
    expect((await examineService('http://127.0.0.1:9')).state).toBe('error')
    expect((await examineService(undefined)).state).toBe('warning')
  })

  test('overdue work is an error after some minutes', async () => {
    const service = await openManilla()
    const key = service.merchant.test.secret
    const { url } = await openReceiver()
    const made = await service.ask('POST', '/v1/webhook-endpoints', { key, body: { url } })
    const { id } = made.json.data
    await service.ask('POST', `/v1/webhook-endpoints/${id}/test`, { key })
    const { db, clock } = service
    expect(statesOf(await examineWork({ db, clock }))).toEqual({ Work: 'ok' })
    const later = { now: () => new Date(clock.now().getTime() + 3_600_000), elapsedMs: () => 0 }
    const results = await examineWork({ db, clock: later })
    expect(results).toMatchObject([{ check: 'Work', state: 'error' }])
    expect(results[0]!.message).toContain('1 webhooks')

    // An endpoint that fails is its merchant's matter: more workers would not help.
    await db.rows(sql`update webhook_endpoints set failing_since = ${clock.now()}`)
    const failing = await examineWork({ db, clock: later })
    expect(statesOf(failing)).toEqual({ Work: 'ok', Receivers: 'warning' })
    expect(failing[1]!.message).toMatch(
      `1 webhook endpoints fail, the longest since ${clock.now().toISOString()}: ${id}; 1 webhooks`,
    )
    await db.rows(sql`update webhook_endpoints set failing_since = null`)

    // Deliveries to an endpoint that the merchant disabled do not count.
    const off = { key, body: { enabled: false } }
    await service.ask('PATCH', `/v1/webhook-endpoints/${id}`, off)
    expect(statesOf(await examineWork({ db, clock: later }))).toEqual({ Work: 'ok' })
  })
})
