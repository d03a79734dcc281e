import { chmodSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { systemClock } from '../../../src/base/clock.js'
import { readConfig } from '../../../src/base/config.js'
import { createSeal } from '../../../src/base/sealed.js'
import { Secret } from '../../../src/base/secret.js'
import type { OpenRails } from '../../../src/open-rails.js'
import { examineDatabase } from '../../../src/operations/doctor/examine-database.js'
import {
  examineHome,
  examineKeys,
  examineModes,
  examineNode,
} from '../../../src/operations/doctor/examine-machine.js'
import { examineNodes, examineTreasuries } from '../../../src/operations/doctor/examine-rails.js'
import { examineService, examineWork } from '../../../src/operations/doctor/examine-work.js'
import type { CheckResult } from '../../../src/operations/doctor/finding.js'
import { sql } from '../../../src/postgres/sql.js'
import { prepareDatabase } from '../../../src/prepare-database.js'
import { startChain } from '../../simulation/localnet/localnet.js'
import { manualClock } from '../../support/clock.js'
import { emptyDatabase, freshDatabase } from '../../support/database.js'
import { openHouse } from '../../support/house.js'
import { openReceiver } from '../../support/receiver.js'

/** Each illness is given to something that runs, and must be named with what mends it. */

const folder = mkdtempSync(path.join(tmpdir(), 'manilla-doctor-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const settings = { DATABASE_URL: 'postgres://nobody', MANILLA_SECRET: 's'.repeat(32) }
const secretOf = (letter: string) => new Secret(letter.repeat(32))
const sealOf = (letter: string) => createSeal(secretOf(letter))
const configOf = (letter: string, bank: 'sandbox' | 'none' = 'sandbox') => ({
  secret: secretOf(letter),
  bank: { test: bank },
})
const statesOf = (findings: CheckResult[]) =>
  Object.fromEntries(findings.map(({ about, state }) => [about, state]))

/** Every finding that is not well says how to mend it. */
function expectMends(findings: CheckResult[]): void {
  for (const { state, mend } of findings) if (state !== 'well') expect(mend).toBeTruthy()
}

test.each([
  ['20.19.0', 'well'],
  ['22.0.0', 'well'],
  ['20.18.9', 'wrong'],
  ['18.99.0', 'wrong'],
])('Node %s is %s', (version, state) => {
  expect(examineNode(version).state).toBe(state)
})

test('a secret that others can read is named, with the command that closes it', () => {
  writeFileSync(path.join(folder, 'secret'), 's'.repeat(64), { mode: 0o600 })
  const config = readConfig({ MANILLA_HOME: folder })
  expect(statesOf(examineHome(config))).toEqual({ Secrets: 'well' })
  chmodSync(path.join(folder, 'secret'), 0o640)
  const [finding] = examineHome(config)
  expect(finding).toMatchObject({ state: 'wrong', mend: `chmod 600 ${folder}/secret` })
})

// Another one would only hide that the one which all keys were hashed with is lost.
test('a secret that is gone from beside its database is not made anew', () => {
  const home = mkdtempSync(path.join(folder, 'home-'))
  mkdirSync(path.join(home, 'data'))
  expect(() => readConfig({ MANILLA_HOME: home })).toThrow('secret is gone: restore it')
  expect(readdirSync(home)).toEqual(['data'])
})

test('what live mode can and cannot do is said', () => {
  const chain = { SOLANA_LIVE_RPC_URLS: 'http://127.0.0.1:1', SOLANA_LIVE_KEY_FILE: '/x' }
  const states = (more: object) => statesOf(examineModes(readConfig({ ...settings, ...more })))
  expect(states({})).toEqual({ 'Live mode': 'remark', PUBLIC_URL: 'remark' })
  expect(states({ ...chain, PUBLIC_URL: 'https://pay.example.com' })).toEqual({
    'Live mode': 'well',
  })
})

test('a test mode without a bank is reported', () => {
  const withoutBank = examineModes(readConfig({ ...settings, BANK_TEST: 'none' }))
  expect(withoutBank.find(({ about }) => about === 'Test mode')).toMatchObject({
    state: 'well',
    says: 'no bank (BANK_TEST=none): naira payments are refused',
  })
})

test('keys that cannot be read are named by their variable, and never shown', async () => {
  const chain = { SOLANA_LIVE_RPC_URLS: 'http://127.0.0.1:1' }
  const keys = (more: object) => examineKeys(readConfig({ ...settings, ...chain, ...more }))
  const wrongs = [
    ...(await keys({ SOLANA_LIVE_SECRET_KEY: 'notakey' })),
    ...(await keys({ SOLANA_LIVE_KEY_FILE: path.join(folder, 'none') })),
  ]
  expect(wrongs.map(({ state }) => state)).toEqual(['wrong', 'wrong'])
  expect(wrongs.map(({ mend }) => mend)).toEqual([
    'Check SOLANA_LIVE_SECRET_KEY.',
    'Check SOLANA_LIVE_KEY_FILE.',
  ])
  expect(JSON.stringify(wrongs)).not.toContain('notakey')
})

describe('the database', () => {
  test('is well when it was prepared by this version with this secret', async () => {
    const db = await freshDatabase()
    await prepareDatabase(db.url, configOf('a'))
    const findings = await examineDatabase({
      db,
      clock: systemClock,
      seal: sealOf('a'),
      simulation: true,
    })
    expect(statesOf(findings)).toMatchObject({ Database: 'well', Schema: 'well', Clock: 'well' })

    const other = await examineDatabase({
      db,
      clock: systemClock,
      seal: sealOf('b'),
      simulation: true,
    })
    expect(statesOf(other)).toMatchObject({ Schema: 'well', Secret: 'wrong' })

    const late = await examineDatabase({
      db,
      clock: manualClock(),
      seal: sealOf('a'),
      simulation: true,
    })
    expect(statesOf(late)).toMatchObject({ Clock: 'remark' })

    await db.rows(sql`insert into migrations values ('9999_from_the_future', now()::text)`)
    const ahead = await examineDatabase({
      db,
      clock: systemClock,
      seal: sealOf('a'),
      simulation: true,
    })
    expect(statesOf(ahead)).toMatchObject({ Schema: 'wrong' })
    expectMends([...findings, ...other, ...late, ...ahead])
  })

  test('needs the sandbox tables only where test mode has the sandbox bank', async () => {
    const db = await emptyDatabase()
    await prepareDatabase(db.url, configOf('a', 'none'))
    const schemaOf = async (simulation: boolean) => {
      const tools = { db, clock: systemClock, seal: sealOf('a'), simulation }
      return (await examineDatabase(tools)).find(({ about }) => about === 'Schema')
    }
    expect(await schemaOf(false)).toMatchObject({ state: 'well' })
    expect(await schemaOf(true)).toMatchObject({
      state: 'wrong',
      says: 'lacks 0007_sandbox_bank, 0010_sandbox_collections',
    })
    // Turning the sandbox bank off later leaves its tables in place.
    await prepareDatabase(db.url, configOf('a'))
    expect(await schemaOf(false)).toMatchObject({ state: 'well' })
  })

  // The tests run without fsync, for speed: the doctor must not let that pass.
  test('that can lose what it acknowledged is wrong', async () => {
    const db = await freshDatabase()
    const [row] = await db.rows(sql<{ fsync: string }>`show fsync`)
    await prepareDatabase(db.url, configOf('a'))
    const findings = await examineDatabase({
      db,
      clock: systemClock,
      seal: sealOf('a'),
      simulation: true,
    })
    expect(statesOf(findings).Durability).toBe(row!.fsync === 'on' ? 'well' : 'wrong')
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
    const durability = weak.find(({ about }) => about === 'Durability')
    expect(durability).toMatchObject({ state: 'wrong' })
    expect(durability!.says).toContain('synchronous_commit')
  })

  test('that was never migrated is said to lack everything, and stays as it is', async () => {
    const db = await emptyDatabase()
    const findings = await examineDatabase({
      db,
      clock: systemClock,
      seal: sealOf('a'),
      simulation: true,
    })
    expect(statesOf(findings)).toMatchObject({ Schema: 'wrong' })
    const [made] = await db.rows(sql<{ count: bigint }>`
      select count(*) as count from pg_tables where schemaname = 'public'`)
    expect(made!.count).toBe(0n)
  })
})

describe('rails', () => {
  test('a node that answers is well; one that does not, or of another chain, is wrong', async () => {
    const chain = await startChain()
    await chain.advance(40)
    const config = readConfig(settings)
    const at = (mode: 'test' | 'live', url: string) =>
      examineNodes(config, mode, { clock: systemClock, urls: [url] })
    expect(statesOf(await at('test', chain.url))).toEqual({ 'Solana, test': 'well' })
    const wrongs = [...(await at('live', chain.url)), ...(await at('test', 'http://127.0.0.1:9'))]
    expect(wrongs.map(({ state }) => state)).toEqual(['wrong', 'wrong'])
    expect(wrongs[0]!.says).toContain('not on mainnet')
    expectMends(wrongs)
  })

  test('a treasury that cannot cover its floors is told how much to get, and where', async () => {
    const db = await freshDatabase()
    const rail = {
      treasuryAddress: 'So1anaTreasury',
      treasuryBalances: async () => ({ SOL: 0n, USDC: 5_000_000n, USDT: 0n }),
    }
    const treasury = { mode: 'live' as const, rail, floors: { USDC: 7_500_000n } }
    const rails = { treasuries: [treasury] } as unknown as OpenRails
    const [finding] = await examineTreasuries(db, rails)
    expect(finding).toMatchObject({ state: 'wrong', mend: 'Send it to So1anaTreasury.' })
    expect(finding!.says).toContain('2.5 USDC')
    expect(finding!.says).toContain('0.000000001 SOL')
  })
})

describe('the service', () => {
  test('is well when it is ready, wrong when it is not, and may not be started', async () => {
    const { url } = await openHouse()
    expect((await examineService(url)).state).toBe('well')
    const broken = await openReceiver((response) => response.writeHead(503).end())
    expect((await examineService(broken.url)).state).toBe('wrong')
    expect((await examineService('http://127.0.0.1:9')).state).toBe('wrong')
    expect((await examineService(undefined)).state).toBe('remark')
  })

  test('work that nobody does is wrong once it is minutes late', async () => {
    const house = await openHouse()
    const key = house.merchant.test.secret
    const { url } = await openReceiver()
    const made = await house.ask('POST', '/v1/webhook-endpoints', { key, body: { url } })
    const { id } = made.json.data
    await house.ask('POST', `/v1/webhook-endpoints/${id}/test`, { key })
    const { db, clock } = house
    expect(statesOf(await examineWork({ db, clock }))).toEqual({ Work: 'well' })
    const later = { now: () => new Date(clock.now().getTime() + 3_600_000), elapsedMs: () => 0 }
    const findings = await examineWork({ db, clock: later })
    expect(findings).toMatchObject([{ about: 'Work', state: 'wrong' }])
    expect(findings[0]!.says).toContain('1 webhooks')

    // Nobody waits for what a merchant has switched off.
    const off = { key, body: { enabled: false } }
    await house.ask('PATCH', `/v1/webhook-endpoints/${id}`, off)
    expect(statesOf(await examineWork({ db, clock: later }))).toEqual({ Work: 'well' })
  })
})
