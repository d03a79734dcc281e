import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { systemClock } from '../../src/base/clock.js'
import { readConfig } from '../../src/base/config.js'
import { createLogger } from '../../src/base/log.js'
import { openEmulatedBank, openProviders } from '../../src/processes/open-banks.js'
import { freshDatabase } from '../support/database.js'
import { whenDone } from '../support/open-manilla.js'

const db = await freshDatabase()
const logger = createLogger('silent')
const home = mkdtempSync(path.join(tmpdir(), 'manilla-banks-'))
afterAll(() => rmSync(home, { recursive: true, force: true }))

const settings = {
  DATABASE_URL: 'postgres://nobody',
  MANILLA_SECRET: 's'.repeat(32),
  MANILLA_HOME: home,
}
const toolsOf = (given: object) => ({
  config: { ...readConfig({ ...settings, ...given }), home },
  db,
  clock: systemClock,
  logger,
})

test('without an emulator in the configuration none is opened', async () => {
  expect(await openEmulatedBank({ ...toolsOf({}), isAlone: true })).toBeUndefined()
})

test('a command uses the emulator of the running service, and needs one', async () => {
  const tools = toolsOf({ BANK_TEST: 'monnify-emulator' })
  await expect(openEmulatedBank(tools)).rejects.toThrow('npm run emulator -- monnify')
  const opened = await openEmulatedBank({ ...tools, isAlone: true })
  whenDone(() => opened!.emulator!.close())
  const borrowed = await openEmulatedBank(tools)
  expect(borrowed!.emulator).toBeUndefined()
  expect(borrowed!.config.providers.test.monnify!.url).toBe(opened!.emulator!.url)
  const [bank] = openProviders({ ...tools, config: borrowed!.config }, 'test')
  expect(bank!.name).toBe('monnify-test')
  expect((await bank!.listBanks()).length).toBeGreaterThan(0)
  const file = path.join(home, 'emulators', 'monnify-variables.json')
  expect(statSync(file).mode & 0o077).toBe(0)
})

test('providers of test mode that have keys stay open beside an emulator', async () => {
  const tools = toolsOf({
    BANK_TEST_COLLECT: 'flutterwave-emulator',
    BANK_TEST_PAYOUT: 'paystack',
    PAYSTACK_TEST_SECRET_KEY: 'sk_test_1',
  })
  const opened = await openEmulatedBank({ ...tools, isAlone: true })
  whenDone(() => opened!.emulator!.close())
  const banks = openProviders({ ...tools, config: opened!.config }, 'test')
  expect(banks.map(({ provider }) => provider)).toEqual(['paystack', 'flutterwave'])
})

test('every provider with keys is opened in its mode, chosen or not', () => {
  const tools = toolsOf({ PAYSTACK_LIVE_SECRET_KEY: 'sk_live_1' })
  expect(openProviders(tools, 'live').map(({ name }) => name)).toEqual(['paystack-live'])
  expect(openProviders(tools, 'test')).toEqual([])
})
