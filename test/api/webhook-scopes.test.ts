import { expect, test } from 'vitest'
import { prefixes, toReference } from '../../src/base/ids.js'
import { type EventType, eventTypes } from '../../src/events/catalogue.js'
import type { KeyPermission } from '../../src/merchants/keys/key-permissions.js'
import { addKey } from '../support/add-key.js'
import { emit, newEventOf } from '../support/deliveries.js'
import { openManilla } from '../support/open-manilla.js'
import { addPerson } from '../support/people.js'

const service = await openManilla()
const { ask, db, clock, merchant } = service
const path = '/v1/webhook-endpoints'
const url = 'https://shop.example/webhooks'
const owner = merchant.test.secret
const keyWith = (...permissions: KeyPermission[]) =>
  addKey(service, { permissions: ['developers.change', ...permissions] })

async function addEndpoint(events?: string[]): Promise<string> {
  const body = { url, ...(events && { events }) }
  const { status, json } = await ask('POST', path, { key: owner, body })
  expect(status).toBe(201)
  return json.data.id
}

// The server of an endpoint belongs to the caller that chose its URL.
test('a restricted key subscribes an endpoint to what it may see, and to nothing else', async () => {
  const key = await keyWith('payments.see')
  const create = (events?: string[]) =>
    ask('POST', path, { key, body: { url, ...(events && { events }) } })
  expect((await create(['payment.*', 'checkout.session.paid'])).status).toBe(201)
  const allOthers =
    'payouts.see, balances.see, cases.see, subaccounts.see, customers.see, developers.see'
  const cases: [string[] | undefined, string, string][] = [
    [undefined, allOthers, 'balance.low'],
    [['*'], allOthers, 'bank_transfer.completed'],
    [['payment.*', 'bank_transfer.*'], 'payouts.see', 'bank_transfer.reversed'],
    [['settlement.paid'], 'balances.see', 'settlement.paid'],
    [['webhook_endpoint.test'], 'developers.see', 'webhook_endpoint.test'],
  ]
  for (const [events, missing, type] of cases) {
    const { status, json } = await create(events)
    expect([status, json.reason], `${events}`).toEqual([403, 'key_permission'])
    expect(json.message).toContain(`lacks the permission ${missing}.`)
    expect(json.message).toContain(type)
    expect(json.nextStep).toContain('Leave these events out')
  }
  const whole = await keyWith(
    'payments.see',
    'payouts.see',
    'balances.see',
    'cases.see',
    'subaccounts.see',
    'customers.see',
    'developers.see',
  )
  expect((await ask('POST', path, { key: whole, body: { url } })).status).toBe(201)
})

test('a developer, who does not see balances, subscribes to all other events in test mode', async () => {
  const developer = await addPerson(service, { role: 'developer' })
  const refused = await developer.ask('POST', path, { body: { url } })
  expect([refused.status, refused.json.reason]).toEqual([403, 'role'])
  expect(refused.json.message).toContain(
    'lacks balances.see, subaccounts.see, customers.see in test mode',
  )
  expect(refused.json.message).toContain('owner, admin, finance')
  expect(refused.json.message).toMatch(/conversion\.completed, .*balance\.low\.$/)
  const events = ['payment.*', 'bank_transfer.*', 'webhook_endpoint.*']
  expect((await developer.ask('POST', path, { body: { url, events } })).status).toBe(201)
})

test('an endpoint that receives more than a key sees keeps its URL and its events', async () => {
  const key = await keyWith('payments.see')
  const change = async (id: string, body: object) => {
    const { status, json } = await ask('PATCH', `${path}/${id}`, { key, body })
    return [status, json.reason]
  }
  const everything = await addEndpoint()
  const [seen, unseen] = [{ events: ['payment.*'] }, { events: ['batch.*'] }]
  const elsewhere = { url: 'https://other.example/webhooks' }
  for (const body of [elsewhere, seen, { ...elsewhere, ...seen }])
    expect(await change(everything, body)).toEqual([403, 'key_permission'])
  // Neither changes what is sent where.
  for (const body of [{ enabled: false }, { enabled: true }, { description: 'Till' }])
    expect(await change(everything, body)).toEqual([200, undefined])

  const ofPayments = await addEndpoint(['payment.*'])
  expect(await change(ofPayments, unseen)).toEqual([403, 'key_permission'])
  expect(await change(ofPayments, { ...elsewhere, ...seen })).toEqual([200, undefined])
})

// An endpoint that no longer listens to payouts still has those that are due.
test('a URL does not change while events that the key may not see are due', async () => {
  const key = await keyWith('payments.see')
  const id = await addEndpoint()
  await emit(db, clock.now(), [eventOf('bank_transfer.completed')])
  const narrowed = { key: owner, body: { events: ['payment.*'] } }
  expect((await ask('PATCH', `${path}/${id}`, narrowed)).status).toBe(200)
  const body = { url: 'https://other.example/webhooks' }
  const refused = await ask('PATCH', `${path}/${id}`, { key, body })
  expect([refused.status, refused.json.reason]).toEqual([409, 'invalid_state'])
  expect((await ask('PATCH', `${path}/${id}`, { key: owner, body })).status).toBe(200)
})

test('recovery counts and sends what the key may see', async () => {
  const { environments, test: keys } = await service.addMerchant('Bola Foods')
  const other = { ...service, merchant: { ...merchant, environments } }
  const made = await ask('POST', path, { key: keys.secret, body: { url } })
  const at = `${path}/${made.json.data.id}`
  await ask('PATCH', at, { key: keys.secret, body: { enabled: false } })
  const events = eventTypes.map((type) => newEventOf(environments.test.id, { type }))
  // A test event is for the endpoint that it names.
  const sent = events.filter(({ type }) => type !== 'webhook_endpoint.test')
  await emit(db, clock.now(), sent)
  await ask('PATCH', at, { key: keys.secret, body: { enabled: true } })
  const permissions: KeyPermission[] = ['developers.change', 'payouts.see']
  const key = await addKey(other, { permissions })
  const since = new Date(clock.now().getTime() - 1_000).toISOString()
  const recover = async (by: string, dryRun: boolean) => {
    const reply = await ask('POST', `${at}/recover`, { key: by, body: { since, dryRun } })
    return reply.json.data.deliveries
  }
  const payouts = sent.filter(({ type }) =>
    /^(bank_transfer|crypto_transfer|batch|claim|recipient)\./.test(type),
  )
  expect([await recover(key, true), await recover(key, false)]).toEqual(
    Array(2).fill(payouts.length),
  )
  const rest = sent.length - payouts.length
  expect(await recover(keys.secret, true)).toBe(rest)
})

test('an event that a key may not see cannot be sent again, nor be told from an unknown one', async () => {
  const [id] = await emit(db, clock.now(), [eventOf('balance.low')])
  const key = await keyWith('payments.see', 'developers.see')
  for (const reference of [toReference(prefixes.event, id!), 'evt_unknown']) {
    const replies = await Promise.all([
      ask('GET', `/v1/events/${reference}`, { key }),
      ask('GET', `/v1/events/${reference}/deliveries`, { key }),
      ask('POST', `/v1/events/${reference}/redeliver`, { key }),
    ])
    for (const { status, json } of replies)
      expect([status, json.message]).toEqual([
        404,
        expect.stringContaining(`No event ${reference}`),
      ])
  }
})

function eventOf(type: EventType) {
  return newEventOf(merchant.environments.test.id, { type })
}
