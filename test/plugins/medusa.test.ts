import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { toKobo, toNaira } from '../../plugins/medusa/src/amounts.js'
import { Payments } from '../../plugins/medusa/src/payments.js'
import { Manilla } from '../../sdk/src/manilla.js'
import { signWebhook } from '../../sdk/src/sign-webhook.js'
import { openWithBank, payersOf } from '../support/open-with-bank.js'

/**
 * What the payment provider for Medusa does, against a service. The provider inside of Medusa is
 * tested by the tests of its package, which install Medusa.
 */

const service = await openWithBank()
const shop = payersOf(service, service.merchant)
const manilla = new Manilla(service.merchant.test.secret, { baseUrl: service.url, maxRetries: 0 })
const webhookSecret = `whsec_${Buffer.alloc(24, 7).toString('base64')}`
const payments = new Payments(manilla, { webhookSecret, successUrl: 'https://shop.example/back' })

const customer = { name: 'Ada Obi', email: 'ada@example.com' }
let count = 0
async function create(kobo = 1_250_000) {
  count += 1
  const session = `payses_${count}`
  const idempotencyKey = `medusa-${session}`
  const order = { session, kobo, customer, idempotencyKey }
  return { order, ...(await payments.create(order)) }
}
async function payIn(reference: string, amount: number): Promise<void> {
  const { bankTransfer } = await manilla.checkout.sessions.get(reference)
  await shop.payIn(bankTransfer!.accountNumber, { amount })
}
const refused = (type: string) => expect.objectContaining({ type })

describe('amounts', () => {
  test('go from naira to kobo and back without loss', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max: BigInt(Number.MAX_SAFE_INTEGER) }), (kobo) => {
        expect(toKobo(toNaira(Number(kobo)))).toBe(Number(kobo))
      }),
    )
  })

  test.each([
    ['12500', 1_250_000],
    ['12500.5', 1_250_050],
    ['0.29', 29],
    ['1.005', 101],
    ['1.0049999999', 100],
    ['0.30000000000000004', 30],
    ['4503599627370.495', 450_359_962_737_050],
  ])('%s naira are %i kobo', (naira, kobo) => {
    expect(toKobo(naira)).toBe(kobo)
  })

  test.each(['', '-1', '1e3', '1,000', 'NaN', 'Infinity', '90071992547409.92'])(
    '%s is refused',
    (naira) => expect(() => toKobo(naira)).toThrow(RangeError),
  )
})

describe('a payment session', () => {
  test('is one checkout session, however often it is created', async () => {
    const { order, data, status } = await create()
    expect(status).toBe('requires_more')
    expect(data).toMatchObject({ session_id: order.session, amount: 1_250_000, status: 'pending' })
    expect((await payments.create(order)).data).toEqual(data)
    expect(await manilla.checkout.sessions.get(data.reference)).toMatchObject({
      amount: 1_250_000,
      merchantReference: order.session,
      customer,
    })
  })

  test('is captured when the money has arrived, and not before', async () => {
    const { data } = await create()
    expect((await payments.read(data)).status).toBe('requires_more')
    await payIn(data.reference, 1_000_000)
    expect((await payments.read(data)).status).toBe('requires_more')
    await payIn(data.reference, 1_250_000)
    expect((await payments.read(data)).status).toBe('captured')
  })

  // The storefront reads this data, and Medusa merges what storefronts send.
  test('is not authorized by a paid session of another order, or of another amount', async () => {
    const [cheap, dear] = [await create(100_000), await create(9_000_000)]
    await payIn(cheap.data.reference, 100_000)
    const forged = { ...dear.data, reference: cheap.data.reference }
    await expect(payments.read(forged)).rejects.toEqual(refused('not_allowed'))
    const { session_id } = cheap.data
    await expect(payments.read({ ...cheap.data, amount: 9_000_000 })).rejects.toEqual(
      refused('not_allowed'),
    )
    await expect(payments.read({ ...forged, session_id })).rejects.toEqual(refused('not_allowed'))
  })

  test('is cancelled, again and again, unless it is paid', async () => {
    const { data } = await create()
    for (let time = 0; time < 2; time += 1)
      expect((await payments.cancel(data)).status).toBe('canceled')
    const paid = await create()
    await payIn(paid.data.reference, 1_250_000)
    await expect(payments.cancel(paid.data)).rejects.toEqual(refused('not_allowed'))
    expect((await payments.read(paid.data)).status).toBe('captured')
  })
})

describe('a refund', () => {
  test('returns a part once per key, and never more than was paid', async () => {
    const { data } = await create()
    await expect(payments.refund(data, { kobo: 100, idempotencyKey: 'refund-0' })).rejects.toEqual(
      refused('not_allowed'),
    )
    await payIn(data.reference, 1_250_000)
    const part = { kobo: 250_000, idempotencyKey: 'refund-1' }
    await payments.refund(data, part)
    await payments.refund(data, part)
    const [payment] = (await manilla.checkout.sessions.get(data.reference)).payments
    expect(payment).toMatchObject({ amountAccepted: 1_000_000 })
    await expect(
      payments.refund(data, { kobo: 1_000_001, idempotencyKey: 'refund-2' }),
    ).rejects.toEqual(refused('not_allowed'))
    await payments.refund(data, { kobo: 1_000_000, idempotencyKey: 'refund-3' })
    expect((await payments.read(data)).status).toBe('captured')
  })
})

describe('a webhook', () => {
  async function hear(type: string, data: object, secret = webhookSecret) {
    const body = JSON.stringify({ id: 'evt_1', type, data })
    return payments.hear(body, await signWebhook(body, secret))
  }

  test('captures a paid session, in naira', async () => {
    const { data, order } = await create(1_250_005)
    await payIn(data.reference, 1_250_005)
    const session = await manilla.checkout.sessions.get(data.reference)
    expect(await hear('checkout.session.paid', session)).toEqual({
      action: 'captured',
      session: order.session,
      naira: '12500.05',
    })
    expect(await hear('checkout.session.expired', session)).toMatchObject({ action: 'canceled' })
  })

  test('of other sessions and other types changes nothing', async () => {
    const { data } = await create()
    const session = await manilla.checkout.sessions.get(data.reference)
    const foreign = { ...session, metadata: {} }
    expect(await hear('checkout.session.paid', foreign)).toEqual({ action: 'not_supported' })
    expect(await hear('payment.received', session)).toEqual({ action: 'not_supported' })
  })

  test('that is forged is refused', async () => {
    const { data } = await create()
    const session = await manilla.checkout.sessions.get(data.reference)
    const other = `whsec_${Buffer.alloc(24, 8).toString('base64')}`
    await expect(hear('checkout.session.paid', session, other)).rejects.toThrow()
  })
})
