import { expect } from 'vitest'
import { payersOf, type ServiceWithBank } from './open-with-bank.js'

let calls = 0

/** A merchant with a customer who has a dedicated account, and pays invoices through it. */
export async function openInvoicedShop(service: ServiceWithBank) {
  const { clock } = service
  const merchant = await service.addMerchant('Shop')
  const payers = payersOf(service, merchant)
  const key = merchant.test.secret
  const send = (method: string, path: string, body?: object) => {
    calls += 1
    // Rows of one moment are listed in any order.
    clock.advance(1)
    const headers = { 'idempotency-key': `call ${calls}` }
    return service.ask(method, path, { key, headers, ...(body && { body }) })
  }
  const ask = async (method: string, path: string, body?: object) => {
    const reply = await send(method, path, body)
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
    send,
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
    act: ({ reference }: { reference: string }, action: string, body?: object) =>
      ask('POST', `/v1/invoices/${reference}/${action}`, body),
    read: ({ reference }: { reference: string }) => ask('GET', `/v1/invoices/${reference}`),
    credit: async (): Promise<number> => (await ask('GET', path)).credit[0].amount,
    eventsOf: payers.eventsOf,
    events: async () =>
      (await ask('GET', '/v1/events?limit=100')).items
        .map(({ type }: { type: string }) => type)
        .filter((type: string) => /^(invoice|customer)\.(paid|partially_paid|credited)/.test(type))
        .toReversed(),
  }
}

export type InvoicedShop = Awaited<ReturnType<typeof openInvoicedShop>>
