import { expect, test } from 'vitest'
import { installationChain } from '../../src/audit/chain.js'
import { verifyChain } from '../../src/audit/verify-chain.js'
import { writeAuditLine } from '../../src/audit/write-line.js'
import { prefixes, toReference } from '../../src/base/ids.js'
import { sql } from '../../src/postgres/sql.js'
import { openManilla } from '../support/open-manilla.js'
import { addPerson } from '../support/people.js'

const service = await openManilla()
const { db, clock, merchant } = service
const startedAt = clock.now()
const { merchantId } = merchant.environments.test
const owner = await addPerson(service, { role: 'owner', name: 'Ada Obi' })
const developer = await addPerson(service, { role: 'developer', name: 'Dayo Ade' })
const operator = await addPerson(service, { isOperator: true })

/** Lines of one millisecond have no order. */
function askLater(person: typeof owner, ...request: Parameters<typeof owner.ask>) {
  clock.advance(1)
  return person.ask(...request)
}

async function linesOf(person: typeof owner, query = '', mode: 'test' | 'live' = 'test') {
  const reply = await person.ask('GET', `/v1/audit-lines${query}`, { mode })
  expect(reply.status, reply.text).toBe(200)
  return reply.json.data
}

const countLines = async () =>
  Number((await db.rows(sql<{ n: bigint }>`select count(*) as n from audit_lines`))[0]!.n)

test('every accepted write of a person is one line, written with the change', async () => {
  const body = { asset: 'NGN', amount: 5_000 }
  const headers = { 'idempotency-key': 'fund-1', 'x-request-id': 'req_of-ada' }
  const funded = await owner.ask('POST', '/v1/test/balances/fund', { body, headers })
  expect(funded.status).toBe(201)
  // A repeat changes nothing, a refusal neither; requests with a key are in the request log only.
  await owner.ask('POST', '/v1/test/balances/fund', { body, headers })
  await owner.ask('POST', '/v1/test/balances/fund', { body: { asset: 'NGN', amount: -1 } })
  await service.ask('POST', '/v1/test/balances/fund', { key: merchant.test.secret, body })
  const { items } = await linesOf(owner)
  expect(items).toHaveLength(1)
  expect(items[0]).toMatchObject({
    number: 1,
    actor: owner.email,
    actorName: 'Ada Obi',
    userId: toReference(prefixes.user, owner.userId),
    mode: 'test',
    details: { reference: funded.json.data.reference, status: 201, body },
    address: '127.0.0.1',
    requestId: 'req_of-ada',
  })
  expect(items[0].action).toMatch(/\.fund$/)
})

test('routes with a transaction of their own record what was and what is', async () => {
  const secret = 'sk_live_abcdefghijklmnopqrstuvwxyz'
  const changed = await askLater(owner, 'PATCH', '/v1/settings', {
    body: { lowBalance: { NGN: 900 } },
  })
  const url = 'https://shop.example/hooks'
  // Developers see no balances, so they choose events that they may see.
  const body = { url, events: ['payment.*'], description: `Bearer ${secret}` }
  const created = await askLater(developer, 'POST', '/v1/webhook-endpoints', { body })
  const { id, secret: signing } = created.json.data
  await askLater(developer, 'PATCH', `/v1/webhook-endpoints/${id}`, { body: { enabled: false } })
  await askLater(developer, 'DELETE', `/v1/webhook-endpoints/${id}`)
  expect(changed.status, changed.text).toBe(200)
  const { items } = await linesOf(owner, '?limit=4')
  expect(
    items.map(({ action, details }: { action: string; details: object }) => [action, details]),
  ).toMatchObject([
    ['webhook_endpoint.delete', { reference: id }],
    ['webhook_endpoint.change', { before: { enabled: true }, after: { enabled: false } }],
    ['webhook_endpoint.create', { reference: id, status: 201, body: { url } }],
    [
      'settings.change',
      { before: { lowBalance: { NGN: null } }, after: { lowBalance: { NGN: 900 } } },
    ],
  ])
  const stored = JSON.stringify(items)
  expect(stored).not.toContain(secret)
  expect(stored).not.toContain(signing)
  // What fails leaves no line: the line is part of the change.
  const before = await countLines()
  await db.rows(sql`alter table audit_lines add constraint closed check (false) not valid`)
  const failed = await owner.ask('PATCH', '/v1/settings', { body: { lowBalance: { NGN: 901 } } })
  await db.rows(sql`alter table audit_lines drop constraint closed`)
  expect(failed.status).toBe(500)
  const read = await owner.ask('GET', '/v1/settings')
  expect(read.json.data.lowBalance.NGN).toBe(900)
  expect(await countLines()).toBe(before)
})

