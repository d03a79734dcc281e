import { beforeAll, expect, test } from 'vitest'
import { listLimits } from '../../src/postgres/limits.js'
import { openWithBank } from '../support/open-with-bank.js'
import { type Desk, openDesk } from '../support/payment-desk.js'

const service = await openWithBank()
let desk: Desk
const path = '/v1/collections/payments'

const payers = ['CHUKA OBI', 'Adébáyò Musa', 'OBI CHUKWUMA', "=ÒGÚNLÉYẸ(O'Brien)"]

beforeAll(async () => {
  desk = await openDesk(service)
  for (const [index, name] of payers.entries()) {
    const { accountNumber } = await desk.open({ merchantReference: `order-${index}` })
    await desk.pay(accountNumber, {
      amount: 500_000 + (index === 1 ? 1 : 0),
      sender: { name, accountNumber: `000000000${index}`, bankCode: '058' },
    })
    service.clock.advance(86_400_000)
  }
})

const find = async (query: string) => {
  const { json } = await desk.get(`${path}?${query}`)
  return json.data.items.map((one: { merchantReference: string }) => one.merchantReference)
}

test('payments are found by payer, order, amount, date and text', async () => {
  expect(await find('')).toEqual(['order-3', 'order-2', 'order-1', 'order-0'])
  expect(await find('sender=chuka')).toEqual(['order-0'])
  expect(await find('sender=chuk')).toEqual(['order-2', 'order-0'])
  expect(await find('sender=obi%20chuk')).toEqual(['order-2', 'order-0'])
  expect(await find('sender=adebayo')).toEqual(['order-1'])
  expect(await find('sender=ADEBAYO')).toEqual(['order-1'])
  expect(await find('sender=ADÉBÁYÒ')).toEqual(['order-1'])
  expect(await find('sender=ogunleye')).toEqual(['order-3'])
  expect(await find('sender=obrien')).toEqual(['order-3'])
  expect(await find('sender=0000000001')).toEqual(['order-1'])
  expect(await find('sender=nobody')).toEqual([])
  expect(await find('merchantReference=order-2')).toEqual(['order-2'])
  expect(await find('q=order-2')).toEqual(['order-2'])
  expect(await find('q=order-2&sender=chuka')).toEqual([])
  expect(await find('minAmount=500001')).toEqual(['order-1'])
  expect(await find('maxAmount=500000&sender=obi')).toEqual(['order-2', 'order-0'])
  const exactly = 'minAmount=500000&maxAmount=500000'
  expect(await find(exactly)).toEqual(['order-3', 'order-2', 'order-0'])
  expect(await find(`${exactly}&limit=1`)).toEqual(['order-3'])
  expect(await find(`${exactly}&sender=obi&status=ACCEPTED`)).toEqual(['order-2', 'order-0'])
  expect(await find(`${exactly}&currency=USDC`)).toEqual([])
  expect(await find('variance=OVERPAID')).toEqual(['order-1'])
  expect(await find('currency=USDC')).toEqual([])
  expect(await find('currency=NGN&status=ACCEPTED&limit=1')).toEqual(['order-3'])
})

// The payments were made at 10:00 in Lagos, from the 5th of January on.
test('a date is a day in Lagos, and the last one is included', async () => {
  expect(await find('from=2026-01-06&to=2026-01-07')).toEqual(['order-2', 'order-1'])
  expect(await find('from=2026-01-06&to=2026-01-06')).toEqual(['order-1'])
  expect(await find('to=2026-01-05T09:00:00Z')).toEqual([])
  expect(await find('from=2026-01-06T08:00:00Z&to=2026-01-06T10:00:00%2B01:00')).toEqual([])
  const { status, json } = await desk.get(`${path}?from=2026-01-07&to=2026-01-05`)
  expect([status, json.message]).toEqual([400, 'from must not be after to.'])
})

const search = async (text: string) => {
  const { json } = await desk.get(`/v1/search?q=${encodeURIComponent(text)}`)
  return json.data.items as { kind: string; reference: string; title: string; status: string }[]
}

