import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { listChains, verifyChain } from '../../../src/audit/verify-chain.js'
import { day } from '../../../src/base/clock.js'
import { newId } from '../../../src/base/ids.js'
import { createLogger } from '../../../src/base/log.js'
import { sendMails } from '../../../src/mail/send-mails.js'
import {
  applyRetention,
  readRetention,
} from '../../../src/operations/personal-data/apply-retention.js'
import { erasePerson } from '../../../src/operations/personal-data/erase-person.js'
import { exportPerson } from '../../../src/operations/personal-data/export-person.js'
import {
  findHoldsOf,
  placeHold,
  readSubject,
  releaseHolds,
} from '../../../src/operations/personal-data/legal-holds.js'
import {
  findPerson,
  readScope,
  readSelector,
} from '../../../src/operations/personal-data/person.js'
import { startErasing } from '../../../src/operations/personal-data/units.js'
import { sql } from '../../../src/postgres/sql.js'
import { claimMoney } from '../../payouts/claims/recipient.js'
import type { Merchant } from '../../support/open-manilla.js'
import { standardRetention } from '../../support/open-manilla.js'
import { openWithBank, payersOf } from '../../support/open-with-bank.js'
import { addPerson } from '../../support/people.js'
import { until } from '../../support/sessions.js'
import { expectAllProofs } from '../../support/sound-books.js'

const service = await openWithBank()
const { db, clock, seal } = service
const logger = createLogger('silent')

const person = {
  name: 'Zubaidah Quartermain-Oké',
  email: 'zubaidah.q@example.ng',
  phone: '+2348099912345',
}
const account = { bankCode: '058', accountNumber: '0123456789' }
const names = ['Quartermain', 'zubaidah.q', '8099912345']
// Also as a number of JSON, which has no zero in front.
const allTraces = [...names, '123456789']
const everything = [person.email, person.phone, '058:0123456789'].map((text) =>
  readSelector(text, 'payer'),
)

/** Everything in every table as text, with bytes of banks and sealed texts opened. */
async function findTraces(traces = allTraces): Promise<Record<string, number>> {
  const tables = await db.rows(sql<{ name: string }>`
    select relname as name from pg_class
    where relnamespace = 'public'::regnamespace and relkind = 'r' order by relname`)
  const found: Record<string, number> = {}
  for (const { name } of tables) {
    const rows = await db.rows(
      sql<{ text: string }>`select t::text as text from ${sql.identifier(name)} t`,
    )
    const texts = rows.map(({ text }) => decodeBytes(text))
    const count = texts.filter((text) =>
      traces.some((trace) => text.toLowerCase().includes(trace.toLowerCase())),
    ).length
    if (count > 0) found[name] = count
  }
  const mails = await db.rows(sql<{ sealed: string }>`select sealed_content as sealed from mails`)
  const named = mails.filter(({ sealed }) =>
    traces.some((trace) => seal.open(sealed).includes(trace)),
  )
  if (named.length > 0) found['mails, opened'] = named.length
  return found
}

function decodeBytes(text: string): string {
  return text.replace(/\\+x((?:[0-9a-f]{2})+)/g, (_, hex: string) =>
    Buffer.from(hex, 'hex').toString(),
  )
}

/** Requests are logged in order, after their answer. */
async function untilLogged(requestId: string | null): Promise<void> {
  await until(async () => {
    const rows = await db.rows(sql`select from request_logs where request_id = ${requestId}`)
    return rows.length > 0
  })
}