test('exports are recorded before the first byte, with their filters', async () => {
  const headers = { accept: 'text/csv' }
  const path = '/v1/collections/payments?status=held&sender=Chuka'
  const exported = await owner.ask('GET', path.replace('held', 'HELD'), { headers })
  expect(exported.status, exported.text).toBe(200)
  const { items } = await linesOf(owner, '?action=payments.export')
  expect(items).toMatchObject([{ details: { filters: 'status=HELD&sender=C***' } }])
  const before = await countLines()
  expect((await developer.ask('GET', path, { headers })).status).toBe(403)
  await service.ask('GET', '/v1/events', { key: merchant.test.secret, headers })
  expect(await countLines()).toBe(before)
})

test('the log is filtered by person, action and time, and paged', async () => {
  const { items: all } = await linesOf(owner)
  const byDeveloper = `?actor=${toReference(prefixes.user, developer.userId)}`
  expect((await linesOf(owner, byDeveloper)).items).toHaveLength(3)
  expect(
    (await linesOf(owner, `${byDeveloper}&action=webhook_endpoint.delete`)).items,
  ).toHaveLength(1)
  expect((await linesOf(owner, '?actor=usr_unknown')).items).toEqual([])
  expect((await linesOf(owner, `?to=${startedAt.toISOString()}`)).items).toEqual([])
  const first = await linesOf(owner, '?limit=2')
  const second = await linesOf(owner, `?limit=100&cursor=${first.nextCursor}`)
  expect([...first.items, ...second.items]).toEqual(all)
  // A member without the permission for all lines sees own lines, whatever the filter.
  expect((await linesOf(developer)).items).toHaveLength(3)
  const ofOwner = `?actor=${toReference(prefixes.user, owner.userId)}`
  expect((await linesOf(developer, ofOwner)).items).toEqual([])
  // Live mode shows what was done there, and what concerns both modes.
  await db.transaction(async (tx) => {
    const actor = { kind: 'user' as const, sessionId: owner.userId, permissions: new Set(['x']) }
    const line = { actor: { ...actor, ...owner }, merchantId, details: {} }
    writeAuditLine(tx, clock.now(), { ...line, action: 'team.invite' })
    writeAuditLine(tx, clock.now(), { ...line, actor: 'root', action: 'merchant.suspend' })
  })
  expect((await linesOf(owner, '', 'live')).items).toMatchObject([
    { action: 'team.invite', mode: null },
  ])
  const csv = await owner.ask('GET', '/v1/audit-lines', { headers: { accept: 'text/csv' } })
  expect(csv.text.split('\n')[0]).toContain('number,actor,actorName')
  expect(csv.text).toContain('team.invite')
})

test('people who may see the whole log verify its chain', async () => {
  const verified = await owner.ask('POST', '/v1/audit-lines/verify', { body: {} })
  expect(verified.json.data).toMatchObject({ isWhole: true, fault: null })
  expect((await developer.ask('POST', '/v1/audit-lines/verify', { body: {} })).status).toBe(403)
  const head = await developer.ask('GET', '/v1/audit-lines/head')
  const { number, hash } = (await verifyChain(db, merchantId)).head!
  expect(head.json.data).toEqual({
    number: Number(number),
    hash: hash.toString('hex'),
    verifiedAt: clock.now().toISOString(),
    fault: null,
  })
  await db.transaction(async (tx) => {
    tx.write(sql`set local session_replication_role = replica`)
    await tx.rows(sql`
      update audit_lines set actor = 'eve' where chain = ${merchantId} and number = 2`)
  })
  const broken = await owner.ask('POST', '/v1/audit-lines/verify', { body: {} })
  expect(broken.json.data).toMatchObject({ fault: 'line 2 was edited' })
})

test('only operators read the log of the installation', async () => {
  const path = '/operator/v1/audit-lines'
  for (let index = 0; index < 3; index += 1)
    await db.transaction(async (tx) =>
      writeAuditLine(tx, clock.now(), { actor: 'root', action: `job.${index}`, details: {} }),
    )
  const all = await operator.ask('GET', path)
  expect(all.json.data.items.map(({ action }: { action: string }) => action)).toEqual([
    'job.2',
    'job.1',
    'job.0',
    'merchant.suspend',
  ])
  expect(all.json.data).toMatchObject({ nextCursor: null })
  expect(all.json.data.items[3].merchant).toBe(merchant.reference)
  const first = await operator.ask('GET', `${path}?limit=3`)
  const rest = await operator.ask('GET', `${path}?cursor=${first.json.data.nextCursor}`)
  expect([...first.json.data.items, ...rest.json.data.items]).toEqual(all.json.data.items)
  const one = await operator.ask('GET', `${path}?actor=root&action=job.1`)
  expect(one.json.data.items).toHaveLength(1)
  expect((await operator.ask('POST', `${path}/verify`, { body: {} })).json.data).toMatchObject({
    lines: 4,
    fault: null,
  })
  expect((await operator.ask('GET', `${path}/head`)).json.data).toMatchObject({ number: 4 })
  expect((await owner.ask('GET', path)).status).toBe(403)
  expect((await verifyChain(db, installationChain)).faults).toEqual([])
})
