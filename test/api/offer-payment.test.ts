import { expect, test } from 'vitest'
import { offerPayment } from '../../src/api/invoice-page/offer-payment.js'
import type { PublicInvoice } from '../../src/checkout/find-public-invoice.js'

const naira = { min: 10_000n, max: 1_000_000n }
const inParts = ['2036-01-31', '2036-02-28'].map((day, index) => ({
  amount: index === 0 ? '400000' : '900000',
  dueAt: `${day}T23:00:00.000Z`,
}))

function offer(amountDue: bigint, more: object = {}, isSuspended = false) {
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
  const paymentMethods = { bankTransfer: true, crypto: false }
  const found = { invoice, environment: { isSuspended }, paymentMethods }
  return offerPayment(found as unknown as PublicInvoice, naira)
}

test('an invoice is paid at once, or by its next instalment', () => {
  expect(offer(500_000n)).toEqual({ all: 500_000n, nextInstalment: null })
  expect(offer(900_000n, { instalments: inParts })).toEqual({ all: 900_000n, nextInstalment: null })
})

test('the next instalment can be paid although all is more than an account takes', () => {
  expect(offer(1_300_000n, { instalments: inParts })).toEqual({
    all: null,
    nextInstalment: 400_000n,
  })
})

test('no account is opened for less than the least amount, or for a suspended merchant', () => {
  const nothing = { all: null, nextInstalment: null }
  expect(offer(9_999n)).toEqual(nothing)
  expect(offer(500_000n, {}, true)).toEqual(nothing)
  expect(offer(5_000_000n, { asset: 'USDC' })).toEqual(nothing)
})
