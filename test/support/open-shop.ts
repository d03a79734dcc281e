import { randomUUID } from 'node:crypto'
import { expect } from 'vitest'
import type { TestService } from './open-manilla.js'

type ShopService = Pick<TestService, 'addMerchant' | 'ask' | 'clock'>

/** A merchant of its own, who calls with its test key. */
export async function openShop(service: ShopService, name = 'Ada Stores') {
  const merchant = await service.addMerchant(name)
  const key = merchant.test.secret
  const ask = (
    method: string,
    path: string,
    body?: object,
    idempotencyKey: string = randomUUID(),
  ) => {
    // Rows of one moment are listed in any order.
    service.clock.advance(1)
    const headers = { 'idempotency-key': idempotencyKey }
    return service.ask(method, path, { key, headers, ...(body && { body }) })
  }
  const make = async (path: string, body: object = {}) => {
    const { status, json, text } = await ask('POST', path, body)
    expect(status, text).toBeLessThan(300)
    return json.data
  }
  const read = async (path: string) => (await ask('GET', path)).json.data
  /** Types of the events of a resource, oldest first. */
  const eventsOf = async (reference: string): Promise<string[]> => {
    const { items } = await read(`/v1/events?resource=${reference}&limit=100`)
    return items
      .toSorted(
        (one: { sequence: number }, other: { sequence: number }) => one.sequence - other.sequence,
      )
      .map(({ type }: { type: string }) => type)
  }
  return { merchant, key, ask, make, read, eventsOf }
}
