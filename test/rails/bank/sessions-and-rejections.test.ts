import { expect, test } from 'vitest'
import { type Provider, providers } from '../../../src/base/config.js'
import { openEmulatedBank } from '../contract/emulated-bank.js'
import { openWorld } from '../contract/open-world.js'

async function openShopAt(provider: Provider) {
  const world = await openWorld((tools) => openEmulatedBank(provider, tools))
  return { ...world, shop: await world.open() }
}

/** What each provider reports: Paystack and Monnify the NIP session, Flutterwave none. */
const sessions: Record<Provider, { payout: unknown; payment: unknown }> = {
  paystack: { payout: expect.stringMatching(/^110006\d+$/), payment: null },
  monnify: {
    payout: expect.stringMatching(/^\d{30}$/),
    payment: expect.stringMatching(/^\d{30}$/),
  },
  flutterwave: { payout: null, payment: null },
}

test.each(providers)(
  'sessionId is the interbank session if %s reports it, and never an id of its own',
  async (provider) => {
    const { shop, passUntil } = await openShopAt(provider)
    await shop.earn()
    const [payment] = await shop.payments()
    const read = await shop.get(`/v1/collections/payments/${payment!.reference}`)
    expect(read.sessionId).toEqual(sessions[provider].payment)
    const reference = await shop.payOut()
    expect((await shop.readPayout(reference)).sessionId).toBe(null)
    await shop.untilPayout(reference, 'COMPLETED')
    // A notice may bring it after the payout has been found complete.
    if (sessions[provider].payout !== null)
      await passUntil(async () => (await shop.readPayout(reference)).sessionId !== null)
    expect((await shop.readPayout(reference)).sessionId).toEqual(sessions[provider].payout)
  },
)

test.each(['paystack', 'monnify'] as const)(
  'the merchant is notified once of a payment that %s sent back by itself',
  async (provider) => {
    const { shop, bank, passUntil } = await openShopAt(provider)
    const type = 'virtual_account.payment_rejected'
    const account = await shop.openAccount(500_000)
    const paid = await shop.pay(account.accountNumber, 400_000)
    expect(paid.result).toBe('rejected')
    const events = async () => (await shop.get(`/v1/events?type=${type}`)).items
    await passUntil(async () => (await events()).length > 0)
    const [event] = await events()
    expect(event.data).toMatchObject({
      reference: account.reference,
      status: 'ACTIVE',
      amountReceived: 0,
      payments: [],
      rejection: {
        amount: 400_000,
        currency: 'NGN',
        reason: expect.stringMatching(/./),
        rejectedAt: expect.stringMatching(/Z$/),
      },
    })
    expect(await shop.naira()).toEqual({ available: 0, held: 0, pending: 0 })
    // Copies of the notice change nothing, and the account can still be paid.
    await bank.drainNotices()
    await shop.pay(account.accountNumber, 500_000)
    await shop.untilPayments(1)
    expect(await events()).toHaveLength(1)
  },
)
