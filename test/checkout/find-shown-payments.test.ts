import { beforeEach, describe, expect, test } from 'vitest'
import { openWithBank, payersOf } from '../support/open-with-bank.js'
import { expectAllProofs } from '../support/sound-books.js'

const service = await openWithBank()
let shop: ReturnType<typeof payersOf>
beforeEach(async () => {
  shop = payersOf(service, await service.addMerchant('Ada Stores'))
})

async function open() {
  const { reference } = (
    await shop.post('/v1/checkout/sessions', {
      amount: 1_250_000,
      description: 'Two loaves of agege bread',
      customer: { name: 'Ada Obi', email: 'ada@example.com' },
    })
  ).json.data
  const read = async () => (await service.ask('GET', `/public/checkout/${reference}`)).json.data
  const { accountNumber } = (await read()).bankTransfer
  const page = async () => (await service.ask('GET', `/checkout/${reference}`)).text
  const pay = async (amount: number, count = 1) => {
    for (let n = 0; n < count; n += 1) {
      service.clock.advance(1)
      expect((await shop.payIn(accountNumber, { amount })).status).toBe(201)
    }
  }
  return { read, page, pay }
}

type ShownPayment = { amount: number; status: string; receivedAt: string }
const amountsOf = ({ received }: { received: ShownPayment[] }) =>
  received.map(({ amount }) => amount)
const policy = (bank: object) => shop.patch('/v1/settings', { policies: { bank } })

describe('a session with many payments still shows', () => {
  test('a held payment among many small returned ones', async () => {
    await policy({ underpayment: 'hold' })
    const { read, page, pay } = await open()
    await pay(1_200_000)
    await policy({ underpayment: 'return' })
    await pay(1, 11)
    const few = await read()
    expect([few.received.length, few.moreReceived]).toEqual([12, false])
    expect(await page()).toContain('We received ₦12,000.00, ₦500.00 less than requested.')
    expect(await page()).toContain('We received ₦12,000.11 in total.')

    await pay(2, 50)
    const many = await read()
    expect([many.received.length, many.moreReceived]).toEqual([50, true])
    expect(many.received.at(-1)).toMatchObject({ amount: 1_200_000, status: 'HELD' })
    expect(many.amountReceived).toBe(1_200_111)
    expect(await page()).toContain('We received ₦12,000.00, ₦500.00 less than requested.')
    await expectAllProofs(service.db)
  })

  test('the accepted payment among many duplicates', async () => {
    const { read, page, pay } = await open()
    await pay(1_250_000, 52)
    const shown = await read()
    expect([shown.status, shown.received.length, shown.moreReceived]).toEqual(['paid', 50, true])
    expect(shown.received.at(-1)).toMatchObject({ status: 'ACCEPTED', variance: 'NONE' })
    expect(await page()).toContain('Ada Stores has received your payment of ₦12,500.00.')
  })

  test('the largest of many held payments, and the newest one', async () => {
    await policy({ underpayment: 'hold' })
    const { read, pay } = await open()
    await pay(1_200_000)
    await pay(2, 52)
    await pay(1)
    const shown = await read()
    const amounts = amountsOf(shown)
    expect([amounts.length, amounts[0], amounts.at(-1)]).toEqual([50, 1, 1_200_000])
    const times = shown.received.map(({ receivedAt }: ShownPayment) => receivedAt)
    expect(times).toEqual(times.toSorted().reverse())
  })

  test('all payments, up to fifty', async () => {
    const { read, pay } = await open()
    await pay(3, 50)
    expect(amountsOf(await read())).toEqual(Array(50).fill(3))
    expect((await read()).moreReceived).toBe(false)
  })
})
