import { expect, test } from 'vitest'
import { offerPayment } from '../../src/api/invoice-page/offer-payment.js'
import type { PublicInvoice } from '../../src/checkout/find-public-invoice.js'
import type { Coin } from '../../src/money/assets.js'

const naira = { min: 10_000n, max: 1_000_000n }
const inParts = ['2036-01-31', '2036-02-28'].map((day, index) => ({
  amount: index === 0 ? '400000' : '900000',
  dueAt: `${day}T23:00:00.000Z`,
}))

const transferOnly = { bankTransfer: true, crypto: false }

function offer(
  amountDue: bigint,
  more: object = {},
  { isSuspended = false, paymentMethods = transferOnly, priced = ['USDC'] as Coin[] } = {},
) {
  const invoice = {
    id: 'one',
    asset: 'NGN',
    number: 1n,
    amountDue,
    instalments: [],
    dueAt: new Date('2036-02-28T23:00:00.000Z'),
    finalizedAt: new Date('2036-01-01'),
    ...more,
  }
  const found = { invoice, environment: { isSuspended }, paymentMethods }
  return offerPayment(found as unknown as PublicInvoice, naira, priced)
}

test('an invoice is paid at once, or by its next instalment', () => {
  const direct = { nextInstalment: null, isDirect: true, coins: [] }
  expect(offer(500_000n)).toEqual({ all: 500_000n, ...direct })
  expect(offer(900_000n, { instalments: inParts })).toEqual({ all: 900_000n, ...direct })
})

test('the next instalment can be paid although all is more than an account takes', () => {
  expect(offer(1_300_000n, { instalments: inParts })).toEqual({
    all: null,
    nextInstalment: 400_000n,
    isDirect: true,
    coins: [],
  })
})

test('no account is opened for less than the least amount, or for a suspended merchant', () => {
  const none = { all: null, nextInstalment: null }
  expect(offer(9_999n)).toMatchObject(none)
  const nothing = { ...none, isDirect: false, coins: [] }
  expect(offer(500_000n, {}, { isSuspended: true })).toEqual(nothing)
  expect(offer(5_000_000n, { asset: 'USDC' })).toEqual(nothing)
})

test('an invoice in naira is paid in coins that have a rate, if the merchant takes coins', () => {
  const paymentMethods = { bankTransfer: false, crypto: true }
  const offered = { all: 500_000n, nextInstalment: null, isDirect: false, coins: ['USDC'] }
  expect(offer(500_000n, {}, { paymentMethods })).toEqual(offered)
  const both = { bankTransfer: true, crypto: true }
  expect(offer(500_000n, {}, { paymentMethods: both })).toEqual({ ...offered, isDirect: true })
  const nothing = { all: null, nextInstalment: null, isDirect: false, coins: [] }
  expect(offer(500_000n, {}, { paymentMethods, priced: [] })).toEqual(nothing)
  // An invoice in coins is paid in its own.
  expect(offer(500_000n, { asset: 'USDT' }, { paymentMethods })).toMatchObject({
    isDirect: true,
    coins: [],
  })
})
