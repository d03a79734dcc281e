import { readFile } from 'node:fs/promises'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { expect, test } from 'vitest'
import type { Environment } from '../../src/base/environment.js'
import { createMerchant } from '../../src/merchants/create-merchant.js'
import { getSettings, patchSettings } from '../../src/merchants/settings/settings.js'
import {
  defaultSettings,
  isVisible,
  Settings,
  SettingsPatch,
} from '../../src/merchants/settings/settings-document.js'
import { sql } from '../../src/postgres/sql.js'
import { freshDatabase } from '../support/database.js'

const db = await freshDatabase()
const now = new Date('2026-01-05T09:00:00.000Z')

// As the HTTP server validates: no coercion, nothing dropped.
const ajv = new Ajv2020({ coerceTypes: false, removeAdditional: false })
ajv.addKeyword('x-unit').addFormat('visible-text', isVisible)
const isSettings = ajv.compile(Settings)
const isPatch = ajv.compile(SettingsPatch)

const png = `data:image/png;base64,${Buffer.from('\x89PNG\r\n\x1a\n and pixels', 'latin1').toString('base64')}`

async function newEnvironment(): Promise<Environment> {
  const merchant = await db.transaction((tx) => createMerchant(tx, now, 'Ada Stores'))
  return merchant.environments.test
}

function patch(environment: Environment, change: SettingsPatch): Promise<Settings> {
  return db.transaction((tx) => patchSettings(tx, now, environment, change))
}

async function storedOf(environment: Environment) {
  const [row] = await db.rows(sql<{ document: string; version: number }>`
    select document, version from environment_settings where environment_id = ${environment.id}`)
  return row && { document: JSON.parse(row.document), version: row.version }
}

test('unset settings are the defaults of the contract', async () => {
  const environment = await newEnvironment()
  const settings = await getSettings(db, environment)
  expect(isSettings(settings)).toBe(true)
  expect(settings.policies.bank).toEqual({
    underpayment: 'return',
    overpayment: 'return',
    latePayment: 'hold',
    duplicatePayment: 'return',
  })
  expect(new Set(Object.values(settings.policies.crypto))).toEqual(new Set(['hold']))
  expect(settings.checkout.displayName).toBe('Ada Stores')
  expect(await storedOf(environment)).toBeUndefined()
})

test('a patch changes only its fields, replaces lists whole, and stores nothing else', async () => {
  const environment = await newEnvironment()
  await patch(environment, {
    checkout: { frameOrigins: ['https://a.example', 'https://b.example'] },
  })
  await patch(environment, { checkout: { colour: '#0a7d4f', logo: png } })
  const whole = await patch(environment, {
    policies: { bank: { latePayment: 'accept' } },
    checkout: { frameOrigins: ['https://c.example'], logo: null },
  })
  const expected = defaultSettings(environment)
  expected.policies.bank.latePayment = 'accept'
  Object.assign(expected.checkout, { colour: '#0a7d4f', frameOrigins: ['https://c.example'] })
  expect(whole).toEqual(expected)
  expect(await getSettings(db, environment)).toEqual(expected)
  expect(await storedOf(environment)).toEqual({
    version: 3,
    document: {
      policies: { bank: { latePayment: 'accept' } },
      checkout: { frameOrigins: ['https://c.example'], colour: '#0a7d4f', logo: null },
    },
  })
})

// Eleven concurrent changes of different fields. Without a lock, most would be lost.
test('racing patches are all applied', async () => {
  const environment = await newEnvironment()
  const cases = ['underpayment', 'overpayment', 'latePayment', 'duplicatePayment'] as const
  const changes: SettingsPatch[] = [
    ...cases.map((name) => ({ policies: { bank: { [name]: 'accept' } } })),
    ...cases.map((name) => ({ policies: { crypto: { [name]: 'accept' } } })),
    { checkout: { colour: '#ffffff' } },
    { lowBalance: { NGN: 5 } },
    { paymentMethods: { crypto: false } },
  ]
  await Promise.all(changes.map((change) => patch(environment, change)))
  const settings = await getSettings(db, environment)
  for (const policies of Object.values(settings.policies))
    expect(new Set(Object.values(policies))).toEqual(new Set(['accept']))
  expect(settings.checkout.colour).toBe('#ffffff')
  expect(settings.lowBalance.NGN).toBe(5)
  expect(settings.paymentMethods).toEqual({ bankTransfer: true, crypto: false })
  expect((await storedOf(environment))!.version).toBe(changes.length)
})

test('environments of one merchant do not share settings', async () => {
  const merchant = await db.transaction((tx) => createMerchant(tx, now, 'Ada Stores'))
  await patch(merchant.environments.test, { checkout: { displayName: 'Ada in test' } })
  const live = await getSettings(db, merchant.environments.live)
  expect(live.checkout.displayName).toBe('Ada Stores')
})

