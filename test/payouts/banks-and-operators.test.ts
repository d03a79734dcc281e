import { expect, test } from 'vitest'
import { after, minute } from '../../src/base/clock.js'
import { examineBanks } from '../../src/operations/doctor/examine-banks.js'
import { reconcile } from '../../src/operations/reconcile/reconcile.js'
import {
  type Decision,
  decidePayout,
  findBankAttempt,
} from '../../src/payouts/attempts/decide-payout.js'
import { followReversals } from '../../src/payouts/attempts/follow-reversals.js'
import { payoutLimits } from '../../src/payouts/limits.js'
import { toProviderReference } from '../../src/rails/bank/instruction.js'
import { inTestMode, noRails, onlySandbox } from '../support/open-manilla.js'
import { openWithProviders } from '../support/open-with-providers.js'
import { until } from '../support/sessions.js'

const service = await openWithProviders('paystack')
const { db, clock, emulators, bank, work, post, get, log } = service
const { paystack } = emulators
await post('/v1/test/balances/fund', { asset: 'NGN', amount: 100_000_000 })

const path = '/v1/disbursements/bank-transfer'

async function payOut(): Promise<string> {
  const body = { amount: 1_000_000, bankCode: '058', accountNumber: '0123456789' }
  const { json } = await post(path, body)
  const { reference } = json.data
  const isAtBank = () =>
    paystack.books().payouts.some((one) => one.reference === toProviderReference(reference))
  await until(async () => isAtBank())
  return reference
}

const statusOf = async (reference: string) => (await get(`${path}/${reference}`)).json.data.status

async function complete(reference: string): Promise<void> {
  await until(async () => {
    clock.advance(minute)
    await work()
    return (await statusOf(reference)) === 'COMPLETED'
  })
}

const decide = (decision: Decision) =>
  db.transaction((tx) => decidePayout(tx, after(clock.now(), payoutLimits.leaseMs * 2), decision))

test('a reversal that the bank reports again and again does not hurry the job', async () => {
  const reference = await payOut()
  await complete(reference)
  paystack.reverse(toProviderReference(reference))
  const tools = { db, rail: bank, logger: service.logger }
  for (let run = 0; run < 3; run += 1) expect(await followReversals(tools, clock.now())).toBe(0)
  expect(await statusOf(reference)).toBe('REVERSED')
})

test('an operator cannot release money that the bank may still pay, unasked', async () => {
  paystack.faults.arePayoutsHeld = true
  const reference = await payOut()
  const attempt = await findBankAttempt(db, reference)
  const [finding] = await bank.check([attempt!])
  const failed = { reference, hasLanded: false }
  await expect(decide({ ...failed, atBank: finding!.state })).rejects.toThrow('it may still pay')
  await expect(decide({ ...failed, atBank: 'not_configured' })).rejects.toThrow('not configured')
  await expect(decide({ ...failed, atBank: 'landed' })).rejects.toThrow('as completed')
  await expect(decide({ reference, hasLanded: true, atBank: 'failed' })).rejects.toThrow(
    'as failed',
  )
  const confirmed = { ...failed, atBank: 'pending', isConfirmedNotLanded: true } as const
  expect(await decide(confirmed)).toMatchObject({ status: 'FAILED' })

  paystack.faults.arePayoutsHeld = false
  paystack.settle(toProviderReference(reference), 'success')
  await paystack.drainNotices()
  await until(async () => log.join().includes('a payout that is FAILED in the books'))
})

test('open payouts at a bank without keys are reported', async () => {
  paystack.faults.arePayoutsHeld = true
  await payOut()
  const others = inTestMode(service.bankOf('monnify'))
  const solana = { test: undefined, live: undefined }
  const results = await reconcile({ db, rails: { solana, rails: noRails } }, clock.now())
  expect(results).toMatchObject([
    { rail: 'paystack-test', differences: [{ kind: 'not_compared', inBooks: '1 open payouts' }] },
  ])
  const checks = await examineBanks(db, others, onlySandbox.bank)
  expect(checks.map(({ message }) => message).join()).toContain('1 open payouts at paystack-test')
})