test('search finds by reference, order, account number, name and filters', async () => {
  const [chuka] = await search('chuka')
  expect(chuka).toMatchObject({ kind: 'payment', title: '₦5,000.00 from CHUKA OBI' })
  expect(await search(chuka!.reference)).toEqual([chuka])
  const titles = async (text: string) => (await search(text)).map(({ title }) => title)
  expect(await titles('payer:obi')).toEqual([
    '₦5,000.00 from OBI CHUKWUMA',
    '₦5,000.00 from CHUKA OBI',
  ])
  expect(await titles('amount:5000.01')).toEqual(['₦5,000.01 from Adébáyò Musa'])
  expect(await titles('₦5,000.01')).toEqual(['₦5,000.01 from Adébáyò Musa'])
  expect(await titles('5000.01')).toEqual(['₦5,000.01 from Adébáyò Musa'])
  expect(await titles('sender:musa')).toEqual(['₦5,000.01 from Adébáyò Musa'])
  expect(await titles('from:musa')).toEqual(['₦5,000.01 from Adébáyò Musa'])
  const above = ['₦5,000.01 from Adébáyò Musa']
  for (const text of ['amount:>5000', 'amount:>=5000.01', 'amount:5000.01..6000'])
    expect(await titles(`payer:musa ${text}`), text).toEqual(above)
  for (const text of ['amount:<5000.01', 'amount:>5000.01', 'amount:1..5000', 'amount:>x'])
    expect(await titles(`payer:musa ${text}`), text).toEqual([])
  expect(await titles('recipient:obi')).toEqual([])
  const order = await search('order-2')
  expect(order.map(({ kind }) => kind)).toEqual(['payment', 'virtual_account'])
})

test('search compares every word with the names of customers', async () => {
  for (const name of ['Amaka Eze', 'Amaka Bello']) {
    const order = { amount: 500_000, description: name, customer: { name, email: 'n@example.com' } }
    await desk.post('/v1/checkout/sessions', { ...order, merchantReference: `cart ${name}` })
  }
  const found = await search('amaka bello')
  expect(found.map(({ kind, title }) => [kind, title])).toEqual([
    ['checkout_session', 'Amaka Bello'],
  ])
  expect(await search('order:"cart Amaka Eze"')).toMatchObject([{ title: 'Amaka Eze' }])
  expect(await search('amaka')).toHaveLength(2)
})

// The reference of more accounts than are listed: the payment is into the oldest of them.
test('payments are found by a reference that many accounts share', async () => {
  const { accountNumber, reference } = await desk.open({ merchantReference: 'till' })
  await desk.pay(accountNumber, {
    sender: { name: 'ZARA ALI', accountNumber: '0000000009', bankCode: '058' },
  })
  for (let count = 0; count < listLimits.accountsPerReferenceMax; count += 20)
    await Promise.all(Array.from({ length: 20 }, () => desk.open({ merchantReference: 'till' })))
  expect(await find('merchantReference=till')).toEqual(['till'])
  expect(await find(`merchantReference=till&accountReference=${reference}`)).toEqual(['till'])
  expect(await find(`merchantReference=order-1&accountReference=${reference}`)).toEqual([])
  expect(await find(`merchantReference=${accountNumber}`)).toEqual([])
})

test('an export has every row, in both units, and no formula', async () => {
  const reply = await service.ask('GET', path, {
    key: desk.merchant.test.secret,
    headers: { accept: 'text/csv' },
  })
  const [head, ...lines] = reply.text.trimEnd().split('\n')
  expect(head).toContain('currency,amountMajor,amountMinor,')
  expect(lines).toHaveLength(5)
  expect(lines[1]).toContain(`,'=ÒGÚNLÉYẸ(O'Brien),`)
  expect(lines[3]).toContain('NGN,5000.01,500001,')
  expect(lines[4]).toContain(',order-0,')
})

test('counts are by status, with the same filters', async () => {
  const counts = async (query: string) => (await desk.get(`${path}/counts?${query}`)).json.data
  expect(await counts('')).toMatchObject({ total: 5, byStatus: { ACCEPTED: 4, RETURNING: 1 } })
  expect(await counts('sender=obi')).toMatchObject({ total: 2, byStatus: { RETURNING: 0 } })
})