test('a threshold with too many decimal places is refused and changes nothing', async () => {
  const environment = await newEnvironment()
  for (const USDT of ['0', '0.0000001', '99999999999999999999'])
    await expect(patch(environment, { lowBalance: { USDC: '1', USDT } })).rejects.toMatchObject({
      code: 'validation_failed',
      details: [{ field: 'lowBalance.USDT' }],
    })
  expect(await storedOf(environment)).toBeUndefined()
  const whole = await patch(environment, { lowBalance: { USDC: '25.50', NGN: null } })
  expect(whole.lowBalance).toEqual({ NGN: null, USDC: '25.50', USDT: null })
})

test('the patch schema accepts any part of the document and nothing else', () => {
  const right: unknown[] = [
    {},
    { policies: {} },
    { policies: { crypto: { overpayment: 'accept' } } },
    { checkout: { logo: png, colour: null, displayName: 'Àdá & Sons' } },
    { checkout: { frameOrigins: ['https://shop.example:8443', 'http://localhost:3000'] } },
    { lowBalance: { NGN: 9_007_199_254_740_991, USDC: '25.50', USDT: null } },
    defaultSettings({ merchantName: 'Ada' }),
  ]
  for (const change of right) expect(isPatch(change), JSON.stringify(change)).toBe(true)
})

// It was accepted, and deposits were held all the same.
test('coins cannot be returned automatically', () => {
  for (const name of ['underpayment', 'overpayment', 'latePayment', 'duplicatePayment'])
    expect(isPatch({ policies: { crypto: { [name]: 'return' } } }), name).toBe(false)
})

test('a migration shows stored returns of coins as held, which they were', async () => {
  const environment = await newEnvironment()
  const policies = {
    bank: { underpayment: 'return' },
    crypto: { overpayment: 'return', latePayment: 'accept' },
  }
  await db.rows(sql`
    insert into environment_settings (environment_id, document, version, updated_at)
    values (${environment.id}, ${JSON.stringify({ policies })}, 1, now())`)
  const migration = await readFile('migrations/0053_chains.sql', 'utf8')
  await db.rows(sql.raw(migration.slice(migration.indexOf('update environment_settings'))))
  const { policies: shown } = await getSettings(db, environment)
  expect(shown.bank.underpayment).toBe('return')
  expect(shown.crypto).toMatchObject({ overpayment: 'hold', latePayment: 'accept' })
})

test('the patch schema refuses invalid values, field by field', () => {
  const svg = `data:image/svg+xml;base64,${Buffer.from('<svg onload="x()"/>').toString('base64')}`
  const disguised = svg.replace('svg+xml', 'png')
  const large = `${png}${'A'.repeat(44_000)}`
  const logos = [
    svg,
    disguised,
    large,
    'https://x.example/logo.png',
    png.replace('base64,', ','),
    '',
  ]
  const colours = ['red', '#fff', '#0a7d4g', '#0a7d4f;x', 7]
  const names = ['', '   ', 'a\nb', 'a\u0000', 'a\u202eb', 'x'.repeat(101), null]
  const origins = [
    '*',
    'https://*',
    'https://a.example/',
    'https://a.example;',
    'http://a.example',
    'https://a.example x',
    "https://a.example'",
    'https://a.example\n',
    '',
    'javascript://a',
    null,
  ]
  const wrong: unknown[] = [
    ...logos.map((logo) => ({ checkout: { logo } })),
    ...colours.map((colour) => ({ checkout: { colour } })),
    ...names.map((displayName) => ({ checkout: { displayName } })),
    ...origins.map((origin) => ({ checkout: { frameOrigins: [origin] } })),
    { checkout: { frameOrigins: ['https://a.example', 'https://a.example'] } },
    { checkout: { frameOrigins: Array.from({ length: 11 }, (_, at) => `https://${at}.example`) } },
    { checkout: { frameOrigins: null } },
    { policies: null },
    { policies: { bank: { underpayment: null } } },
    { policies: { bank: { underpayment: 'keep' } } },
    { policies: { cash: {} } },
    { lowBalance: { NGN: '500' } },
    { lowBalance: { NGN: 5.5 } },
    { lowBalance: { NGN: 0 } },
    { lowBalance: { NGN: 2 ** 53 } },
    { lowBalance: { USDC: 5 } },
    { lowBalance: { USDC: '-5' } },
    { lowBalance: { USDC: '1e5' } },
    { paymentMethods: { crypto: 'true' } },
    { paymentMethods: { card: true } },
    { surprise: true },
    JSON.parse('{"__proto__": {"polluted": true}}'),
    [],
    null,
  ]
  for (const change of wrong) expect(isPatch(change), JSON.stringify(change)).toBe(false)
})
