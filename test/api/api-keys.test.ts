import { expect, test } from 'vitest'
import { hour, second } from '../../src/base/clock.js'
import { issueKey } from '../../src/merchants/keys/issue-key.js'
import { type KeyPermission, keyPermissions } from '../../src/merchants/keys/key-permissions.js'
import { sql } from '../../src/postgres/sql.js'
import { openManilla } from '../support/open-manilla.js'
import { addPerson } from '../support/people.js'

const service = await openManilla()
const { ask, clock, db } = service
const owner = await addPerson(service, { role: 'owner' })
const statusWith = async (key: string, path = '/v1/balances') =>
  (await ask('GET', path, { key })).status

type Shown = { id: string; key: string; hint: string; state: string; isRevealable: boolean }

async function create(body: object, mode: 'test' | 'live' = 'test'): Promise<Shown> {
  const reply = await owner.ask('POST', '/v1/api-keys', { mode, body })
  expect(reply.status, reply.text).toBe(201)
  return reply.json.data
}

async function find(id: string, mode: 'test' | 'live' = 'test') {
  const reply = await owner.ask('GET', '/v1/api-keys?limit=100', { mode })
  return reply.json.data.items.find((one: Shown) => one.id === id)
}

const auditOf = async (action: string) =>
  db.rows(sql<{ text: string }>`
    select l::text as text from audit_lines l where action = ${action} order by number desc`)

test('a key works from its creation until it is revoked, and a rolled one through its grace', async () => {
  const first = await create({ name: 'Backend', kind: 'secret' })
  expect(first).toMatchObject({ createdBy: { name: owner.name } })
  expect(await statusWith(first.key)).toBe(200)
  expect(await find(first.id)).toMatchObject({
    name: 'Backend',
    state: 'active',
    kind: 'secret',
    createdBy: { name: owner.name },
  })

  const rolled = await owner.ask('POST', `/v1/api-keys/${first.id}/roll`, {
    body: { graceHours: 2 },
  })
  expect(rolled.status).toBe(201)
  const createdBy = { name: owner.name }
  expect(rolled.json.data).toMatchObject({ name: 'Backend', state: 'active', createdBy })
  expect(await find(first.id)).toMatchObject({ state: 'rolled', rolledInto: rolled.json.data.id })
  clock.advance(2 * second)
  expect([await statusWith(first.key), await statusWith(rolled.json.data.key)]).toEqual([200, 200])
  clock.advance(2 * hour)
  expect(await statusWith(first.key)).toBe(401)

  // The step-up of the first session has ended.
  const again = await owner.ask('POST', `/v1/api-keys/${rolled.json.data.id}/revoke`)
  expect([again.status, again.json.reason]).toEqual([403, 'step_up_required'])
  const fresh = await addPerson(service, { role: 'admin' })
  const revoked = await fresh.ask('POST', `/v1/api-keys/${rolled.json.data.id}/revoke`)
  expect([revoked.status, revoked.json.data.state]).toEqual([200, 'revoked'])
  clock.advance(second)
  expect(await statusWith(rolled.json.data.key)).toBe(401)
  for (const action of ['api_key.create', 'api_key.roll', 'api_key.revoke'])
    expect((await auditOf(action))[0]!.text).not.toContain(first.key.slice(8, 30))
})

test('a double click creates one key', async () => {
  const person = await addPerson(service, { role: 'owner' })
  const send = () =>
    person.ask('POST', '/v1/api-keys', {
      body: { name: 'Once', kind: 'secret' },
      headers: { 'idempotency-key': 'the same form' },
    })
  const [one, other] = [await send(), await send()]
  expect(other.text).toBe(one.text)
  const names = (await person.ask('GET', '/v1/api-keys?limit=100')).json.data.items
  expect(names.filter(({ name }: { name: string }) => name === 'Once')).toHaveLength(1)
})

test('a test key can be shown again, a live one cannot, and nothing else keeps either', async () => {
  const person = await addPerson(service, { role: 'owner' })
  const issue = async (mode: 'test' | 'live', kind = 'secret') =>
    (await person.ask('POST', '/v1/api-keys', { mode, body: { name: 'Shown', kind } })).json.data
  const reveal = (id: string, mode: 'test' | 'live' = 'test') =>
    person.ask('POST', `/v1/api-keys/${id}/reveal`, { mode })
  const [kept, published, live] = [
    await issue('test'),
    await issue('test', 'public'),
    await issue('live'),
  ]
  const shown = await reveal(kept.id)
  expect(shown.json.data.key).toBe(kept.key)
  expect((await auditOf('api_key.reveal'))[0]!.text).toContain(kept.id)
  expect((await reveal(published.id)).status).toBe(400)
  expect((await reveal(live.id, 'live')).json.reason).toBe('test_mode_only')
  // The other mode does not know it.
  expect((await reveal(live.id)).status).toBe(404)

  const rows = await db.rows(sql<{ text: string }>`select k::text as text from api_keys k`)
  const logs = await db.rows(sql<{ text: string }>`select l::text as text from request_logs l`)
  const replays = await db.rows(sql<{ text: string }>`
    select k::text as text from idempotency_keys k`)
  const dump = [...rows, ...logs, ...replays].map(({ text }) => text).join('\n')
  for (const { key } of [kept, live]) expect(dump).not.toContain(key.slice(8, 30))
  expect(service.log.join('\n')).not.toContain(kept.key.slice(8, 30))

  await person.ask('POST', `/v1/api-keys/${kept.id}/revoke`)
  expect((await reveal(kept.id)).status).toBe(400)
  const sealLive = db.rows(sql`
    update api_keys set sealed_key = 'x' where hint like 'sk_live_%'`)
  await expect(sealLive).rejects.toThrow('only_secret_test_keys_are_kept')
})

