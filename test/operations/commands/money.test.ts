import { expect, test } from 'vitest'
import { getEnvironment } from '../../../src/merchants/environments.js'
import { getFeeSchedule } from '../../../src/merchants/settings/fee-schedules.js'
import { verifyLedger } from '../../../src/operations/proofs/verify-ledger.js'
import { freshDatabase } from '../../support/database.js'
import { answers, createConsole } from './commands.js'

const db = await freshDatabase()
const { run, runJson } = createConsole(db)

async function newMerchant(): Promise<string> {
  return (await runJson('merchants', 'create', 'Ada Stores')).reference
}

test('a credit is in the balance, the ledger and the audit log', async () => {
  const merchant = await newMerchant()
  const credit = [
    'balances',
    'credit',
    merchant,
    '--mode',
    'live',
    '--note',
    'Wire of 5 January',
    '--yes',
  ]
  await runJson(...credit, '--asset', 'NGN', '--amount', '2000')
  await runJson(...credit, '--asset', 'NGN', '--amount', '0.05')
  const last = await runJson(...credit, '--asset', 'USDT', '--amount', '1.000001')
  expect(last.reference).toMatch(/^cr_/)
  expect(await runJson('balances', 'show', merchant, '--mode', 'live')).toEqual([
    { asset: 'NGN', available: '2000.05', held: '0', pending: '0' },
    { asset: 'USDC', available: '0', held: '0', pending: '0' },
    { asset: 'USDT', available: '1.000001', held: '0', pending: '0' },
  ])
  const test = await runJson('balances', 'show', merchant, '--mode', 'test')
  expect(test.every(({ available }: { available: string }) => available === '0')).toBe(true)

  const [line] = await runJson('audit', 'list', '--limit', '1')
  expect(line).toMatchObject({
    actor: 'ada',
    action: 'balance.credit',
    merchant,
    details: { amount: '1.000001 USDT', asset: 'USDT', note: 'Wire of 5 January' },
  })
  const findings = await verifyLedger(db)
  expect(findings.flatMap(({ counterexamples }) => counterexamples)).toEqual([])
})

test('amounts are read and printed with their unit', async () => {
  const merchant = await newMerchant()
  const credit = ['balances', 'credit', merchant, '--mode', 'test', '--note', 'x', '--asset', 'NGN']
  for (const amount of ['₦5,000.50', '5000.50', '5,000.5', 'NGN 5000.50'])
    await runJson(...credit, '--amount', amount)
  const { out } = await run(...credit, '--amount', '1')
  expect(out).toMatch(/^cr_\w+: credited ₦1\.00; ₦20,003\.00 available\.$/m)
  expect((await run('balances', 'show', merchant, '--mode', 'test')).out).toMatch(
    /^NGN +₦20,003\.00 +₦0\.00 +₦0\.00$/m,
  )
})

// Money of the live environment moves only after a yes: typed, or given to the command.
test('a live credit asks first, and refuses without a terminal', async () => {
  const merchant = await newMerchant()
  const credit = ['balances', 'credit', merchant, '--note', 'Wire', '--asset', 'NGN']
  const live = [...credit, '--amount', '60000.50', '--mode', 'live']
  const unasked = await run(...live)
  expect([unasked.exitCode, unasked.err]).toEqual([2, expect.stringContaining('no terminal')])
  answers.push('no')
  expect(await run(...live)).toMatchObject({ exitCode: 1, out: '' })
  const available = async () =>
    (await runJson('balances', 'show', merchant, '--mode', 'live'))[0].available
  expect(await available()).toBe('0')
  answers.push('yes')
  const asked = await run(...live)
  expect(asked.err).toMatch(/Credit +₦60,000\.50\n +Merchant +Ada Stores, mer_\w+\n +Note +Wire\n/)
  expect([asked.exitCode, await available()]).toEqual([0, '60000.5'])
  expect(await run(...credit, '--amount', '1', '--mode', 'test')).toMatchObject({ err: '' })
})