/** The person pays, is refunded, is paid out, claims, is invoiced, is mailed and written about. */
async function doBusiness(merchant: Merchant) {
  const shop = payersOf(service, merchant)
  const key = merchant.test.secret
  const ask = async (method: string, path: string, body?: object) => {
    clock.advance(1)
    const headers = { 'idempotency-key': randomUUID() }
    const reply = await service.ask(method, path, { key, headers, ...(body && { body }) })
    expect(reply.status, `${path} ${reply.text}`).toBeLessThan(300)
    return reply.json.data
  }
  await ask('POST', '/v1/test/balances/fund', { asset: 'NGN', amount: 50_000_000 })
  await ask('PATCH', '/v1/settings', { mails: { receipts: true, invoices: true } })
  await ask('POST', '/v1/webhook-endpoints', { url: 'https://example.com/hooks' })
  const sender = { name: person.name, ...account }
  const session = await ask('POST', '/v1/checkout/sessions', {
    amount: 500_000,
    description: `Bread for ${person.name}`,
    customer: { name: person.name, email: person.email },
    metadata: { phone: person.phone, order: 17, contact: { calls: [2348099912345, 17] } },
  })
  await shop.payIn(session.bankTransfer.accountNumber, {
    amount: 500_000,
    sender,
    narration: `from ${person.name}`,
  })
  const [paid] = (await ask('GET', '/v1/collections/payments')).items
  await ask('POST', `/v1/collections/payments/${paid.reference}/refund`, { amount: 100_000 })
  const customer = await ask('POST', '/v1/customers', {
    ...person,
    metadata: { nick: person.name, call: '08099912345' },
  })
  const dedicated = await ask('POST', '/v1/collections/dedicated-accounts', {
    externalReference: randomUUID(),
    customer: { name: person.name, email: person.email, phone: person.phone },
  })
  await ask('POST', `/v1/customers/${customer.reference}/accounts`, {
    account: dedicated.accountReference,
  })
  await shop.payIn(dedicated.accountNumber, { amount: 200_000, sender })
  const invoice = await ask('POST', '/v1/invoices', {
    customer: customer.reference,
    lines: [{ description: `Fabric for ${person.name}`, unitAmount: 300_000 }],
    memo: `Call ${person.phone}`,
  })
  await ask('POST', `/v1/invoices/${invoice.reference}/finalize`)
  await ask('PATCH', `/v1/customers/${customer.reference}`, {
    metadata: { who: person.name, call: 8099912345 },
  })
  await ask('POST', '/v1/disbursements/bank-transfer', {
    ...account,
    amount: 20_000,
    metadata: { to: person.name, account: 123456789, call: 8099912345, weight: 12.5 },
    narration: `For ${person.name}`,
  })
  const recipient = await ask('POST', '/v1/recipients', {
    ...account,
    label: `Pays ${person.name}`,
    metadata: { of: person.name, from: { number: 123456789 } },
  })
  const claim = await ask('POST', '/v1/claims', {
    amount: 30_000,
    description: `Refund for ${person.name}`,
    recipientName: person.name,
    email: person.email,
  })
  await claimMoney(claim.url, account)
  await ask('POST', '/v1/payment-links', {
    description: `Bread. Call ${person.phone}.`,
    amount: 100_000,
    metadata: { asked: { by: 2348099912345 } },
  })
  const member = await addPerson(service, { role: 'owner', merchant: merchant.reference })
  const noted = await member.ask('POST', `/v1/collections/payments/${paid.reference}/notes`, {
    body: { text: `${person.name} called.` },
  })
  expect(noted.status, noted.text).toBe(201)
  const complaint = await ask('POST', '/v1/cases', {
    kind: 'COMPLAINT',
    title: `${person.name} got nothing`,
    description: `Call ${person.phone}`,
    externalReference: `Bank: ${person.email}`,
    items: [paid.reference, customer.reference],
  })
  await ask('POST', `/v1/cases/${complaint.reference}/close`, {
    outcome: 'UPHELD',
    outcomeNote: `Refunded to ${account.accountNumber}`,
  })
  const changed = await member.ask('PATCH', `/v1/customers/${customer.reference}`, {
    body: { metadata: { remark: `Speaks for ${person.name}`, account: 123456789 } },
  })
  expect(changed.status, changed.text).toBe(200)
  const search = `/v1/collections/payments?q=${encodeURIComponent(person.name)}`
  const searched = await service.ask('GET', search, { key })
  await untilLogged(searched.headers.get('x-request-id'))
  // Nothing is open when the person is erased, except the dedicated account.
  await service.pass(30)
  await sendMails({ db, clock, seal, logger, relay: undefined, mode: 'test' }, clock.now())
  return { ask, paid, customer, dedicated, recipient, key }
}

