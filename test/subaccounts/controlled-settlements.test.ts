import { expect, test } from 'vitest'
import { day, hour, minute } from '../../src/base/clock.js'
import { sql } from '../../src/postgres/sql.js'
import { toNuban } from '../../src/simulation/sandbox-bank/nuban.js'
import { addPerson } from '../support/people.js'
import { expectAllProofs } from '../support/sound-books.js'
import { openMarket } from './shop.js'

// Otherwise a member or an API key could pay any account by settling a sub-account to it.

const { db, clock, service, openShop, pass } = await openMarket()
const lax = { onlySaved: false, approveFirst: false, coolingOff: null }
const none = { callback: null, recipients: null, velocity: null, duplicates: null }
let serial = 700
const newAccount = () => {
  serial += 1
  const digits = String(serial).padStart(9, '0')
  return { bankCode: '058', accountNumber: toNuban({ bankCode: '058', serial: digits }) }
}

async function openControlledShop(controls: object, schedule: 'off' | 'daily' = 'off') {
  const shop = await openShop()
  const { reference: merchant } = shop.merchant
  const ada = await addPerson(service, { merchant, role: 'owner', name: 'Ada Obi' })
  const bola = await addPerson(service, { merchant, role: 'admin', name: 'Bola Ade' })
  const rule = { appliesTo: 'all', NGN: null, USDC: null, USDT: null }
  const body = { ...rule, controls: { ...none, ...controls } }
  const changed = await ada.ask('PATCH', '/v1/settings/approvals', { body })
  expect([changed.status, changed.json?.data?.change], changed.text).toEqual([200, null])
  // Cached keys do not know the rule for a second.
  clock.advance(1_100)
  const bankAccount = newAccount()
  const seller = { name: 'Ada Fabrics', bankAccount, settlement: { schedule } }
  const { reference } = await shop.addFunded(1_000_000, seller)
  const path = `/v1/subaccounts/${reference}`
  const settle = (amount: number) => shop.post(`${path}/settlements`, { amount })
  return {
    ...shop,
    ada,
    bola,
    bankAccount,
    reference,
    path,
    settle,
    outcomeOf: async (amount: number) => {
      const { status, json } = await settle(amount)
      return [status, json.reason ?? json.data.status]
    },
    payOutFrom: (body: object) => shop.payOut({ ...bankAccount, from: reference, ...body }),
    save: async () => (await shop.post('/v1/recipients', bankAccount)).json.data.reference,
    settlements: async () => (await shop.get(`/v1/settlements?subaccount=${reference}`)).items,
  }
}

test('a sub-account is settled to saved recipients only, as transfers are', async () => {
  const shop = await openControlledShop({ recipients: { ...lax, onlySaved: true } })
  const { settle, payOut, bankAccount, outcomeOf, save, ada, path } = shop
  const [refused, transfer] = [await settle(200_000), await payOut(bankAccount)]
  expect(refused.json.message).toBe(transfer.json.message)
  expect([refused.status, refused.json.reason]).toEqual([422, 'recipient_not_saved'])
  const byMember = await ada.ask('POST', `${path}/settlements`, { body: { amount: 200_000 } })
  expect(byMember.json.reason).toBe('recipient_not_saved')
  const closing = await shop.post(`${path}/close`, { balance: 'pay_out' })
  expect(closing.json.reason).toBe('recipient_not_saved')
  const recipient = await save()
  expect(await outcomeOf(200_000)).toEqual([201, 'SUBMITTED'])
  await pass(5)
  expect(await shop.settlements()).toMatchObject([{ status: 'PAID', amount: 200_000 }])
  await shop.post(`/v1/recipients/${recipient}/disable`)
  expect(await outcomeOf(200_000)).toEqual([409, 'recipient_disabled'])
  await expectAllProofs(db)
})

test('a disabled recipient is not settled, without any rule either', async () => {
  const shop = await openControlledShop({})
  const recipient = await shop.save()
  await shop.post(`/v1/recipients/${recipient}/disable`)
  expect(await shop.outcomeOf(200_000)).toEqual([409, 'recipient_disabled'])
  await shop.post(`/v1/recipients/${recipient}/enable`)
  expect(await shop.outcomeOf(200_000)).toEqual([201, 'SUBMITTED'])
  await pass(5)
  await expectAllProofs(db)
})

