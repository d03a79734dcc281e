import { expect, test } from 'vitest'
import { openSplitMarket } from './split-market.js'

const { openShop } = await openSplitMarket()

const line = (subaccount: string, given: object) => ({
  subaccount,
  flat: null,
  percent: null,
  remainder: false,
  min: null,
  max: null,
  releaseAt: null,
  releaseAfterDays: null,
  ...given,
})

test('a virtual account shows the lines it was created with', async () => {
  const shop = await openShop()
  const ada = await shop.addSeller('Ada')
  const splits = {
    feeBearer: ada,
    lines: [{ subaccount: ada, percent: '12.5', min: 1_000, releaseAfterDays: 3 }],
  }
  const created = await shop.open({ splits })
  const shown = {
    rule: null,
    version: null,
    feeBearer: ada,
    lines: [line(ada, { percent: '12.5', min: 1_000, releaseAfterDays: 3 })],
  }
  expect(created.splits).toEqual(shown)
  const path = '/v1/collections/virtual-accounts'
  const read = await shop.get(`${path}/${created.reference}`)
  expect(read.json.data.splits).toEqual(shown)
  const listed = await shop.get(path)
  expect(listed.json.data.items[0].splits).toEqual(shown)
  const plain = await shop.open({ merchantReference: 'plain' })
  expect('splits' in plain).toBe(false)
  expect('splits' in (await shop.get(`${path}/${plain.reference}`)).json.data).toBe(false)
})

test('a dedicated account shows the version of the rule that it keeps', async () => {
  const shop = await openShop()
  const ada = await shop.addSeller('Ada')
  const lines = [{ subaccount: ada, percent: '10' }]
  const rule = await shop.post('/v1/split-rules', { name: 'Ten', lines })
  const path = '/v1/collections/dedicated-accounts'
  const created = await shop.post(path, {
    externalReference: 'customer-1',
    splits: { rule: rule.reference },
  })
  await shop.post(`/v1/split-rules/${rule.reference}/versions`, {
    lines: [{ subaccount: ada, percent: '20' }],
  })
  const shown = {
    rule: rule.reference,
    version: 1,
    feeBearer: 'merchant',
    lines: [line(ada, { percent: '10' })],
  }
  expect(created.splits).toEqual(shown)
  expect((await shop.get(`${path}/customer-1`)).json.data.splits).toEqual(shown)
})

test('a checkout session shows its split to the merchant and not to the payer', async () => {
  const shop = await openShop()
  const ada = await shop.addSeller('Ada')
  const created = await shop.post('/v1/checkout/sessions', {
    amount: 500_000,
    description: 'Two loaves',
    customer: { name: 'Ada Obi', email: 'ada@example.com' },
    splits: { lines: [{ subaccount: ada, flat: 50_000 }] },
  })
  const shown = {
    rule: null,
    version: null,
    feeBearer: 'merchant',
    lines: [line(ada, { flat: 50_000 })],
  }
  expect(created.splits).toEqual(shown)
  const read = await shop.get(`/v1/checkout/sessions/${created.reference}`)
  expect(read.json.data.splits).toEqual(shown)
  const seen = await shop.get(`/public/checkout/${created.reference}`)
  expect([seen.status, seen.json.data.reference]).toEqual([200, created.reference])
  expect(JSON.stringify(seen.json)).not.toContain(ada)
})
