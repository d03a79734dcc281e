import { expect, test } from 'vitest'
import { after, minute } from '../../src/base/clock.js'
import { bankPayoutId, pollPayoutNow } from '../../src/payouts/attempts/poll-now.js'
import { sql } from '../../src/postgres/sql.js'
import { openWithProviders } from '../support/open-with-providers.js'

const rail = 'paystack-test'

test('a notice about a payout makes it due, unless a worker is polling it', async () => {
  const { db, clock, emulators, post, work } = await openWithProviders('paystack')
  emulators.paystack.faults.arePayoutsHeld = true
  emulators.paystack.faults.notices = 'lost'
  await post('/v1/test/balances/fund', { asset: 'NGN', amount: 5_000_000 })
  const body = { bankCode: '058', accountNumber: '0123456789', amount: 500_000 }
  const { reference } = (await post('/v1/disbursements/bank-transfer', body)).json.data
  const poll = (given: object = {}) => pollPayoutNow(db, clock.now(), { rail, reference, ...given })
  const isDue = async () => {
    const [row] = await db.rows(sql<{ isDue: boolean }>`
      select due_at <= ${clock.now()} as is_due from payout_attempts`)
    return row!.isDue
  }
  clock.advance(minute)
  await work()
  expect(await isDue()).toBe(false)
  await poll({ rail: 'monnify-test' })
  await poll({ reference: 'bt_1' })
  expect(await isDue()).toBe(false)
  await poll()
  expect(await isDue()).toBe(true)

  const leasedUntil = after(clock.now(), minute)
  await db.rows(sql`
    update payout_attempts set due_at = ${leasedUntil}, leased_until = ${leasedUntil}`)
  await poll()
  expect(await isDue()).toBe(false)
})

test('only references of payouts to banks have an id', () => {
  expect(bankPayoutId('ct_06drz3tn61rn1d27g7v975xjqw')).toBeUndefined()
  expect(bankPayoutId('refund 17')).toBeUndefined()
})
