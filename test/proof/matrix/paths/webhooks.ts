import { strict as assert } from 'node:assert'
import { setTimeout as sleep } from 'node:timers/promises'
import { verifyWebhook } from '../../../../sdk/src/verify-webhook.js'
import { day } from '../../../../src/base/clock.js'
import { definePath, type Path } from '../run-path.js'
import type { World } from '../world.js'
import { merchantOf } from './merchant.js'

const endpointsPath = '/v1/webhook-endpoints'
const settings = { bank: 'sandbox', strikesDeliveries: true } as const

type Merchant = ReturnType<typeof merchantOf>
type Prepared = Awaited<ReturnType<typeof prepare>>

async function prepare(world: World) {
  const merchant = merchantOf(world)
  const { id, secret } = await merchant.listen()
  const since = world.clock.now().toISOString()
  const events: string[] = []
  return { merchant, path: `${endpointsPath}/${id}`, id, secret: secret as string, since, events }
}

/** An event for this endpoint only. */
async function emit({ merchant, path, events }: Prepared): Promise<void> {
  const { eventId } = await merchant.post(`${path}/test`)
  events.push(eventId)
}

async function enableAndRecover({ merchant, path, since }: Prepared): Promise<void> {
  await merchant.patch(path, { enabled: true })
  await merchant.post(`${path}/recover`, { since })
}

const deliveriesOf = async (merchant: Merchant, event: string) =>
  (await merchant.get(`/v1/events/${event}/deliveries`)).items as { status: string }[]

/** The endpoint took every event, and the merchant sees each as delivered. */
async function checkDelivered(world: World, { merchant, path, events }: Prepared): Promise<void> {
  for (const event of events) {
    assert(world.receiver.heard.has(event), `${event} was not received`)
    const statuses = (await deliveriesOf(merchant, event)).map(({ status }) => status)
    assert.deepEqual(statuses, ['DELIVERED'])
  }
  const { enabled, disabledReason } = await merchant.get(path)
  assert.deepEqual([enabled, disabledReason], [true, null])
}

const isRetried = definePath({
  name: 'webhook is retried until its endpoint works',
  settings,
  prepare,
  async run(world, prepared) {
    world.receiver.answerWith(503)
    await emit(prepared)
    await world.work()
    world.clock.advance(10_000)
    await world.work()
    world.receiver.answerWith(200)
  },
  async check(world, prepared) {
    await checkDelivered(world, prepared)
    const types = await prepared.merchant.eventTypes(prepared.id)
    assert.deepEqual(types, ['webhook_endpoint.test'])
  },
})

const isDisabledByAnswer = definePath({
  name: 'webhook endpoint that is gone is disabled, and recovers',
  settings,
  prepare,
  async run(world, prepared) {
    world.receiver.answerWith(410)
    await emit(prepared)
    await world.untilQuiet()
    const { disabledReason } = await prepared.merchant.get(prepared.path)
    assert.equal(disabledReason, 'gone')
    world.receiver.answerWith(200)
    await enableAndRecover(prepared)
  },
  async check(world, prepared) {
    await checkDelivered(world, prepared)
    const types = await prepared.merchant.eventTypes(prepared.id)
    assert.deepEqual(types, ['webhook_endpoint.test', 'webhook_endpoint.disabled'])
  },
})

const isDisabledAfterDays = definePath({
  name: 'webhook endpoint that fails for five days is disabled, and recovers',
  settings,
  prepare,
  async run(world, prepared) {
    world.receiver.answerWith(500)
    await emit(prepared)
    await world.untilQuiet()
    world.clock.advance(5 * day)
    await emit(prepared)
    await world.untilQuiet()
    const { disabledReason } = await prepared.merchant.get(prepared.path)
    assert.equal(disabledReason, 'failing')
    world.receiver.answerWith(200)
    await enableAndRecover(prepared)
  },
  async check(world, prepared) {
    await checkDelivered(world, prepared)
    const types = await prepared.merchant.eventTypes(prepared.id)
    assert.deepEqual(types, [
      'webhook_endpoint.test',
      'webhook_endpoint.test',
      'webhook_endpoint.disabled',
    ])
  },
})

const isDisabledByMerchant = definePath({
  name: 'webhook endpoint is disabled while a delivery waits, and recovers',
  settings,
  prepare,
  async run(world, prepared) {
    const { merchant, path } = prepared
    world.receiver.answerWith(500)
    await emit(prepared)
    await world.work()
    await merchant.patch(path, { enabled: false })
    world.receiver.answerWith(200)
    await world.untilQuiet()
    await enableAndRecover(prepared)
  },
  check: checkDelivered,
})

const isSentAgain = definePath({
  name: 'webhook is delivered again on request',
  settings,
  prepare: async (world) => ({ ...(await prepare(world)), receivedBefore: 0 }),
  async run(world, prepared) {
    await emit(prepared)
    await world.untilQuiet()
    prepared.receivedBefore = world.receiver.received.length
    await prepared.merchant.post(`/v1/events/${prepared.events[0]}/redeliver`)
  },
  async check(world, prepared) {
    await checkDelivered(world, prepared)
    const count = world.receiver.received.length
    assert(count > prepared.receivedBefore, 'the event was not sent again')
  },
})

const secretIsRotated = definePath({
  name: 'webhook secret is rotated while a delivery waits',
  settings,
  prepare: async (world) => ({ ...(await prepare(world)), newSecret: '' }),
  async run(world, prepared) {
    const { merchant, path } = prepared
    world.receiver.answerWith(500)
    await emit(prepared)
    await world.work()
    // What was signed before the rotation has arrived then, unless its process was killed.
    for (let waits = 0; waits < 100 && world.receiver.received.length === 0; waits += 1)
      await sleep(10)
    const rotated = await merchant.post(`${path}/rotate-secret`)
    prepared.newSecret = rotated.secret
    world.receiver.answerWith(200)
  },
  async check(world, prepared) {
    await checkDelivered(world, prepared)
    const { body, headers } = world.receiver.received.at(-1)!
    for (const secret of [prepared.secret, prepared.newSecret])
      await verifyWebhook(body, headers, secret, { now: world.clock.now(), toleranceMs: day })
  },
})

export const webhooks: Path[] = [
  isRetried,
  isDisabledByAnswer,
  isDisabledAfterDays,
  isDisabledByMerchant,
  isSentAgain,
  secretIsRotated,
]