const find = async (merchant?: string) => {
  const scope = await readScope(db, merchant)
  return { scope, person: await findPerson(db, scope, everything) }
}
const erase = async (merchant?: string) =>
  erasePerson({
    db,
    seal,
    now: clock.now(),
    ...(await find(merchant)),
    periods: standardRetention,
    actor: 'ada',
    erases: true,
  })

test('a person is exported, and then erased from every table', async () => {
  const other = await service.addMerchant('Other Stores')
  const first = await doBusiness(service.merchant)
  const second = await doBusiness(other)
  const stranger = { name: 'Bola Adeyemi', accountNumber: '0000000017', bankCode: '058' }
  const shop = payersOf(service, service.merchant)
  const { json: opened } = await shop.openVirtual({ merchantReference: 'stranger' })
  await shop.payIn(opened.data.accountNumber, { sender: stranger })
  await service.pass(2)

  const before = await findTraces()
  expect(Object.keys(before)).toEqual(
    expect.arrayContaining([
      'audit_lines',
      'cases',
      'checkout_sessions',
      'claims',
      'collection_accounts',
      'customers',
      'events',
      'idempotency_keys',
      'invoices',
      'mails',
      'mails, opened',
      'notes',
      'notices',
      'payment_returns',
      'payment_links',
      'payments',
      'payout_attempts',
      'payouts',
      'recipients',
      'sandbox_payments',
      'sandbox_transfers',
      'search_terms',
    ]),
  )
  await expectAllProofs(db)
  const exported = await exportPerson(db, { seal, now: clock.now(), ...(await find()) })
  expect(new Set(exported.map(({ table }) => table))).toEqual(
    new Set(
      Object.keys(before).filter(
        (table) => !['mails, opened', 'search_terms', 'payout_attempts'].includes(table),
      ),
    ),
  )
  const transfers = await db.rows(sql`select t::text as row from ledger_transfers t order by 1`)

  await first.ask(
    'POST',
    `/v1/collections/dedicated-accounts/${first.dedicated.accountReference}/deactivate`,
  )
  // A recipient that can be paid keeps its name.
  const preview = await erase(service.merchant.reference)
  expect(preview).toContainEqual(expect.objectContaining({ table: 'recipients', open: 1 }))
  for (const { ask, recipient } of [first, second])
    await ask('POST', `/v1/recipients/${recipient.reference}/disable`)
  await erase(service.merchant.reference)
  // The other merchant still knows the person.
  const { person: left } = await find()
  expect(left.payments.length).toBeGreaterThan(0)
  const environments = new Set(
    [...left.payments, ...left.customers].map((row) => row.environmentId),
  )
  expect([...environments]).toEqual([other.environments.test.id])

  const [open] = (await erase()).filter(({ table }) => table === 'collection_accounts')
  expect(open).toMatchObject({ open: 1 })
  await second.ask(
    'POST',
    `/v1/collections/dedicated-accounts/${second.dedicated.accountReference}/deactivate`,
  )
  await erasePerson({
    db,
    seal,
    now: clock.now(),
    scope: (await find()).scope,
    person: left,
    periods: standardRetention,
    actor: 'ada',
    erases: true,
  })
  expect(await findTraces(names)).toEqual({})
  // Where a saved recipient is paid stays, without the name.
  expect(await findTraces()).toEqual({ recipients: 2, search_terms: 2 })
  expect(JSON.stringify(await db.rows(sql`select sender::text from payments`))).toContain('Bola')
  expect(await db.rows(sql`select t::text as row from ledger_transfers t order by 1`)).toEqual(
    transfers,
  )
  await expectAllProofs(db)
  for (const chain of await listChains(db))
    expect((await verifyChain(db, chain)).faults).toEqual([])
  // What is left can still be read.
  const payment = await first.ask('GET', `/v1/collections/payments/${first.paid.reference}`)
  expect(payment.sender).toMatchObject({ name: '[erased]', accountNumber: '[erased]' })
})

