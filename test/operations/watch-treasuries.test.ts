import { expect, test } from 'vitest'
import { readConfig } from '../../src/base/config.js'
import { createLogger } from '../../src/base/log.js'
import { Rails } from '../../src/collections/rails.js'
import { FundFigures } from '../../src/operations/metrics/fund-figures.js'
import { watchTreasury } from '../../src/operations/metrics/watch-treasuries.js'
import { openManilla } from '../support/open-manilla.js'
import { PaperRail } from '../support/paper-rail.js'

const settings = { DATABASE_URL: 'postgres://nobody', MANILLA_SECRET: 's'.repeat(32) }

test('floors are amounts of known coins, and nothing else', () => {
  const floors = (SOLANA_LIVE_FLOORS: string) =>
    readConfig({ ...settings, SOLANA_LIVE_FLOORS }).solana.live.floors
  expect(floors('SOL=1.5, USDC=1000,USDT=0.25')).toEqual({
    SOL: 1_500_000_000n,
    USDC: 1_000_000_000n,
    USDT: 250_000n,
  })
  expect(floors('')).toEqual({})
  for (const wrong of ['BTC=1', 'USDC', 'USDC=-1', 'USDC=1e3'])
    expect(() => floors(wrong)).toThrow('SOLANA_LIVE_FLOORS must have the form')
})

test('a chain without a key, or a key without a chain, is refused', () => {
  const read = (given: object) => () => readConfig({ ...settings, ...given })
  const urls = { SOLANA_LIVE_RPC_URLS: 'http://127.0.0.1:1' }
  expect(read(urls)).toThrow('SOLANA_LIVE_RPC_URLS needs a hot wallet key')
  expect(read({ SOLANA_LIVE_KEY_FILE: 'a' })).toThrow('SOLANA_LIVE_RPC_URLS is required')
  expect(read({ SOLANA_TEST_SECRET_KEY: 'a' })).toThrow('SOLANA_TEST_RPC_URLS is required')
  const command = { SOLANA_LIVE_SIGNER_COMMAND: 'sign' }
  expect(read({ ...urls, ...command })).toThrow('SOLANA_LIVE_SIGNER_ADDRESS is required')
  const address = { SOLANA_LIVE_SIGNER_ADDRESS: 'a' }
  expect(read({ ...urls, ...address })).toThrow('SOLANA_LIVE_SIGNER_COMMAND is required')
  expect(read({ ...urls, ...command, ...address })().solana.live.signer?.command).toBe('sign')
})

test('test coins may have their own mints', () => {
  const mint = '4zMMC9srt5Ri5X14GAgXhaHii3GnPAEERYPJgZJDncDU'
  const read = (SOLANA_TEST_USDC_MINT: string) =>
    readConfig({ ...settings, SOLANA_TEST_USDC_MINT }).solana
  expect(read(mint)).toMatchObject({ test: { mints: { USDC: mint } }, live: { mints: {} } })
  expect(() => read('0x52908400098527886E0F7030069857D2E4169EE7')).toThrow('SOLANA_TEST_USDC_MINT')
})

// Open payouts count against the balance.
test('an error is logged for every coin below its floor', async () => {
  const rail = new PaperRail()
  const service = await openManilla({ rails: new Rails({ test: { chain: rail } }) })
  const key = service.merchant.test.secret
  const body = { asset: 'USDC', amount: '100' }
  await service.ask('POST', '/v1/test/balances/fund', { key, body })
  const request = { amount: '60', asset: 'USDC', network: 'SOLANA' }
  const destinationAddress = 'HAgk14JpMQLgt6rVgv7cBQFJWFto5Dqxi472uT3DKpqk'
  await service.ask('POST', '/v1/disbursements/crypto', {
    key,
    headers: { 'idempotency-key': 'k' },
    body: { ...request, destinationAddress },
  })
  const log: string[] = []
  const logger = createLogger('error', { write: (line) => log.push(line) })
  const figures = new FundFigures()
  const watch = (floors: object) => {
    const balances = { SOL: 5n, USDC: 100_000_000n, USDT: 7n }
    const treasury = {
      treasuryBalances: async () => balances,
      treasuryAddress: 'here',
      watchChains: async () => {},
    }
    const tools = { db: service.db, clock: service.clock, logger, figures }
    return watchTreasury(tools, { mode: 'test', rail: treasury, floors })
  }
  expect(await watch({ SOL: 5n, USDC: 40_000_000n, USDT: 7n })).toBe(0)
  expect(await watch({ SOL: 6n, USDC: 40_000_001n, USDT: 7n })).toBe(2)
  expect(log.map((line) => JSON.parse(line).coin)).toEqual(['SOL', 'USDC'])
  expect(figures.hotWallets).toEqual([
    { mode: 'test', coin: 'SOL', free: 5e-9, floor: 6e-9 },
    { mode: 'test', coin: 'USDC', free: 40, floor: 40.000001 },
    { mode: 'test', coin: 'USDT', free: 0.000007, floor: 0.000007 },
  ])
})
