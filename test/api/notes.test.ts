import { expect, test } from 'vitest'
import { prefixes, toReference } from '../../src/base/ids.js'
import { sql } from '../../src/postgres/sql.js'
import { openWithBank } from '../support/open-with-bank.js'
import { openDesk } from '../support/payment-desk.js'
import { addPerson, type Person } from '../support/people.js'
import { until } from '../support/sessions.js'

const service = await openWithBank()
const { db } = service
const desk = await openDesk(service)
const join = (role: 'owner' | 'support' | 'viewer', name = 'Emeka Obi') =>
  addPerson(service, { role, name, merchant: desk.merchant.reference })
const account = await desk.open()
const payment = await desk.pay(account.accountNumber, { amount: 500_000 })
await desk.post('/v1/test/balances/fund', { asset: 'NGN', amount: 100_000 })
const recipient = { bankCode: '058', accountNumber: '0123456789', amount: 20_000 }
const { json } = await desk.post('/v1/disbursements/bank-transfer', recipient, {
  'idempotency-key': 'a payout',
})
const subjects = [
  `/v1/collections/payments/${payment.reference}/notes`,
  `/v1/disbursements/${json.data.reference}/notes`,
]

const read = async (person: Person, path: string) =>
  (await person.ask('GET', path)).json.data.items as Record<string, unknown>[]

async function write(person: Person, path: string, text: string): Promise<string> {
  // Notes of one moment are in no order.
  service.clock.advance(1)
  const reply = await person.ask('POST', path, { body: { text } })
  expect(reply.status, reply.text).toBe(201)
  return reply.json.data.reference
}

test.each(subjects)('the team reads what its members write: %s', async (path) => {
  const [author, viewer] = [await join('support', 'Bola Ade'), await join('viewer')]
  const text = 'She called:\n<b>"keep it"</b> & send a receipt'
  const reference = await write(author, path, text)
  const [written] = await read(viewer, path)
  expect(written).toMatchObject({ reference, text, author: 'Bola Ade', isOwn: false })
  expect((await read(author, path))[0]).toMatchObject({ isOwn: true, withdrawnAt: null })
  const refused = await viewer.ask('POST', path, { body: { text } })
  expect([refused.status, refused.json.reason]).toEqual([403, 'role'])
})

test.each(subjects)('only its author withdraws a note, which leaves a line: %s', async (path) => {
  const [author, owner] = [await join('support'), await join('owner')]
  const secret = 'Card 5399 8300 0000 0008'
  const reference = await write(author, path, secret)
  const withdraw = (person: Person) => person.ask('POST', `${path}/${reference}/withdraw`)
  const refused = await withdraw(owner)
  expect([refused.status, refused.json.message]).toEqual([
    403,
    'Only Emeka Obi can withdraw this note.',
  ])
  const withdrawn = await withdraw(author)
  expect([withdrawn.status, withdrawn.json.data]).toMatchObject([200, { reference, text: null }])
  expect((await withdraw(author)).json.data).toEqual(withdrawn.json.data)
  const [line] = await read(owner, path)
  expect(line).toEqual({ ...withdrawn.json.data, isOwn: false })

  // Nothing keeps the text: no table that could repeat it, and no log.
  const [found] = await db.rows(sql<{ count: number }>`
    select (select count(*) from notes n where n::text like ${`%${secret}%`})::int
      + (select count(*) from idempotency_keys k where k::text like ${`%${secret}%`})::int
      + (select count(*) from audit_lines a where a::text like ${`%${secret}%`})::int as count`)
  expect(found!.count).toBe(0)
  for (const entry of await loggedFor(owner, path)) expect(entry).not.toContain(secret)
})

