import { expect } from 'vitest'
import type { EmulatedPayment } from '../../../emulators/emulator.js'
import type { Merchant, Reply, TestService } from '../../support/open-manilla.js'
import type { BankUnderTest, RecipientKind } from './bank-under-test.js'

type Tools = {
  service: TestService
  bank: BankUnderTest
  merchant: Merchant
  passUntil(isTrue: () => Promise<boolean>): Promise<void>
}

export type Account = { reference: string; accountNumber: string; expiresAt: string }
export type Payment = {
  reference: string
  status: string
  variance: string
  amount: number
  amountAccepted: number
}
export type Naira = { available: number; held: number; pending: number }

const customer = {
  name: 'Chuka Okafor',
  email: 'chuka@example.com',
  phone: '+2348012345678',
  bvn: '22222222226',
}

let calls = 0
let orders = 0
let payouts = 0

/** A bank may refuse a second payout of the same amount to the same account for some minutes. */
function newAmount(): number {
  payouts += 1
  return 1_000_000 + 100 * payouts
}

/** What a merchant does over HTTP, in the mode of the bank. */
export function openShop({ service, bank, merchant, passUntil }: Tools) {
  const key = merchant[bank.mode].secret
  const send = (method: string, path: string, body?: object, idempotencyKey?: string) => {
    calls += 1
    const headers = { 'idempotency-key': idempotencyKey ?? `contract ${calls}` }
    return service.ask(method, path, { key, ...(body && { body, headers }) })
  }
  const get = async (path: string) => (await send('GET', path)).json.data
  const items = async <Item>(path: string): Promise<Item[]> => (await get(path)).items

  const shop = {
    environmentId: merchant.environments[bank.mode].id,
    send,
    get,

    /** Another order of the same kind: amounts of one merchant differ unless stated. */
    askForAccount(amount = 500_000, change: object = {}, idempotencyKey?: string): Promise<Reply> {
      orders += 1
      const body = { merchantReference: `order-${orders}`, amount, ...change }
      return send('POST', '/v1/collections/virtual-accounts', body, idempotencyKey)
    },
    async openAccount(amount = 500_000, change: object = {}): Promise<Account> {
      const { status, json } = await shop.askForAccount(amount, change)
      expect([status, json.message]).toEqual([201, json.message])
      return json.data
    },
    readAccount: (reference: string) => get(`/v1/collections/virtual-accounts/${reference}`),

    async openDedicated(): Promise<Account> {
      orders += 1
      const body = {
        externalReference: `customer-${orders}`,
        customer: { ...customer, email: `chuka${orders}@example.com` },
      }
      const { status, json } = await send('POST', '/v1/collections/dedicated-accounts', body)
      expect([status, json.message]).toEqual([201, json.message])
      return json.data
    },

    /** A payer pays, and everything that the bank sends about it arrives. */
    async pay(accountNumber: string, amount: number, more: Partial<EmulatedPayment> = {}) {
      const paid = await bank.pay({ accountNumber, amount: BigInt(amount), ...more })
      expect(paid).toBeDefined()
      return paid!
    },

    payments: () => items<Payment>('/v1/collections/payments?limit=100'),
    async untilPayments(count: number): Promise<Payment[]> {
      await passUntil(async () => (await shop.payments()).length >= count)
      const payments = await shop.payments()
      expect(payments).toHaveLength(count)
      return payments
    },
    naira: async (): Promise<Naira> => {
      const balances = await items<Naira & { asset: string }>('/v1/balances')
      const { available, held, pending } = balances.find(({ asset }) => asset === 'NGN')!
      return { available, held, pending }
    },

    /** Money to pay out, which a payer brought. */
    async earn(amount = 50_000_000): Promise<Naira> {
      const { accountNumber } = await shop.openDedicated()
      await shop.pay(accountNumber, amount)
      await shop.untilPayments(1)
      return shop.naira()
    },

    /** Accepted payment of a new temporary account. */
    async receive(amount = 500_000): Promise<Payment> {
      const before = (await shop.payments()).map(({ reference }) => reference)
      const { accountNumber } = await shop.openAccount(amount)
      await shop.pay(accountNumber, amount, { senderAccountNumber: '0987654321' })
      const payments = await shop.untilPayments(before.length + 1)
      return payments.find(({ reference }) => !before.includes(reference))!
    },

    askForPayout(to: RecipientKind = 'ordinary', change: object = {}) {
      const body = { amount: newAmount(), ...bank.recipient(to), ...change }
      return send('POST', '/v1/disbursements/bank-transfer', body)
    },
    async payOut(to: RecipientKind = 'ordinary', change: object = {}): Promise<string> {
      const { status, json } = await shop.askForPayout(to, change)
      expect([status, json.message]).toEqual([201, json.message])
      return json.data.reference
    },
    readPayout: (reference: string) => get(`/v1/disbursements/bank-transfer/${reference}`),
    async untilPayout(reference: string, status: string): Promise<void> {
      await passUntil(async () => (await shop.readPayout(reference)).status !== 'SUBMITTED')
      expect((await shop.readPayout(reference)).status).toBe(status)
    },

    refund: (reference: string, body: object = {}) =>
      send('POST', `/v1/collections/payments/${reference}/refund`, body),
    readPayment: (reference: string): Promise<Payment> =>
      get(`/v1/collections/payments/${reference}`),
    returnsOf: (reference: string) =>
      items<{ reference: string; status: string; amount: number }>(
        `/v1/collections/payments/${reference}/returns`,
      ),
  }
  return shop
}

export type Shop = ReturnType<typeof openShop>
