import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { day } from '../../../src/base/clock.js'
import { erasePerson } from '../../../src/operations/personal-data/erase-person.js'
import { exportPerson } from '../../../src/operations/personal-data/export-person.js'
import {
  findPerson,
  readScope,
  readSelector,
} from '../../../src/operations/personal-data/person.js'
import { sql } from '../../../src/postgres/sql.js'
import { toNuban } from '../../../src/simulation/sandbox-bank/nuban.js'
import type { Merchant } from '../../support/open-manilla.js'
import { standardRetention } from '../../support/open-manilla.js'
import { openWithBank, payersOf } from '../../support/open-with-bank.js'
import { addPerson } from '../../support/people.js'
import { expectAllProofs } from '../../support/sound-books.js'

// What is erased with a person, and what is not: rows of other people and other merchants.

const service = await openWithBank()
const { db, clock, seal, merchant } = service
const other = await service.addMerchant('Other Stores')

const asker = (of: Merchant) => async (method: string, path: string, body?: object) => {
  clock.advance(1)
  const headers = { 'idempotency-key': randomUUID() }
  const options = { key: of.test.secret, headers, ...(body && { body }) }
  const { status, text, json } = await service.ask(method, path, options)
  expect(status, `${path} ${text}`).toBeLessThan(300)
  return json.data
}
const [ask, askOther] = [asker(merchant), asker(other)]

async function find(texts: string[], at?: string) {
  const scope = await readScope(db, at)
  const selectors = texts.map((text) => readSelector(text, 'payer'))
  return { scope, person: await findPerson(db, scope, selectors) }
}
const erase = async (
  texts: string[],
  { at, erases = true }: { at?: string; erases?: boolean } = {},
) =>
  erasePerson({
    db,
    seal,
    now: clock.now(),
    ...(await find(texts, at)),
    periods: standardRetention,
    actor: 'ada',
    erases,
  })

async function invoiceStranger(of: ReturnType<typeof asker>, description: string) {
  const customer = await of('POST', '/v1/customers', { name: 'Bola Adeyemi' })
  const lines = [{ description, unitAmount: 300_000 }]
  const draft = await of('POST', '/v1/invoices', { customer: customer.reference, lines })
  return of('POST', `/v1/invoices/${draft.reference}/finalize`)
}

/** A payment with a note and a case, by a payer whom the merchant knows by nothing else. */
async function bePaidBy(sender: object) {
  const shop = payersOf(service, merchant)
  const { json } = await shop.openVirtual({ merchantReference: randomUUID() })
  await shop.payIn(json.data.accountNumber, { sender })
  await service.pass(2)
  const [payment] = (await ask('GET', '/v1/collections/payments')).items
  return payment
}

