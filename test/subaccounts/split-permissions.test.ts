import { expect, test } from 'vitest'
import { addPerson } from '../support/people.js'
import { openSplitMarket } from './split-market.js'

const { service, openShop } = await openSplitMarket()

const path = '/v1/collections/virtual-accounts'
const order = { merchantReference: 'order-1', amount: 500_000 }

test('people who may only collect use rules, and cannot write lines', async () => {
  const shop = await openShop()
  const { reference: merchant } = shop.merchant
  const support = await addPerson(service, { merchant, role: 'support', name: 'Chi Eze' })
  const finance = await addPerson(service, { merchant, role: 'finance', name: 'Bola Ade' })
  const ada = await shop.addSeller('Ada')
  const lines = [{ subaccount: ada, percent: '10' }]
  const refused = await support.ask('POST', '/v1/split-rules', { body: { name: 'Ten', lines } })
  expect([refused.status, refused.json.reason]).toEqual([403, 'role'])
  const written = await finance.ask('POST', '/v1/split-rules', { body: { name: 'Ten', lines } })
  expect(written.status, written.text).toBe(201)
  const rule = written.json.data.reference

  const session = {
    amount: 500_000,
    description: 'Two loaves',
    customer: { name: 'Ada Obi', email: 'ada@example.com' },
  }
  const dedicated = { externalReference: 'customer-1' }
  for (const [route, body] of [
    [path, order],
    ['/v1/collections/dedicated-accounts', dedicated],
    ['/v1/checkout/sessions', session],
  ] as const) {
    const own = await support.ask('POST', route, { body: { ...body, splits: { lines } } })
    expect([own.status, own.json.code, own.json.message]).toEqual([
      403,
      'forbidden',
      'Your role lacks subaccounts.change in test mode. It is for: owner, admin, finance, developer.',
    ])
    const byRule = await support.ask('POST', route, { body: { ...body, splits: { rule } } })
    expect(byRule.status, byRule.text).toBe(201)
  }
  const allowed = await finance.ask('POST', path, { body: { ...order, splits: { lines } } })
  expect(allowed.status, allowed.text).toBe(201)
})

test('a restricted key needs the permission, too', async () => {
  const shop = await openShop()
  const { reference: merchant } = shop.merchant
  const owner = await addPerson(service, { merchant, role: 'owner', name: 'Ada Obi' })
  const ada = await shop.addSeller('Ada')
  const splits = { lines: [{ subaccount: ada, percent: '10' }] }
  const open = async (permissions: string[]) => {
    const body = { name: permissions.join(' '), kind: 'secret', permissions }
    const made = await owner.ask('POST', '/v1/api-keys', { body })
    expect(made.status, made.text).toBe(201)
    return service.ask('POST', path, { key: made.json.data.key, body: { ...order, splits } })
  }
  const refused = await open(['collect.create'])
  expect([refused.status, refused.json.reason, refused.json.message]).toEqual([
    403,
    'key_permission',
    'This API key is restricted and lacks the permission subaccounts.change.',
  ])
  expect((await open(['collect.create', 'subaccounts.change'])).status).toBe(201)
})
