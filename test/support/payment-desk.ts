import { expect } from 'vitest'
import { magicAccounts } from '../../src/simulation/sandbox-bank/magic-accounts.js'
import { payersOf, type ServiceWithBank } from './open-with-bank.js'

type Event = { type: string; sequence: number; data: Record<string, unknown> }

export const keyed = (key: string) => ({ 'idempotency-key': key })

/** A separate merchant with helpers about its payments. */
export async function openDesk(service: ServiceWithBank) {
  const merchant = await service.addMerchant('Ada')
  const shop = payersOf(service, merchant)
  const { get, post } = shop
  const act = (verb: string) => (reference: string, body: object, headers?: object) =>
    post(`/v1/collections/payments/${reference}/${verb}`, body, headers)
  const read = async (reference: string): Promise<Event[]> => {
    const { json } = await get(`/v1/events?resource=${reference}&limit=100`)
    return json.data.items.toSorted((one: Event, other: Event) => one.sequence - other.sequence)
  }

  return {
    ...shop,
    merchant,
    environmentId: merchant.environments.test.id,
    open: async (change: object = {}) => (await shop.openVirtual(change)).json.data,
    pay: async (accountNumber: string, change: object = {}) => {
      const { status, json } = await shop.payIn(accountNumber, change)
      expect([status, json.message]).toEqual([201, 'Payment received'])
      return json.data
    },
    resolve: act('resolve'),
    refund: act('refund'),
    returnsOf: async (reference: string) =>
      (await get(`/v1/collections/payments/${reference}/returns`)).json.data.items,
    setPolicy: async (bank: object) => {
      const body = { policies: { bank } }
      const { status } = await service.ask('PATCH', '/v1/settings', {
        key: merchant.test.secret,
        body,
      })
      expect(status).toBe(200)
    },
    /** Checks that sequences grow by one and that the last event equals the resource. */
    eventTypes: async (reference: string): Promise<string[]> => {
      const events = await read(reference)
      expect(events.map(({ sequence }) => sequence)).toEqual(events.map((_, index) => index + 1))
      return events.map(({ type }) => type)
    },
    lastEventData: async (reference: string) => (await read(reference)).at(-1)?.data,
    /** Changes of the available balance, oldest first. */
    statement: async (): Promise<[string, string, number][]> => {
      const { json } = await get('/v1/balance-entries?asset=NGN&limit=100')
      type Entry = { type: string; effect: string; amount: number }
      return json.data.items
        .toReversed()
        .map(({ type, effect, amount }: Entry) => [type, effect, amount])
    },
    /** Available, held, pending. */
    sums: async (): Promise<[number, number, number]> => {
      const { available, held, pending } = await shop.naira()
      return [available, held, pending]
    },
  }
}

export type Desk = Awaited<ReturnType<typeof openDesk>>

/** The magic account number with this behaviour. */
export const behaves = {
  failing: numberOf('990000002'),
  reversing: numberOf('990000003'),
  slow: numberOf('990000004'),
  silent: numberOf('990000006'),
  losing: numberOf('990000007'),
  absent: numberOf('990000008'),
  unreachable: numberOf('990000009'),
}

function numberOf(serial: string): string {
  return magicAccounts.find((account) => account.serial === serial)!.number
}
