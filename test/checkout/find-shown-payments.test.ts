import { beforeEach, describe, expect, test } from 'vitest'
import { customersOf, openBankHouse } from '../support/bank-house.js'
import { expectSoundBooks } from '../support/sound-books.js'

const house = await openBankHouse()
let shop: ReturnType<typeof customersOf>
beforeEach(async () => {
  shop = customersOf(house, await house.hire('Ada Stores'))
})

async function open() {
  const { reference } = (
    await shop.post('/v1/checkout/sessions', {
      amount: 1_250_000,
      description: 'Two loaves of agege bread',
      customer: { name: 'Ada Obi', email: 'ada@example.com' },
    })
  ).json.data
  const look = async () => (await house.ask('GET', `/public/checkout/${reference}`)).json.data
  const { accountNumber } = (await look()).bankTransfer
  const page = async () => (await house.ask('GET', `/checkout/${reference}`)).text
  const pay = async (amount: number, count = 1) => {
    for (let n = 0; n < count; n += 1) {
      house.clock.advance(1)
      expect((await shop.payIn(accountNumber, { amount })).status).toBe(201)
    }
  }
  return { look, page, pay }
}

type Shown = { amount: number; status: string; receivedAt: string }
const amountsOf = ({ received }: { received: Shown[] }) => received.map(({ amount }) => amount)
const policy = (bank: object) => shop.patch('/v1/settings', { policies: { bank } })

describe('money that matters stays in sight', () => {
  test('a held payment, after any number of kobos that went back', async () => {
    await policy({ underpayment: 'hold' })
    const { look, page, pay } = await open()
    await pay(1_200_000)
    await policy({ underpayment: 'return' })
    await pay(1, 11)
    const few = await look()
    expect([few.received.length, few.moreReceived]).toEqual([12, false])
    expect(await page()).toContain('We received ₦12,000.00, ₦500.00 less than requested.')
    expect(await page()).toContain('We received ₦12,000.11 in total.')

    await pay(2, 50)
    const many = await look()
    expect([many.received.length, many.moreReceived]).toEqual([50, true])
    expect(many.received.at(-1)).toMatchObject({ amount: 1_200_000, status: 'HELD' })
    expect(many.amountReceived).toBe(1_200_111)
    expect(await page()).toContain('We received ₦12,000.00, ₦500.00 less than requested.')
    await expectSoundBooks(house.db)
  })

  test('the payment that was accepted, after any number of duplicates', async () => {
    const { look, page, pay } = await open()
    await pay(1_250_000, 52)
    const shown = await look()
    expect([shown.status, shown.received.length, shown.moreReceived]).toEqual(['paid', 50, true])
    expect(shown.received.at(-1)).toMatchObject({ status: 'ACCEPTED', variance: 'NONE' })
    expect(await page()).toContain('Ada Stores has received your payment of ₦12,500.00.')
  })

  test('the larger one, where all are held; and the newest, whatever it is', async () => {
    await policy({ underpayment: 'hold' })
    const { look, pay } = await open()
    await pay(1_200_000)
    await pay(2, 52)
    await pay(1)
    const shown = await look()
    const amounts = amountsOf(shown)
    expect([amounts.length, amounts[0], amounts.at(-1)]).toEqual([50, 1, 1_200_000])
    const times = shown.received.map(({ receivedAt }: Shown) => receivedAt)
    expect(times).toEqual(times.toSorted().reverse())
  })

  test('all of them, up to fifty', async () => {
    const { look, pay } = await open()
    await pay(3, 50)
    expect(amountsOf(await look())).toEqual(Array(50).fill(3))
    expect((await look()).moreReceived).toBe(false)
  })
})
