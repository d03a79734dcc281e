import { strict as assert } from 'node:assert'
import type { World } from '../world.js'

let keys = 0

/** What a merchant does; every call is repeated until it is answered. */
export function merchantOf(world: World) {
  const newKey = () => {
    keys += 1
    return `proof-${keys}`
  }
  const get = async (path: string) => {
    const { status, json } = await world.call('GET', path)
    assert.equal(status, 200, `GET ${path}: ${json?.message}`)
    return json.data
  }
  const change = async (method: string, path: string, body: object) => {
    const { status, json } = await world.call(method, path, { body, key: newKey() })
    assert(status < 300, `${method} ${path}: ${status} ${json?.message}`)
    return json.data
  }
  const post = (path: string, body: object = {}) => change('POST', path, body)
  return {
    get,
    post,
    patch: (path: string, body: object) => change('PATCH', path, body),
    /** Also of a refused call. */
    ask: (method: string, path: string, body?: object) =>
      world.call(method, path, { key: newKey(), ...(body && { body }) }),
    /** Kobo for NGN, a decimal for coins, as in all amounts of the API. */
    fund: (asset: string, amount: number | string) =>
      post('/v1/test/balances/fund', { asset, amount }),
    listen: () => post('/v1/webhook-endpoints', { url: world.receiver.url, events: ['*'] }),
    async balance(asset = 'NGN'): Promise<{ available: number; held: number; pending: number }> {
      const { items } = await get('/v1/balances')
      const { available, held, pending } = items.find(
        (item: { asset: string }) => item.asset === asset,
      )
      return { available, held, pending }
    },
    /** Types of the events of a resource, in their order. */
    async eventTypes(reference: string): Promise<string[]> {
      const { items } = await get(`/v1/events?resource=${reference}&limit=100`)
      type Item = { type: string; sequence: number }
      return items
        .toSorted((left: Item, right: Item) => left.sequence - right.sequence)
        .map(({ type }: Item) => type)
    },
  }
}
