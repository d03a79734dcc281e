import { expect, test } from 'vitest'
import { sql } from '../../src/postgres/sql.js'
import { openWithProviders } from '../support/open-with-providers.js'

const { db, log, lines, post } = await openWithProviders('flutterwave')
const customer = { name: 'Ada Obi', email: 'ada@example.com' }
const bvn = '22212345678'
const open = (externalReference: string, fields: object = {}) =>
  post('/v1/collections/dedicated-accounts', { externalReference, ...fields })

test('a bank that needs the customer refuses without, and names every missing field', async () => {
  const none = await open('customer-1')
  expect([none.status, none.json.code]).toEqual([400, 'validation_failed'])
  const fieldsOf = (reply: typeof none) =>
    reply.json.details.map(({ field }: { field: string }) => field)
  expect(fieldsOf(none)).toEqual(['customer.name', 'customer.email', 'customer.bvn'])
  expect(fieldsOf(await open('customer-1', { customer }))).toEqual(['customer.bvn'])
})

test.each([
  ['bvn', '123'],
  ['nin', '1234567890a'],
  ['phone', 'call me'],
  ['email', 'ada'],
])('a malformed %s is refused before the bank is called', async (field, value) => {
  const { status, json } = await open('customer-2', { customer: { ...customer, [field]: value } })
  expect([status, json.details[0].field]).toEqual([400, `customer.${field}`])
})

test('a BVN is passed on to the bank, and neither stored nor logged nor shown', async () => {
  const { status, text } = await open('customer-3', { customer: { ...customer, bvn } })
  expect(status).toBe(201)
  expect(text).not.toContain(bvn)
  expect([...log, ...lines].join('')).not.toContain(bvn)
  const tables = await db.rows(sql<{ name: string }>`
    select table_name as name from information_schema.tables
    where table_schema = 'public' and table_type = 'BASE TABLE'`)
  expect(tables.length).toBeGreaterThan(20)
  for (const { name } of tables) {
    const found = await db.rows<object>({
      text: `select 1 from "${name}" row where row::text like $1`,
      values: [`%${bvn}%`],
    })
    expect(found, name).toEqual([])
  }
})
