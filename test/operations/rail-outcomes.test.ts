import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { createLogger } from '../../src/base/log.js'
import { followReturns } from '../../src/collections/returns/follow-returns.js'
import { expirePending } from '../../src/payouts/approvals/expire-pending.js'
import { openWithBank, payersOf } from '../support/open-with-bank.js'
import { behaves } from '../support/payment-desk.js'
import { addPerson } from '../support/people.js'

const service = await openWithBank()
const shop = payersOf(service, service.merchant)
const ada = await addPerson(service, { role: 'owner', name: 'Ada Obi', isOperator: true })
const bola = await addPerson(service, { role: 'finance', name: 'Bola Ade' })

// A payout that a member rejects, or that nobody approves, was never sent to the bank.
test('decisions of members are no failures of a rail or of payouts', async () => {
  await shop.post('/v1/test/balances/fund', { asset: 'NGN', amount: 90_000_000 })
  const rule = { NGN: { each: 5_000_000, perDay: null }, USDC: null, USDT: null }
  await ada.ask('PATCH', '/v1/settings/approvals', { body: { appliesTo: 'console', ...rule } })
  const body = (amount: number, accountNumber: string) => ({
    amount,
    bankCode: '999',
    accountNumber,
  })
  const path = '/v1/disbursements/bank-transfer'
  for (const [amount, account] of [
    [100_000, '0123456789'],
    [200_000, behaves.failing],
  ] as const)
    await shop.post(path, body(amount, account), { 'idempotency-key': randomUUID() })
  const [rejected] = await Promise.all(
    [6_000_000, 7_000_000].map((amount) =>
      ada.ask('POST', path, { body: body(amount, '0123456789') }),
    ),
  )
  const { reference, status } = rejected!.json.data
  expect(status).toBe('PENDING')
  await bola.ask('POST', `/v1/disbursements/${reference}/reject`, { body: { reason: 'No' } })
  await service.pass(4)
  const tools = { db: service.db, logger: createLogger('silent'), follow: followReturns }
  const late = new Date(service.clock.now().getTime() + 73 * 3_600_000)
  expect(await expirePending(tools, late)).toBe(1)
  const { items } = (await shop.get('/v1/disbursements')).json.data
  const ends = items.map((one: { status: string; failureReason: string | null }) => [
    one.status,
    one.failureReason,
  ])
  expect(ends).toHaveLength(4)
  expect(ends).toContainEqual(['FAILED', 'approval_rejected'])
  expect(ends).toContainEqual(['FAILED', 'approval_expired'])
  const { items: rails } = (await ada.ask('GET', '/operator/v1/rails')).json.data
  expect(rails).toMatchObject([{ lastHour: { completed: 1, failed: 1 } }])
  const times = (await shop.get('/v1/reports/payout-times?to=2026-01-31')).json.data
  expect(times.total).toEqual({ count: 1, failed: 1 })
})