test('a new recipient is settled once another member has approved a transfer to it', async () => {
  const shop = await openControlledShop({ recipients: { ...lax, approveFirst: true } })
  const { settle, outcomeOf, bankAccount, reference: from, ada, bola } = shop
  await shop.save()
  const refused = await settle(200_000)
  expect([refused.status, refused.json.reason]).toEqual([422, 'approval_required'])
  expect(refused.json.message).toMatch(/has not been paid yet\. Create a bank transfer from the/)
  const body = { ...bankAccount, from, amount: 100_000 }
  const asked = await ada.ask('POST', '/v1/disbursements/bank-transfer', { body })
  const { reference, orderHash } = asked.json.data
  const approve = `/v1/disbursements/${reference}/approve`
  const approved = await bola.ask('POST', approve, { body: { orderHash } })
  expect(approved.status, approved.text).toBe(200)
  await pass(5)
  expect(await outcomeOf(200_000)).toEqual([201, 'SUBMITTED'])
  await pass(5)
  await expectAllProofs(db)
})

test('settlements count once for limits, and are refused above them', async () => {
  const limits = { window: 'hour', currency: 'NGN', count: null }
  const shop = await openControlledShop({
    velocity: [
      { ...limits, per: 'recipient', amount: 500_000, above: 'refuse' },
      { ...limits, per: 'merchant', amount: 600_000, above: 'approve' },
    ],
  })
  const { outcomeOf, settle, payOutFrom } = shop
  expect((await payOutFrom({ amount: 100_000 })).status).toBe(201)
  expect(await outcomeOf(200_000)).toEqual([201, 'SUBMITTED'])
  const refused = await settle(200_001)
  expect([refused.status, refused.json.reason]).toEqual([422, 'velocity_limit'])
  expect(refused.json.message).toContain('₦3,000.00 was sent in 2 transfers')
  expect(await outcomeOf(200_000)).toEqual([201, 'SUBMITTED'])
  // Transfers count what was settled.
  const transfer = await payOutFrom({ amount: 100 })
  expect(transfer.json.reason).toBe('velocity_limit')
  await shop.patch(shop.path, { bankAccount: newAccount() })
  expect(await outcomeOf(100_001)).toEqual([422, 'approval_required'])
  expect(await outcomeOf(100_000)).toEqual([201, 'SUBMITTED'])
  await pass(5)
  clock.advance(hour)
  expect(await outcomeOf(200_001)).toEqual([201, 'SUBMITTED'])
  await pass(5)
  await expectAllProofs(db)
})

test('two settlements at once do not pass a limit together', async () => {
  const velocity = [
    { per: 'merchant', window: 'hour', currency: 'NGN', amount: null, count: 1, above: 'refuse' },
  ]
  const shop = await openControlledShop({ velocity })
  const other = await shop.addFunded(1_000_000, { name: 'Bola', bankAccount: newAccount() })
  const path = `/v1/subaccounts/${other.reference}/settlements`
  const replies = await Promise.all([
    shop.settle(200_000),
    shop.post(path, { amount: 200_000 }),
    shop.settle(100_000),
    shop.post(path, { amount: 100_000 }),
  ])
  const reasons = replies.map(({ json }) => json.reason ?? 'made').toSorted()
  expect(reasons).toEqual(['made', 'velocity_limit', 'velocity_limit', 'velocity_limit'])
  await pass(5)
  await expectAllProofs(db)
})

test('a settlement cannot say that it is no duplicate, so it requires a member', async () => {
  const shop = await openControlledShop({ duplicates: { minutes: 30, requires: 'confirmation' } })
  expect(await shop.outcomeOf(200_000)).toEqual([201, 'SUBMITTED'])
  await pass(5)
  expect(await shop.outcomeOf(200_000)).toEqual([422, 'approval_required'])
  expect(await shop.outcomeOf(200_100)).toEqual([201, 'SUBMITTED'])
  clock.advance(30 * minute)
  expect(await shop.outcomeOf(200_000)).toEqual([201, 'SUBMITTED'])
  await pass(5)
  await expectAllProofs(db)
})

test('a scheduled settlement that is refused is made once the account is saved', async () => {
  const shop = await openControlledShop({ recipients: { ...lax, onlySaved: true } }, 'daily')
  const refusal = async () => (await shop.get(shop.path)).settlement.lastRefusal
  clock.advance(day)
  await pass(3)
  expect(await shop.settlements()).toEqual([])
  expect(await refusal()).toMatchObject({ message: expect.stringContaining('is not saved') })
  // An account whose chooser is unknown is no way around it.
  await db.rows(sql`
    update subaccounts set chosen_by_key = null, chosen_by_user = null
    where environment_id = ${shop.merchant.environments.test.id}`)
  clock.advance(day)
  await pass(3)
  expect(await shop.settlements()).toEqual([])
  await shop.save()
  clock.advance(day)
  await pass(5)
  expect(await shop.settlements()).toMatchObject([{ status: 'PAID' }])
  expect(await refusal()).toBeNull()
  await expectAllProofs(db)
})
