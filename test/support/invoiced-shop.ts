import { expect } from 'vitest'
import { payersOf, type ServiceWithBank } from './open-with-bank.js'

let calls = 0

/** A merchant with a customer who has a dedicated account, and pays invoices through it. */
export async function openInvoicedShop(service: ServiceWithBank) {
  const { clock } = service
  const merchant = await service.addMerchant('Shop')
  const payers = payersOf(service, merchant)
  const key = merchant.test.secret
  const ask = async (method: string, path: string, body?: object) => {
    calls += 1
    clock.advance(1)
    const headers = { 'idempotency-key': `call ${calls}` }
    const reply = await service.ask(method, path, { key, headers, ...(body && { body }) })
    expect(reply.status, reply.text).toBeLessThan(300)
    return reply.json.data
  }
  const customer = await ask('POST', '/v1/customers', { name: 'Ada Obi' })
  const account = await ask('POST', '/v1/collections/dedicated-accounts', {
    externalReference: `ada-${calls}`,
  })
  const path = `/v1/customers/${customer.reference}`
  await ask('POST', `${path}/accounts`, { account: account.accountReference })
  const invoice = async (unitAmount: number, more: object = {}) => {
    const lines = [{ description: 'Fabric', unitAmount }]
    const { reference } = await ask('POST', '/v1/invoices', {
      customer: customer.reference,
      lines,
      ...more,
    })
    return ask('POST', `/v1/invoices/${reference}/finalize`)
  }
  return {
    merchant,
    ask,
    customer,
    account,
    invoice,
    pay: async (amount: number) => {
      clock.advance(1)
      const { status, json, text } = await payers.payIn(account.accountNumber, { amount })
      expect(status, text).toBe(201)
      return json.data
    },
    read: ({ reference }: { reference: string }) => ask('GET', `/v1/invoices/${reference}`),
    credit: async () => (await ask('GET', path)).credit[0].amount,
    events: async () =>
      (await ask('GET', '/v1/events?limit=100')).items
        .map(({ type }: { type: string }) => type)
        .filter((type: string) => /^(invoice|customer)\.(paid|partially_paid|credited)/.test(type))
        .toReversed(),
  }
}
