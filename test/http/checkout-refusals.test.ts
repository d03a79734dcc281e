import { beforeEach, expect, test } from 'vitest'
import { addBankAccount, makePrimary } from '../../src/merchants/bank-accounts.js'
import { approveKyc } from '../../src/merchants/kyc.js'
import { customersOf, openBankHouse } from '../support/bank-house.js'
import type { Merchant } from '../support/house.js'

const house = await openBankHouse()
const { ask, clock, db } = house
const path = '/v1/checkout/sessions'
const order = {
  ...{ amount: 1_250_000, description: 'Two loaves of agege bread' },
  customer: { name: 'Ada Obi', email: 'ada@example.com' },
}

let merchant: Merchant
let shop: ReturnType<typeof customersOf>
beforeEach(async () => {
  merchant = await house.hire('Ada Stores')
  shop = customersOf(house, merchant)
})

// Callers tell operations apart by the code; what its account is refused for is a reason of its own.
test('a session without an account is refused under its own name', async () => {
  const headers = { 'idempotency-key': 'refused' }
  const refused = await shop.post(path, { ...order, merchantReference: 'sandbox-refused' }, headers)
  expect([refused.status, refused.json]).toMatchObject([
    422,
    { code: 'checkout_session_failed', reason: 'account_refused' },
  ])
  const again = await shop.post(path, { ...order, merchantReference: 'sandbox-refused' }, headers)
  expect([again.text, again.headers.get('idempotent-replayed')]).toEqual([refused.text, 'true'])
  const away = await shop.post(path, { ...order, merchantReference: 'sandbox-unreachable' })
  expect([away.status, away.json]).toMatchObject([
    503,
    { code: 'checkout_session_failed', reason: 'rail_unavailable' },
  ])
  expect((await shop.get(path)).json.data.items).toEqual([])
})

test('live mode asks for approval, then for a bank account, then for a bank', async () => {
  const environment = merchant.environments.live
  const refusal = async () => {
    const { status, json } = await ask('POST', path, { key: merchant.live.secret, body: order })
    return [status, json.code, json.reason]
  }
  const code = 'checkout_session_failed'
  expect(await refusal()).toEqual([403, code, 'kyc_missing'])
  await db.transaction((tx) => approveKyc(tx, environment.id))
  expect(await refusal()).toEqual([422, code, 'no_bank_account'])
  await db.transaction(async (tx) => {
    const { reference } = await addBankAccount(tx, clock.now(), {
      ...{ environmentId: environment.id, bankCode: '058', accountNumber: '0123456789' },
      accountName: 'ADA STORES',
    })
    await makePrimary(tx, { environmentId: environment.id, reference })
  })
  expect(await refusal()).toEqual([503, code, 'rail_unavailable'])
})