test('a name that was found is erased in rows of the person only', async () => {
  const name = 'Danjuma Aliyu Sani'
  const sender = { name, accountNumber: '0123457006', bankCode: '058' }
  const payment = await bePaidBy(sender)
  const line = `Consulting by ${name}, engineer`
  const [invoice, invoiceOfOther] = [
    await invoiceStranger(ask, line),
    await invoiceStranger(askOther, line),
  ]
  const owner = await addPerson(service, { role: 'owner', merchant: merchant.reference })
  await owner.ask('POST', `/v1/collections/payments/${payment.reference}/notes`, {
    body: { text: `${name} called.` },
  })
  const complaint = await ask('POST', '/v1/cases', {
    kind: 'COMPLAINT',
    title: `${name} complains`,
    items: [payment.reference],
  })
  const unrelated = await ask('POST', '/v1/cases', { kind: 'FRAUD', title: `Is this ${name}?` })

  const { scope, person } = await find(['058/0123457006'])
  const exported = await exportPerson(db, { seal, now: clock.now(), scope, person })
  expect(exported.map(({ table }) => table)).not.toContain('invoices')
  const results = await erase(['058:0123457006'])
  expect(results).toContainEqual(
    expect.objectContaining({ merchant: merchant.reference, table: 'payments', erased: 1 }),
  )
  expect(results.map((result) => result.merchant)).not.toContain(other.reference)
  expect(results.filter(({ byName }) => byName > 0)).toEqual([])

  const textOf = async (of: ReturnType<typeof asker>, path: string) =>
    JSON.stringify(await of('GET', path))
  const invoicePath = `/v1/invoices/${invoice.reference}`
  expect(await textOf(ask, invoicePath)).toContain(line)
  expect(await textOf(askOther, `/v1/invoices/${invoiceOfOther.reference}`)).toContain(line)
  expect(await textOf(ask, `/v1/cases/${unrelated.reference}`)).toContain(name)
  expect(await textOf(ask, `/v1/cases/${complaint.reference}`)).not.toContain(name)
  expect(await textOf(ask, `/v1/collections/payments/${payment.reference}`)).not.toContain(name)
  const named = async (table: string) => {
    const rows = await db.rows(sql<{ text: string }>`
      select t::text as text from ${sql.identifier(table)} t`)
    return rows.filter(({ text }) => text.includes(name) && text.includes(payment.reference)).length
  }
  expect(await named('events')).toBe(0)
  expect(await db.rows(sql`select from notes where text like ${`%${name}%`}`)).toEqual([])
  expect(await db.rows(sql`select from notices where report::text like ${`%${name}%`}`)).toEqual([])
  expect(
    await db.rows(sql`select from sandbox_payments where sender::text like ${`%${name}%`}`),
  ).toEqual([])

  // A name that was typed is erased everywhere in the scope, and the preview says so.
  const preview = await erase([`name:${name}`], { at: merchant.reference, erases: false })
  expect(preview).toContainEqual(
    expect.objectContaining({ table: 'invoices', found: 1, byName: 1, erased: 1 }),
  )
  await erase([`name:${name}`], { at: merchant.reference })
  expect(await textOf(ask, invoicePath)).not.toContain(name)
  expect(await textOf(askOther, `/v1/invoices/${invoiceOfOther.reference}`)).toContain(line)
  await expectAllProofs(db)
})

test('an address that was found is erased at merchants that know the person only', async () => {
  const email = 'ngozi.k@example.ng'
  const { reference } = await ask('POST', '/v1/customers', { name: 'Ngozi Kalu', email })
  await ask('POST', '/v1/cases', { kind: 'FRAUD', title: `Mail ${email}` })
  await askOther('POST', '/v1/cases', { kind: 'FRAUD', title: `Mail ${email}` })
  await askOther('POST', '/v1/customers', { name: 'Another Ngozi', email })
  const session = { amount: 500_000, description: 'Bread', customer: { name: 'A B', email } }
  await askOther('POST', '/v1/checkout/sessions', session)
  const results = await erase([reference])
  expect(new Set(results.map((result) => result.merchant))).toEqual(new Set([merchant.reference]))
  const titles = await db.rows(sql<{ title: string }>`
    select title from cases where title like 'Mail %' or title = '[erased]' order by title`)
  expect(titles.filter(({ title }) => title === `Mail ${email}`)).toHaveLength(1)
  // Typed, it is erased everywhere.
  const all = await erase([email])
  expect(all.map((result) => result.merchant)).toContain(other.reference)
  expect(await db.rows(sql`select from cases where title like ${`%${email}%`}`)).toEqual([])
})

test('an agent who pays for many stays in the rows of the others', async () => {
  const agent = { name: 'Agent Kudirat Bello', accountNumber: '0000000103', bankCode: '058' }
  const shop = payersOf(service, merchant)
  const paidFor = async (name: string) => {
    const customer = await ask('POST', '/v1/customers', { name })
    const account = await ask('POST', '/v1/collections/dedicated-accounts', {
      externalReference: randomUUID(),
    })
    const { accountReference, accountNumber } = account
    const path = `/v1/customers/${customer.reference}/accounts`
    await ask('POST', path, { account: accountReference })
    await shop.payIn(accountNumber, { sender: agent })
    await service.pass(2)
    const [payment] = (await ask('GET', '/v1/collections/payments')).items
    await ask('POST', `/v1/collections/payments/${payment.reference}/refund`, { amount: 10_000 })
    await service.pass(30)
    return customer
  }
  const customer = await paidFor('Uche First')
  await paidFor('Uche Second')
  await ask('POST', '/v1/cases', { kind: 'FRAUD', title: 'Who is 0000000103?' })
  const countNamed = async () => {
    const [counts] = await db.rows(sql`
      select
        (select count(*)::int from payments where sender::text ~ 'Kudirat') as payments,
        (select count(*)::int from notices where report::text ~ 'Kudirat') as notices,
        (select count(*)::int from sandbox_payments where sender::text ~ 'Kudirat') as paid,
        (select count(*)::int from sandbox_transfers where instruction ~ '0000000103') as refunds`)
    return counts
  }
  expect(await countNamed()).toEqual({ payments: 2, notices: 2, paid: 2, refunds: 2 })
  await erase([customer.reference])
  expect(await countNamed()).toEqual({ payments: 1, notices: 1, paid: 1, refunds: 1 })
  expect(await db.rows(sql`select from cases where title ~ '0000000103'`)).toHaveLength(1)
})

