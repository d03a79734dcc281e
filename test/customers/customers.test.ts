import { expect, test } from 'vitest'
import { sql } from '../../src/postgres/sql.js'
import { openWithBank } from '../support/open-with-bank.js'

const service = await openWithBank()
const { db, clock } = service

let calls = 0
async function openShop() {
  const merchant = await service.addMerchant('Shop')
  const key = merchant.test.secret
  const ask = (method: string, path: string, body?: object) => {
    calls += 1
    // Rows of one moment are listed in any order.
    clock.advance(1)
    const headers = { 'idempotency-key': `call ${calls}` }
    return service.ask(method, path, { key, headers, ...(body && { body }) })
  }
  const add = async (body: object) => (await ask('POST', '/v1/customers', body)).json.data
  const find = async (query: string) =>
    (await ask('GET', `/v1/customers${query}`)).json.data.items.map(
      ({ name }: { name: string }) => name,
    )
  return { ask, add, find }
}

test('a customer is created, read, listed, found and changed', async () => {
  const { ask, add, find } = await openShop()
  const ada = await add({
    name: 'Ada Obi',
    email: 'Ada@example.com',
    phone: '+2348012345678',
    externalReference: 'customer-77',
    metadata: { b: 1, a: [2] },
  })
  expect(ada).toMatchObject({
    name: 'Ada Obi',
    email: 'Ada@example.com',
    phone: '+2348012345678',
    externalReference: 'customer-77',
    metadata: { b: 1, a: [2] },
    erasedAt: null,
  })
  expect((await ask('GET', `/v1/customers/${ada.reference}`)).json.data).toEqual(ada)
  await add({ name: 'Bola Ade' })
  expect(await find('')).toEqual(['Bola Ade', 'Ada Obi'])
  for (const text of ['customer-77', 'ada@EXAMPLE.com', '%2B2348012345678', 'obi', 'ada'])
    expect([text, await find(`?q=${text}`)]).toEqual([text, ['Ada Obi']])
  const { json } = await ask('PATCH', `/v1/customers/${ada.reference}`, {
    name: 'Ada Eze',
    phone: null,
  })
  expect(json.data).toEqual({ ...ada, name: 'Ada Eze', phone: null })
  expect(await find('?q=obi')).toEqual([])
  expect(await find('?q=eze')).toEqual(['Ada Eze'])
  const events = await ask('GET', '/v1/events?type=customer.created')
  expect(events.json.data.items.at(-1).data).toEqual(ada)
})

test('an external reference names one customer', async () => {
  const { ask, add } = await openShop()
  const ada = await add({ name: 'Ada', externalReference: 'c-1' })
  const bola = await add({ name: 'Bola', externalReference: 'c-2' })
  const wanted = {
    status: 409,
    json: { reason: 'duplicate_reference', details: [{ field: 'externalReference' }] },
  }
  const second = await ask('POST', '/v1/customers', { name: 'Chi', externalReference: 'c-1' })
  expect(second).toMatchObject(wanted)
  const path = `/v1/customers/${bola.reference}`
  expect(await ask('PATCH', path, { externalReference: 'c-1' })).toMatchObject(wanted)
  expect((await ask('PATCH', path, { externalReference: 'c-2' })).status).toBe(200)
  const other = await openShop()
  expect((await other.add({ name: 'Ada', externalReference: 'c-1' })).reference).not.toBe(
    ada.reference,
  )
})

test('a customer whose data a legal hold keeps is not erased', async () => {
  const { ask, add } = await openShop()
  const held = await add({ name: 'Held Obi', email: 'Held.Obi@example.com' })
  await db.rows(sql`
    insert into legal_holds (id, kind, subject, reason, placed_by, placed_at)
    values (gen_random_uuid(), 'email', 'held.obi@example.com', 'court', 'ada', ${clock.now()})`)
  const path = `/v1/customers/${held.reference}`
  const refused = await ask('DELETE', path)
  expect(refused.json).toMatchObject({
    code: 'customer_failed',
    reason: 'invalid_state',
    message: expect.stringContaining('A legal hold keeps the data'),
  })
  expect((await ask('GET', path)).json.data).toEqual(held)
  await db.rows(sql`update legal_holds set released_by = 'ada', released_at = ${clock.now()}`)
  expect((await ask('DELETE', path)).status).toBe(200)
})

test('an erased customer is in no table by name', async () => {
  const { ask, add, find } = await openShop()
  const ada = await add({
    name: 'Adaobi Nwosu',
    email: 'adaobi@example.com',
    phone: '+2348099999999',
    externalReference: 'nwosu-1',
    metadata: { note: 'Nwosu' },
  })
  const path = `/v1/customers/${ada.reference}`
  const { json } = await ask('DELETE', path)
  const { name, erasedAt } = json.data
  expect(name).toMatch(/^Erased customer \w{8}$/)
  expect(erasedAt).not.toBeNull()
  expect(json.data).toMatchObject({ email: null, phone: null, externalReference: null })
  expect((await ask('DELETE', path)).json.data).toEqual(json.data)
  expect((await ask('PATCH', path, { name: 'Ada' })).json).toMatchObject({
    code: 'customer_failed',
    reason: 'invalid_state',
  })
  expect(await find('?q=nwosu')).toEqual([])
  const rows = await db.rows(sql<{ found: string }>`
    select term as found from search_terms where term ilike '%nwosu%' or term ilike '%adaobi%'
    union all select name from customers where name ilike '%nwosu%'`)
  expect(rows).toEqual([])
})

test('customers of other merchants do not exist', async () => {
  const [shop, other] = [await openShop(), await openShop()]
  const ada = await shop.add({ name: 'Ada' })
  const path = `/v1/customers/${ada.reference}`
  for (const [method, body] of [['GET'], ['PATCH', { name: 'B' }], ['DELETE']] as const) {
    const { status, json } = await other.ask(method, path, body)
    expect([method, status, json.code]).toEqual([method, 404, 'not_found'])
  }
  expect(await other.find('')).toEqual([])
})

test.each([
  [{}, 'name', 'is required'],
  [{ name: '' }, 'name', ''],
  [{ name: ' \u200b' }, 'name', 'must contain visible characters'],
  [{ name: 'Ada \u202eibO' }, 'name', 'must contain visible characters'],
  [{ name: 'A', email: 'nobody' }, 'email', ''],
  [{ name: 'A', phone: '12' }, 'phone', ''],
  [{ name: 'A', bvn: '22222222222' }, 'bvn', ''],
])('%j is refused at %s', async (body, field, issue) => {
  const { ask } = await openShop()
  const { status, json } = await ask('POST', '/v1/customers', body)
  expect([status, json.code]).toEqual([400, 'validation_failed'])
  expect(json.details[0]).toMatchObject({ field, issue: expect.stringContaining(issue) })
})