test('an invalid or too large amount is refused and changes nothing', async () => {
  const merchant = await newMerchant()
  const before = await runJson('audit', 'list')
  const credit = ['balances', 'credit', merchant, '--mode', 'test', '--note', 'x', '--asset', 'NGN']
  for (const amount of ['0', '-5', '1.005', '1e3', '5,0', '₦', '5 USDC', '', '90071992547409.92']) {
    const result = await run(...credit, '--amount', amount)
    expect(result.exitCode, amount).toBe(1)
    expect(result.err.trimEnd().split('\n')).toHaveLength(1)
  }
  expect(await runJson('audit', 'list')).toEqual(before)
  expect((await runJson('balances', 'show', merchant, '--mode', 'test'))[0].available).toBe('0')
})

test('a fee is set in main units, and the output can be used as input', async () => {
  const merchant = await newMerchant()
  const set = ['fees', 'set', merchant, '--mode', 'live', '--operation', 'bank_payout']
  const fee = await runJson(
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
  await runJson(...set, ...rate, '--floor', fee.floor, '--cap', fee.cap, ...tiers)
  expect(await getFeeSchedule(db, name)).toEqual({ ...stored, version: 2 })
})

test('fees show prints the default fees until they are changed', async () => {
  const merchant = await newMerchant()
  const result = await run('fees', 'show', merchant, '--mode', 'test')
  expect(result.out).toMatch(/virtual_account +0 +₦0\.00 +100 +₦0\.00 +₦2,000\.00/)
  const tiers = '₦5,000.00:₦10.00:0 ₦50,000.00:₦25.00:0'
  expect(result.out).toMatch(new RegExp(`bank_payout +0 +₦50.00 +0 +₦0.00 +- +${tiers}`))
  expect(result.out).toMatch(/crypto_payout +0 +0.5 USDC /)
  // Tiers can be pasted back.
  const set = ['fees', 'set', merchant, '--mode', 'test', '--operation', 'bank_payout']
  const words = tiers.split(' ').flatMap((tier) => ['--tier', tier])
  const changed = await run(...set, '--flat', '₦50.00', '--cap', '₦0', ...words)
  expect(changed.out).toContain(`at most ₦0.00, tiers ${tiers}.`)
  const [line] = await runJson('audit', 'list', '--limit', '1')
  expect(line.details.schedule).toMatchObject({ flat: '₦50.00', tiers: tiers.split(' ') })
})

test('a contradictory fee is refused and the old one stays', async () => {
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
    const result = await run(...set, ...words)
    expect(result.exitCode, words.join(' ')).toBe(1)
    expect(result.err.trimEnd().split('\n'), result.err).toHaveLength(1)
  }
  const shown = await runJson('fees', 'show', merchant, '--mode', 'test')
  expect(new Set(shown.map(({ version }: { version: number }) => version))).toEqual(new Set([0]))
})

test('the help of fees set explains the unit of amounts', async () => {
  const result = await run('fees', 'set', '--help')
  expect(result.exitCode).toBe(0)
  expect(result.out.replaceAll(/\s+/g, ' ')).toContain('--cap 2000 is ₦2,000.00')
})

test('rates of VAT are set and listed, and reports are printed', async () => {
  expect((await run('vat', 'list')).out).toBe('No rate of VAT was set: it is 0 %.\n')
  const set = await run('vat', 'set', 'nigeria', '--mode', 'live', '--from', '2027-01-01')
  expect(set.out).toBe('live: VAT of 7.5 % from 2026-12-31T23:00:00.000Z on.\n')
  expect(await runJson('vat', 'list')).toMatchObject([
    { mode: 'live', basisPoints: 750, holdsFrom: '2026-12-31T23:00:00.000Z', givenBy: 'ada' },
  ])
  const earlier = await run('vat', 'set', '5', '--mode', 'live', '--from', '2026-06-01')
  expect([earlier.exitCode, earlier.err]).toEqual([
    1,
    'error: A rate of 7.5 % was set from 2026-12-31T23:00:00.000Z on. Choose a later time.\n',
  ])
  const unknown = await run('vat', 'set', 'constructor', '--mode', 'live')
  expect([unknown.exitCode, unknown.err]).toEqual([
    1,
    expect.stringContaining('must be a percentage from 0 to 100'),
  ])
  const report = await run('fees', 'report', '2026-01', '--mode', 'live')
  expect(report.out).toBe('No fees in this month.\n')
  const days = ['--from', '2026-01-01', '--to', '2026-01-31']
  const margin = await run('fees', 'margin', '--mode', 'live', ...days)
  expect(margin.out).toBe('No payments, payouts or conversions in these days.\n')
})