test('a row that is found twice is counted once', async () => {
  const name = 'Ifeoma Twice-Named'
  await ask('POST', '/v1/test/balances/fund', { asset: 'NGN', amount: 50_000_000 })
  await ask('POST', '/v1/disbursements/bank-transfer', {
    bankCode: '058',
    accountNumber: '0000000093',
    amount: 20_000,
    metadata: { to: '0000000093', name },
  })
  await service.pass(30)
  const results = await erase(['058:0000000093'])
  expect(results.find(({ table }) => table === 'payouts')).toMatchObject({ found: 1, erased: 1 })
})

test('rows of an advanced test clock are not kept', async () => {
  await ask('POST', '/v1/test/clock/advance', { seconds: (10 * day) / 1_000 })
  await bePaidBy({ name: 'Late Payer', accountNumber: '0000000086', bankCode: '058' })
  const results = await erase(['058:0000000086'])
  expect(results).toContainEqual(
    expect.objectContaining({ table: 'payments', erased: 1, keptByLaw: 0, open: 0 }),
  )
})

test('what a payer answered is erased with the session, and nothing else of its metadata', async () => {
  const email = 'answers@example.ng'
  const metadata = { order: 'A-17', answers: { Size: 'XL {tall}', 'For whom': 'my nephew' } }
  const { reference } = await ask('POST', '/v1/checkout/sessions', {
    amount: 500_000,
    description: 'A shirt',
    customer: { name: 'Ade Tall', email },
    metadata,
  })
  await erase([email])
  const erased = { order: 'A-17', answers: { Size: '[erased]', 'For whom': '[erased]' } }
  const rows = await db.rows(sql<{ metadata: string }>`
    select metadata::text as metadata from checkout_sessions where reference = ${reference}
    union all
    select a.metadata::text from collection_accounts a join checkout_sessions s
      on s.environment_id = a.environment_id and s.id = a.session_id
    where s.reference = ${reference}`)
  expect(rows.length).toBeGreaterThan(1)
  for (const row of rows) expect(JSON.parse(row.metadata)).toEqual(erased)
  expect(await db.rows(sql`select from events where data like '%nephew%'`)).toEqual([])
})

test('numbers of JSON are erased where they may identify the person, and amounts stay', async () => {
  const accountNumber = toNuban({ bankCode: '058', serial: '001234500' })
  // As a number, it is also an amount in kobo.
  const number = Number(accountNumber)
  expect(number).toBeGreaterThan(10_000_000)
  await ask('POST', '/v1/test/balances/fund', { asset: 'NGN', amount: 50_000_000 })
  const metadata = {
    amount: 17,
    account: number,
    nested: [{ of: [number, number + 1], call: 2348099954321 }],
    phone: 8099954321,
    float: 12345008.5,
  }
  const paid = await ask('POST', '/v1/disbursements/bank-transfer', {
    bankCode: '058',
    accountNumber,
    amount: number,
    metadata,
  })
  await service.pass(30)
  await erase([`058:${accountNumber}`, '08099954321'])
  const after = await ask('GET', `/v1/disbursements/bank-transfer/${paid.reference}`)
  const erasedMetadata = {
    amount: 17,
    account: '[erased]',
    nested: [{ of: ['[erased]', number + 1], call: '[erased]' }],
    phone: '[erased]',
    float: 12345008.5,
  }
  expect(after).toMatchObject({ amount: number, metadata: erasedMetadata })
  expect(after.accountNumber).toBe('[erased]')
  const events = await db.rows(sql<{ data: string }>`
    select data from events where data like ${`%${paid.reference}%`}`)
  expect(events.length).toBeGreaterThan(1)
  for (const { data } of events)
    expect(JSON.parse(data)).toMatchObject({ amount: number, metadata: erasedMetadata })
  await expectAllProofs(db)
})