// Keys belong to the merchant: they outlive the access of the member who created them.
test('keys of a disabled member keep working, and the team lists them', async () => {
  const admin = await addPerson(service, { role: 'admin' })
  const person = await addPerson(service, { role: 'owner' })
  const body = { name: 'Of an admin', kind: 'secret' }
  const { id, key } = (await admin.ask('POST', '/v1/api-keys', { body })).json.data
  const member = async (by: typeof person) =>
    (await by.ask('GET', '/v1/team/users')).json.data.items.find(
      ({ email }: { email: string }) => email === admin.email,
    )
  const found = await member(person)
  expect(found.keys).toEqual([{ id, name: 'Of an admin', mode: 'test' }])
  const viewer = await addPerson(service, { role: 'viewer' })
  expect((await member(viewer)).keys).toEqual([])
  const path = `/v1/team/users/${found.id}`
  expect((await person.ask('PATCH', path, { body: { isDisabled: true } })).status).toBe(200)
  expect(await statusWith(key)).toBe(200)
  await person.ask('POST', `/v1/api-keys/${id}/revoke`)
  expect((await member(person)).keys).toEqual([])
})

test('an API key on an operation for people is sent to the console', async () => {
  const reply = await ask('GET', '/v1/api-keys', { key: service.merchant.test.secret })
  expect(reply.status).toBe(401)
  expect(reply.json.nextStep).toMatch(/^Do this in the console/)
})

test('what a key may be restricted to is what the operations for keys need', async () => {
  const needed = service.routes
    .filter(({ access }) => access === 'secret' || access === 'any_key')
    .map(({ permission }) => permission!)
  expect(new Set(needed)).toEqual(new Set(keyPermissions))
})

test('a restricted key does what it was allowed and nothing else', async () => {
  const permissions: KeyPermission[] = ['payments.see', 'collect.create']
  const restricted = await db.transaction((tx) =>
    issueKey(tx, clock.now(), {
      seal: service.seal,
      environment: service.merchant.environments.test,
      kind: 'secret',
      name: 'Shop',
      expiresAt: null,
      allowedAddresses: [],
      permissions,
    }),
  )
  const key = restricted.key.reveal()
  const mismatches: string[] = []
  for (const route of service.routes) {
    const { access, method, path, permission, operation } = route
    if (access !== 'secret' && access !== 'any_key') continue
    const reply = await ask(method, path.replaceAll(/:\w+/g, 'unknown'), {
      key,
      ...(method === 'GET' || method === 'DELETE' ? {} : { body: {} }),
    })
    const isRefused = reply.json?.reason === 'key_permission'
    if (isRefused === permissions.includes(permission as KeyPermission)) mismatches.push(operation)
    if (isRefused) expect([reply.status, reply.json.message]).toEqual([403, expect.any(String)])
    if (isRefused) expect(reply.json.message).toContain(permission)
  }
  expect(mismatches).toEqual([])
})

test('an invalid key is refused, and a key cannot make keys', async () => {
  const person = await addPerson(service, { role: 'owner' })
  const send = async (body: object) =>
    (await person.ask('POST', '/v1/api-keys', { body })).json.details?.[0]?.field
  const kind = 'secret'
  expect(await send({ name: '\u202e', kind })).toBe('name')
  expect(await send({ name: 'x', kind, expiresAt: '2020-01-01' })).toBe('expiresAt')
  expect(await send({ name: 'x', kind, allowedAddresses: ['here'] })).toBe('allowedAddresses')
  expect(await send({ name: 'x', kind, permissions: ['team.change'] })).toBe('permissions.0')
  expect(await send({ name: 'x', kind: 'public', permissions: ['payments.see'] })).toBe(
    'permissions',
  )
  const byKey = await ask('POST', '/v1/api-keys', {
    key: service.merchant.test.secret,
    body: { name: 'x', kind },
  })
  expect(byKey.status).toBe(401)
})
