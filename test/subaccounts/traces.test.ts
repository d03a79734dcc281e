import { expect, test } from 'vitest'
import { addPerson } from '../support/people.js'
import { openSplitMarket } from './split-market.js'

const { service, openShop, work } = await openSplitMarket()

type Entry = { type: string; payment?: string; refund?: string; amount: number }
type Item = { kind: string; title: string; details: { purpose?: string } }

async function openShopWithRefund() {
  const shop = await openShop()
  const [ada, bola] = [await shop.addSeller('Ada'), await shop.addSeller('Bola')]
  await shop.fund(500_000)
  const payment = await shop.sell({
    lines: [
      { subaccount: ada, percent: '50' },
      { subaccount: bola, percent: '10', releaseAfterDays: 7 },
    ],
  })
  await shop.move(ada, { to: 'merchant', amount: 230_000 })
  const refunded = await shop.refund(payment.reference, { amount: 100_000 })
  expect(refunded.status, refunded.text).toBe(201)
  const refund: string = refunded.json.data.refund.reference
  await work()
  return { shop, ada, bola, payment: payment.reference as string, refund }
}

test('entries of shares name the payment, and those of what was taken back the refund', async () => {
  const { shop, ada, payment, refund } = await openShopWithRefund()
  const read = async (query: string): Promise<Entry[]> =>
    (await shop.get(`/v1/balance-entries?${query}`)).json.data.items
  const traces = (entries: Entry[]) =>
    entries.map(({ type, payment, refund }) => ({ type, payment, refund })).toReversed()
  const ofAda = await read(`subaccount=${ada}`)
  expect(traces(ofAda)).toEqual([
    { type: 'split', payment, refund: undefined },
    { type: 'subaccount_transfer_back', payment: undefined, refund: undefined },
    { type: 'split_refund', payment, refund },
  ])
  const own = traces(await read('')).filter(({ type }) => type.startsWith('split'))
  expect(own.length).toBeGreaterThan(2)
  expect(own.every((entry) => entry.payment === payment)).toBe(true)
  const csv = await service.ask('GET', `/v1/balance-entries?subaccount=${ada}`, {
    key: shop.merchant.test.secret,
    headers: { accept: 'text/csv' },
  })
  expect(csv.text.split(/\r?\n/)[0]).toMatch(/,payment,refund$/)
  expect(csv.text).toContain(`,${payment},${refund}`)
})

test('the timeline of a payment and of its refund has the split', async () => {
  const { shop, ada, bola, payment, refund } = await openShopWithRefund()
  const entriesOf = async (reference: string): Promise<string[]> => {
    const { json } = await shop.get(`/v1/timeline/${reference}`)
    const items: Item[] = json.data.items
    return items
      .filter(({ kind, details }) => kind === 'ledger_entry' && details.purpose !== 'payment')
      .map(({ title }) => title)
  }
  const ofPayment = await entriesOf(payment)
  const ofRefund = await entriesOf(refund)
  const takenBack = [
    `₦200.00 taken back from the balance of ${ada}`,
    `₦300.00 added to what ${ada} owes`,
    `₦100.00 taken back from pending money of ${bola}`,
  ]
  expect(ofPayment).toEqual(
    expect.arrayContaining([
      `₦2,500.00 credited to the balance of ${ada}`,
      `₦500.00 credited to pending money of ${bola}`,
      ...takenBack,
    ]),
  )
  expect(ofRefund).toEqual(expect.arrayContaining(takenBack))
  expect(ofRefund.join()).not.toContain('₦2,500')
})

test('members who may not see sub-accounts see no share in payments and timelines', async () => {
  const { shop, ada, payment, refund } = await openShopWithRefund()
  const { reference: merchant } = shop.merchant
  const support = await addPerson(service, { merchant, role: 'support', name: 'Chi Eze' })
  const viewer = await addPerson(service, { merchant, role: 'viewer', name: 'Dayo Bello' })
  const path = `/v1/collections/payments/${payment}`
  for (const read of [
    path,
    `${path}/returns`,
    `/v1/timeline/${payment}`,
    `/v1/timeline/${refund}`,
  ]) {
    const [hidden, shown] = [await support.ask('GET', read), await viewer.ask('GET', read)]
    expect([hidden.status, shown.status]).toEqual([200, 200])
    expect([read, hidden.text.includes(ada), shown.text.includes(ada)]).toEqual([read, false, true])
  }
})

test('titles of payouts name the sub-account that pays', async () => {
  const shop = await openShop()
  const ada = await shop.addSeller('Ada')
  await shop.fund(500_000)
  await shop.move(ada, { from: 'merchant', amount: 400_000 })
  const sent = { amount: 300_000, bankCode: '058', accountNumber: '0123456789', from: ada }
  const { reference } = await shop.post('/v1/disbursements/bank-transfer', sent)
  const { json } = await shop.get(`/v1/timeline/${reference}`)
  const items: Item[] = json.data.items
  expect(items.map(({ title }) => title)).toContain(
    `₦3,000.00 of the balance of ${ada} reserved for the transfer`,
  )
})