const erasing = (work: ReturnType<typeof sql>) =>
  db.transaction(async (tx) => {
    await startErasing(tx)
    await tx.rows(work)
  })

test('a transaction that erases can replace texts with [erased], and nothing else', async () => {
  const refused = [
    sql`update payments set amount = amount + 1`,
    sql`update payments set narration = 'another text'`,
    sql`update payments set sender = '{"name": "Another Person"}'`,
    sql`update events set data = '{}'`,
    sql`update events set data = jsonb_set(data::jsonb, '{amount}', '"[erased]"')`,
    sql`update events set type = 'payment.refunded'`,
    sql`update payouts set metadata = '{"account": 17}'`,
    sql`update audit_lines set details = '{"forged": true}'`,
    sql`update audit_lines set actor = '[erased]'`,
    sql`update payouts set destination = '{"kind": "bank_account", "accountNumber": "0000000017"}'`,
    sql`update cases set title = 'another text'`,
    sql`update cases set outcome = 'REJECTED'`,
    sql`update ledger_transfers set amount = amount`,
    sql`delete from payments`,
    sql`delete from audit_lines`,
  ]
  for (const statement of refused)
    await expect(erasing(statement), statement.texts[0]).rejects.toThrow(/never edited/)
  await expect(db.rows(sql`update payments set narration = '[erased]'`)).rejects.toThrow(
    'never edited',
  )
})

test('an erased line of the audit log without its record is a fault', async () => {
  const [line] = await db.rows(sql<{ id: string; chain: string }>`
    select id, chain from audit_lines where details::text like '%"reference":"cus_%' limit 1`)
  await erasing(sql`
    update audit_lines set details =
      jsonb_set(details::jsonb, '{reference}', '"[erased]"')::json where id = ${line!.id}`)
  const { faults } = await verifyChain(db, line!.chain)
  expect(faults).toMatchObject([{ message: expect.stringContaining('was edited') }])
})

test('a legal hold keeps a payment until it is released', async () => {
  const shop = payersOf(service, service.merchant)
  const sender = { name: 'Held Payer', accountNumber: '0000000024', bankCode: '058' }
  const { json } = await shop.openVirtual({ merchantReference: 'held' })
  await shop.payIn(json.data.accountNumber, { sender })
  await service.pass(2)
  const scope = await readScope(db, undefined)
  const selectors = [readSelector('058:0000000024', 'payer')]
  const found = async () => ({ scope, person: await findPerson(db, scope, selectors) })
  const hold = await db.transaction(async (tx) =>
    placeHold(tx, clock.now(), 'ada', {
      ...readSubject('058:0000000024'),
      merchantId: null,
      caseReference: 'FHC/1',
      reason: 'court',
      until: null,
    }),
  )
  expect(
    await findHoldsOf(db, clock.now(), { merchantId: null, person: (await found()).person }),
  ).toMatchObject([{ id: hold.id }])
  const later = new Date(clock.now().getTime() + 400 * day)
  const senders = async () =>
    JSON.stringify(await db.rows(sql`select sender::text as sender from payments`))
  await applyRetention(db, later, standardRetention)
  expect(await senders()).toContain('Held Payer')
  // Others whose period is over are replaced, also those that no person asked for.
  expect(await senders()).not.toContain('Bola')
  expect(await readRetention(db, later, standardRetention)).toContainEqual(
    expect.objectContaining({ class: 'payments', mode: 'test', due: 0, held: 1 }),
  )
  await db.transaction((tx) =>
    releaseHolds(tx, clock.now(), { releasedBy: 'ada', holdOrCase: 'FHC/1' }),
  )
  const retried = new Date(later.getTime() + 31 * day)
  await applyRetention(db, retried, standardRetention)
  expect(await senders()).not.toContain('Held Payer')
  await expectAllProofs(db)
})

