import { expect, test } from 'vitest'
import { getEnvironment } from '../../../src/merchants/environments.js'
import { getFeeSchedule } from '../../../src/merchants/fee-schedules.js'
import { verifyLedger } from '../../../src/operations/verify-ledger.js'
import { freshDatabase } from '../../support/database.js'
import { createConsole } from './commands.js'

const db = await freshDatabase()
const { run, ask } = createConsole(db)

async function newMerchant(): Promise<string> {
  return (await ask('merchants', 'create', 'Ada Stores')).reference
}

test('a credit is on the balance, in the books and in the audit', async () => {
  const merchant = await newMerchant()
  const credit = ['balances', 'credit', merchant, '--mode', 'live', '--note', 'Wire of 5 January']
  await ask(...credit, '--asset', 'NGN', '--amount', '2000')
  await ask(...credit, '--asset', 'NGN', '--amount', '0.05')
  const last = await ask(...credit, '--asset', 'USDT', '--amount', '1.000001')
  expect(last.reference).toMatch(/^cr_/)
  expect(await ask('balances', 'show', merchant, '--mode', 'live')).toEqual([
    { asset: 'NGN', available: '2000.05', held: '0', pending: '0' },
    { asset: 'USDC', available: '0', held: '0', pending: '0' },
    { asset: 'USDT', available: '1.000001', held: '0', pending: '0' },
  ])
  const test = await ask('balances', 'show', merchant, '--mode', 'test')
  expect(test.every(({ available }: { available: string }) => available === '0')).toBe(true)

  const [line] = await ask('audit', 'list', '--limit', '1')
  expect(line).toMatchObject({
    actor: 'ada',
    action: 'balance.credit',
    merchant,
    details: { amount: '1.000001', asset: 'USDT', note: 'Wire of 5 January' },
  })
  const findings = await verifyLedger(db)
  expect(findings.flatMap(({ counterexamples }) => counterexamples)).toEqual([])
})

test('an amount that is none, or more than can be written, is refused and leaves no trace', async () => {
  const merchant = await newMerchant()
  const before = await ask('audit', 'list')
  const credit = ['balances', 'credit', merchant, '--mode', 'test', '--note', 'x', '--asset', 'NGN']
  for (const amount of ['0', '-5', '1.005', '1e3', '5,000', '₦50', '', '90071992547409.92']) {
    const said = await run(...credit, '--amount', amount)
    expect(said.exitCode, amount).toBe(1)
    expect(said.err.trimEnd().split('\n')).toHaveLength(1)
  }
  expect(await ask('audit', 'list')).toEqual(before)
  expect((await ask('balances', 'show', merchant, '--mode', 'test'))[0].available).toBe('0')
})

test('a price is set in the units people use, and what is shown can be typed back', async () => {
  const merchant = await newMerchant()
  const set = ['fees', 'set', merchant, '--mode', 'live', '--operation', 'bank_payout']
  const fee = await ask(
    ...set,
    '--flat',
    '50',
    '--basis-points',
    '25',
    '--floor',
    '10',
    '--cap',
    '2000',
    '--tier',
    '5000:10:0',
    '--tier',
    '50000.50:25:5',
  )
  const environment = await getEnvironment(db, { merchant, mode: 'live' })
  const name = { environmentId: environment.id, operation: 'bank_payout' as const }
  const stored = {
    version: 1,
    flat: 5_000n,
    basisPoints: 25,
    floor: 1_000n,
    cap: 200_000n,
    tiers: [
      { upTo: 500_000n, flat: 1_000n, basisPoints: 0 },
      { upTo: 5_000_050n, flat: 2_500n, basisPoints: 5 },
    ],
  }
  expect(await getFeeSchedule(db, name)).toEqual(stored)

  const tiers = fee.tiers.flatMap((tier: { upTo: string; flat: string; basisPoints: number }) => [
    '--tier',
    `${tier.upTo}:${tier.flat}:${tier.basisPoints}`,
  ])
  const rate = ['--flat', fee.flat, '--basis-points', String(fee.basisPoints)]
  await ask(...set, ...rate, '--floor', fee.floor, '--cap', fee.cap, ...tiers)
  expect(await getFeeSchedule(db, name)).toEqual({ ...stored, version: 2 })
})

test('fees show tells the standard prices until they are changed', async () => {
  const merchant = await newMerchant()
  const said = await run('fees', 'show', merchant, '--mode', 'test')
  expect(said.out).toMatch(/virtual_account +0 +NGN +0 +100 +0 +2000/)
  expect(said.out).toMatch(/bank_payout +0 +NGN +50 +0 +0 +- +5000:10:0 50000:25:0/)
  expect(said.out).toMatch(/crypto_payout +0 +USDC +0.5 /)
})

test('a price that contradicts itself is refused and the old one stays', async () => {
  const merchant = await newMerchant()
  const set = ['fees', 'set', merchant, '--mode', 'test', '--operation', 'crypto_payout']
  const wrong = [
    ['--floor', '2', '--cap', '1'],
    ['--tier', '10:1:0', '--tier', '10:2:0'],
    ['--tier', '10:1'],
    ['--tier', '0:1:0'],
    ['--tier', '10:1:10001'],
    ['--basis-points', '10001'],
    ['--basis-points', '1.5'],
    ['--flat', '0.0000001'],
    ['--flat', '-1'],
  ]
  for (const words of wrong) {
    const said = await run(...set, ...words)
    expect(said.exitCode, words.join(' ')).toBe(1)
    expect(said.err.trimEnd().split('\n'), said.err).toHaveLength(1)
  }
  const shown = await ask('fees', 'show', merchant, '--mode', 'test')
  expect(new Set(shown.map(({ version }: { version: number }) => version))).toEqual(new Set([0]))
})

test('the help of fees set says in which unit amounts are written', async () => {
  const said = await run('fees', 'set', '--help')
  expect(said.exitCode).toBe(0)
  expect(said.out.replaceAll(/\s+/g, ' ')).toContain('--cap 2000 is ₦2,000.00')
})
