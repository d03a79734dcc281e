import { afterAll, expect, test } from 'vitest'
import { bindBanks, listBoundBanks } from '../../src/merchants/settings/bind-banks.js'
import { sql } from '../../src/postgres/sql.js'
import { createConsole } from '../operations/commands/commands.js'
import { openWithProviders } from '../support/open-with-providers.js'
import { until } from '../support/sessions.js'
import { expectAllProofs } from '../support/sound-books.js'

const service = await openWithProviders('paystack')
const { db, clock, emulators, post, get, merchant } = service
const { run, runJson } = createConsole(db)
const environment = merchant.environments.test
afterAll(() => expectAllProofs(db))

const destination = { bankCode: '058', accountNumber: '0123456789' }
const pay = (merchantReference: string) =>
  post('/v1/disbursements/bank-transfer', { ...destination, amount: 500_000, merchantReference })
const bind = (collectBank: string | null, payoutBank: string | null) =>
  db.transaction(async (tx) => bindBanks(tx, environment.id, { collectBank, payoutBank }))

async function railOf(reference: string): Promise<string> {
  const [row] = await db.rows(sql<{ rail: string }>`
    select rail from payouts where merchant_reference = ${reference}`)
  return row!.rail
}

// The first provider may still pay, so an outage or another binding must not move a payout.
test('a payout stays with the bank that it was created for', async () => {
  await post('/v1/test/balances/fund', { asset: 'NGN', amount: 5_000_000 })
  emulators.paystack.faults.arePayoutsHeld = true
  const first = (await pay('first')).json.data
  await bind(null, 'flutterwave')
  clock.advance(2_000)
  const second = (await pay('second')).json.data
  expect([await railOf('first'), await railOf('second')]).toEqual([
    'paystack-test',
    'flutterwave-test',
  ])
  await until(() => emulators.flutterwave.books().payouts.length === 1)
  emulators.paystack.settle(first.reference.replace('_', '-'), 'success')
  for (const { reference } of [first, second])
    await until(async () => {
      clock.advance(1_000)
      await service.work('paystack')
      await service.work('flutterwave')
      const { json } = await get(`/v1/disbursements/bank-transfer/${reference}`)
      return json.data.status === 'COMPLETED'
    })
  expect(emulators.paystack.books().payouts).toHaveLength(1)
  expect(emulators.flutterwave.books().payouts).toHaveLength(1)
})

test('accounts are opened at the bank that was chosen for the merchant', async () => {
  await bind('monnify', null)
  clock.advance(2_000)
  const open = (merchantReference: string) =>
    post('/v1/collections/virtual-accounts', { merchantReference, amount: 500_000 })
  const { json } = await open('order-1')
  const paid = await emulators.monnify.pay({
    accountNumber: json.data.accountNumber,
    amount: 500_000n,
  })
  expect(paid!.result).toBe('received')
  // The notice of the account that exists still arrives at its bank.
  await bind(null, null)
  await emulators.monnify.drainNotices()
  await until(async () => {
    const found = await get(`/v1/collections/virtual-accounts/${json.data.reference}`)
    return found.json.data.status === 'PAID'
  })
})

test('bindings are counted by bank and mode', async () => {
  await bind('monnify', 'monnify')
  expect(await listBoundBanks(db)).toEqual([{ mode: 'test', bank: 'monnify', merchants: 1 }])
  await bind('monnify', 'paystack')
  expect(await listBoundBanks(db)).toEqual([
    { mode: 'test', bank: 'monnify', merchants: 1 },
    { mode: 'test', bank: 'paystack', merchants: 1 },
  ])
  await bind(null, null)
  expect(await listBoundBanks(db)).toEqual([])
})

test('the command changes one half, keeps the other, and can undo it', async () => {
  const { reference } = merchant
  const options = ['--mode', 'test']
  const show = () => runJson('merchants', 'banks', reference, ...options)
  await runJson('merchants', 'bind', reference, ...options, '--collect', 'monnify')
  await runJson('merchants', 'bind', reference, ...options, '--payout', 'flutterwave')
  expect(await show()).toMatchObject({ collect: 'monnify', payout: 'flutterwave' })
  await runJson('merchants', 'bind', reference, ...options, '--collect', 'configured')
  expect(await show()).toMatchObject({ collect: null, payout: 'flutterwave' })
  const wrong = await run('merchants', 'bind', reference, '--collect', 'gtbank')
  expect(wrong.exitCode).toBe(1)
  expect((await run('audit', 'list')).out).toContain('banks.bind')
  await bind(null, null)
})