test('a legal hold on a case keeps what is written in it', async () => {
  const name = 'Ngozi Held-Complaint'
  const ask = async (path: string, body: object) => {
    const { status, json, text } = await service.ask('POST', path, {
      key: service.merchant.test.secret,
      headers: { 'idempotency-key': randomUUID() },
      body,
    })
    expect(status, text).toBe(201)
    return json.data
  }
  const { reference } = await ask('/v1/cases', { kind: 'FRAUD', title: `${name} complains` })
  const scope = await readScope(db, undefined)
  const eraseNamed = async () => {
    const found = await findPerson(db, scope, [readSelector(`name:${name}`, 'payer')])
    const periods = standardRetention
    return erasePerson({
      db,
      seal,
      now: clock.now(),
      scope,
      person: found,
      periods,
      actor: 'ada',
      erases: true,
    })
  }
  const titleOf = async () => {
    const { json } = await service.ask('GET', `/v1/cases/${reference}`, {
      key: service.merchant.test.secret,
    })
    return json.data.title
  }
  await db.transaction(async (tx) =>
    placeHold(tx, clock.now(), 'ada', {
      ...readSubject(reference),
      merchantId: null,
      caseReference: reference,
      reason: 'The regulator asks',
      until: null,
    }),
  )
  expect(await eraseNamed()).toContainEqual(expect.objectContaining({ table: 'cases', held: 1 }))
  expect(await titleOf()).toBe(`${name} complains`)
  await db.transaction((tx) =>
    releaseHolds(tx, clock.now(), { releasedBy: 'ada', holdOrCase: reference }),
  )
  await eraseNamed()
  expect(await titleOf()).toBe('[erased]')
})

test('live payments are legal records for five years', async () => {
  const { live } = service.merchant.environments
  const now = clock.now()
  const years = (count: number) => new Date(now.getTime() - count * 366 * day)
  const rows = [years(1), years(6)].map((at) => ({ id: newId(at), at }))
  for (const { id, at } of rows)
    await db.rows(sql`
      insert into payments (environment_id, id, account_id, source, rail, rail_id, asset, amount,
        amount_accepted, amount_held, amount_returning, amount_returned, fee, variance, sender,
        event_sequence, received_at, created_at)
      values (${live.id}, ${id}, ${id}, 'virtual_account', 'a bank', ${id}, 'NGN', 1, 1, 0, 0, 0,
        0, 'NONE', '{"name": "Live Payer", "accountNumber": "0000000031", "bankCode": "058"}', 1,
        ${at}, ${at})`)
  await applyRetention(db, now, standardRetention)
  const left = await db.rows(sql<{ id: string }>`
    select id from payments where sender ->> 'name' = 'Live Payer'`)
  expect(left).toEqual([{ id: rows[0]!.id }])
})

// Last: no payout waited for this check, which a proof would report.
test('what a callback answered is erased, and nothing else of the check', async () => {
  const readChecks = () => db.rows(sql`select to_jsonb(c)::text as row from payout_checks c`)
  await db.rows(sql`
    insert into payout_checks (environment_id, payout_id, mode, reasons, callback, problem,
      rejection, created_at, answered_at)
    select environment_id, id, 'test', '{callback}', 'REJECTED', 'No answer for Chidera Uniquename',
      'Chidera Uniquename is not a customer', created_at, created_at
    from payouts order by id limit 1`)
  const [before] = await readChecks()
  const scope = await readScope(db, undefined)
  const found = await findPerson(db, scope, [readSelector('name:Chidera Uniquename', 'payer')])
  const erasure = { db, seal, now: clock.now(), scope, person: found, periods: standardRetention }
  const results = await erasePerson({ ...erasure, actor: 'ada', erases: true })
  expect(results).toMatchObject([{ table: 'payout_checks', found: 1, erased: 1 }])
  const change = { problem: '[erased]', rejection: '[erased]' }
  const [after] = await readChecks()
  const rowOf = (text: unknown) => JSON.parse((text as { row: string }).row)
  expect(rowOf(after)).toEqual({ ...rowOf(before), ...change })
  await expect(erasing(sql`update payout_checks set rejection = 'fine'`)).rejects.toThrow(
    /never edited/,
  )
})
