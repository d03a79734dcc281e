import { beforeAll, expect, test } from 'vitest'
import { openWithBank } from '../support/open-with-bank.js'
import { type Desk, openDesk } from '../support/payment-desk.js'

const service = await openWithBank()
let desk: Desk
const path = '/v1/collections/payments'

const payers = ['CHUKA OBI', 'Adébáyò Musa', 'OBI CHUKWUMA', '=HYPERLINK("evil")']

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
  expect(await find('sender=0000000001')).toEqual(['order-1'])
  expect(await find('sender=nobody')).toEqual([])
  expect(await find('merchantReference=order-2')).toEqual(['order-2'])
  expect(await find('q=order-2')).toEqual(['order-2'])
  expect(await find('q=order-2&sender=chuka')).toEqual([])
  expect(await find('minAmount=500001')).toEqual(['order-1'])
  expect(await find('maxAmount=500000&sender=obi')).toEqual(['order-2', 'order-0'])
  expect(await find('variance=OVERPAID')).toEqual(['order-1'])
  expect(await find('currency=USDC')).toEqual([])
  expect(await find('currency=NGN&status=ACCEPTED&limit=1')).toEqual(['order-3'])
})