/** Entries of the request log about notes written there. Reads of people are not logged. */
async function loggedFor(person: Person, path: string): Promise<string[]> {
  let rows: { id: string }[] = []
  await until(async () => {
    rows = await db.rows(sql<{ id: string }>`
      select id from request_logs
      where environment_id = ${desk.environmentId} and path = ${path} and status = 201`)
    return rows.length > 0
  })
  const replies = rows.map(({ id }) =>
    person.ask('GET', `/v1/request-logs/${toReference(prefixes.requestLog, id)}`),
  )
  return (await Promise.all(replies)).map(({ status, text }) => {
    expect(status, text).toBe(200)
    return text
  })
}

test('the audit log names the note and what it is about', async () => {
  const owner = await join('owner')
  const reference = await write(owner, subjects[0]!, 'Seen')
  service.clock.advance(1)
  await owner.ask('POST', `${subjects[0]}/${reference}/withdraw`)
  const { items } = (await owner.ask('GET', '/v1/audit-lines?limit=2')).json.data
  const details = { reference, of: payment.reference }
  expect(items).toMatchObject([
    { action: 'payment_note.withdraw', details },
    { action: 'payment_note.write', details },
  ])
  expect(items[1].details).not.toHaveProperty('body')
})

test('a repeated request writes one note', async () => {
  const owner = await join('owner')
  const before = await read(owner, subjects[0]!)
  const request = { body: { text: 'Once' }, headers: { 'idempotency-key': 'one note' } }
  for (let sent = 0; sent < 2; sent += 1) await owner.ask('POST', subjects[0]!, request)
  expect(await read(owner, subjects[0]!)).toHaveLength(before.length + 1)
})

test.each([
  ['empty', ''],
  ['too long', 'x'.repeat(2_001)],
  ['with a control character', 'a\u0000b'],
])('a text that is %s is refused', async (_, text) => {
  const reply = await (await join('owner')).ask('POST', subjects[0]!, { body: { text } })
  expect([reply.status, reply.json.details]).toMatchObject([400, [{ field: 'text' }]])
})

test('notes are found only with the resource they are about', async () => {
  const owner = await join('owner')
  const reference = await write(owner, subjects[0]!, 'About the payment')
  const other = await owner.ask('POST', `${subjects[1]}/${reference}/withdraw`)
  expect(other.status).toBe(404)
  for (const path of subjects)
    expect((await owner.ask('GET', path, { mode: 'live' })).status).toBe(404)
  const unknown = '/v1/collections/payments/pay_unknown/notes'
  expect((await owner.ask('POST', unknown, { body: { text: 'Hello' } })).status).toBe(404)
})

test('API keys have no access to notes', async () => {
  for (const path of subjects)
    for (const method of ['GET', 'POST'])
      expect((await service.ask(method, path, { key: desk.merchant.test.secret })).status).toBe(401)
})

test('the database refuses to edit or delete a note', async () => {
  await write(await join('owner'), subjects[0]!, 'Stays')
  for (const change of [
    sql`update notes set text = 'changed' where text = 'Stays'`,
    sql`update notes set author_id = author_id where text = 'Stays'`,
    sql`update notes set text = 'back', withdrawn_at = null where text is null`,
    sql`delete from notes where text = 'Stays'`,
  ])
    await expect(db.rows(change)).rejects.toThrow(/never edited|withdrawn once/)
})

test.each([
  ['note_is_short', sql`''`, sql`null`],
  ['note_is_short', sql`repeat('x', 2001)`, sql`null`],
  ['withdrawn_note_has_no_text', sql`'Still here'`, sql`now()`],
  ['withdrawn_note_has_no_text', sql`null`, sql`null`],
])('the database holds %s', async (constraint, text, withdrawnAt) => {
  await write(await join('owner'), subjects[0]!, 'To copy')
  const copied = db.rows(sql`
    insert into notes (environment_id, id, resource_id, author_id, text, created_at, withdrawn_at)
    select environment_id, gen_random_uuid(), resource_id, author_id, ${text}, created_at,
      ${withdrawnAt} from notes where text = 'To copy'`)
  await expect(copied).rejects.toMatchObject({ constraint })
})
