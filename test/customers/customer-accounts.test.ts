import { expect, test } from 'vitest'
import { issueKey } from '../../src/merchants/keys/issue-key.js'
import type { KeyPermission } from '../../src/merchants/keys/key-permissions.js'
import { sql } from '../../src/postgres/sql.js'
import { openWithBankAndChain } from '../support/open-with-bank-and-chain.js'
import { addPerson } from '../support/people.js'

const service = await openWithBankAndChain()
const { db, clock } = service

let calls = 0
async function openShop() {
  const merchant = await service.addMerchant('Shop')
  const key = merchant.test.secret
  const ask = (method: string, path: string, body?: object) => {
    calls += 1
    clock.advance(1)
    const headers = { 'idempotency-key': `call ${calls}` }
    return service.ask(method, path, { key, headers, ...(body && { body }) })
  }
  const make = async (path: string, body?: object) => {
    const { status, json, text } = await ask('POST', path, body)
    expect(status, text).toBeLessThan(300)
    return json.data
  }
  const read = async (path: string) => (await ask('GET', path)).json.data
  const ada = await make('/v1/customers', { name: 'Adaobi Nwosu', email: 'adaobi@example.com' })
  return { merchant, ask, make, read, ada, path: `/v1/customers/${ada.reference}` }
}

const account = { kind: 'dedicated_account' }
const wallet = { kind: 'dedicated_crypto_wallet' }

test('an account and a wallet are opened on demand, one of each', async () => {
  const { make, read, ada, path } = await openShop()
  expect(await read(`${path}/accounts`)).toEqual({ items: [] })
  const bank = await make(`${path}/accounts`, { ...account, bvn: '22222222226' })
  expect(bank).toMatchObject({ ...account, bankName: 'Sandbox Bank', address: null })
  const coins = await make(`${path}/accounts`, wallet)
  expect(coins).toMatchObject({ ...wallet, accountNumber: null, status: 'ACTIVE' })
  expect(await make(`${path}/accounts`, account)).toEqual(bank)
  expect(await read(`${path}/accounts`)).toEqual({ items: [coins, bank] })
  const shown = await read(`/v1/collections/dedicated-accounts/${bank.reference}`)
  // The customer has the name and addresses, so that erasing it is enough.
  expect(shown).toMatchObject({ customerReference: ada.reference, customer: null })
  const stored = await db.rows(sql<{ found: number }>`
    select 1 as found from collection_accounts a where a::text ~ '22222222226'`)
  expect(stored).toEqual([])
})

test('a payment into it pays the invoices, and names the customer', async () => {
  const { make, read, ada, path } = await openShop()
  const { accountNumber, reference } = await make(`${path}/accounts`, account)
  const lines = [{ description: 'Fabric', unitAmount: 300_000 }]
  const invoice = await make('/v1/invoices', { customer: ada.reference, lines })
  await make(`/v1/invoices/${invoice.reference}/finalize`)
  await make('/v1/test/bank-transfers', { accountNumber, amount: 300_000 })
  await service.settle()
  expect((await read(`/v1/invoices/${invoice.reference}`)).status).toBe('PAID')
  const { items } = await read(`/v1/collections/payments?accountReference=${reference}`)
  expect(items).toMatchObject([{ customerReference: ada.reference }])
})

test('openings at once open one account', async () => {
  const { ask, read, path } = await openShop()
  const replies = await Promise.all(
    Array.from({ length: 4 }, () => ask('POST', `${path}/accounts`, account)),
  )
  expect(replies.some(({ status }) => status === 201)).toBe(true)
  for (const { status, json } of replies)
    if (status !== 201) expect(json.reason).toBe('duplicate_reference')
  expect((await read(`${path}/accounts`)).items).toHaveLength(1)
})

test.each([[{}], [{ ...account, account: 'da_1' }]])('%j is refused at kind', async (body) => {
  const { ask, path } = await openShop()
  const { status, json } = await ask('POST', `${path}/accounts`, body)
  expect([status, json.details[0].field]).toEqual([400, 'kind'])
})

test('customers of other merchants have no accounts, statement or export', async () => {
  const [{ path, ada }, other] = [await openShop(), await openShop()]
  for (const what of ['accounts', 'statement', 'export'])
    expect([what, (await other.ask('GET', `${path}/${what}`)).status]).toEqual([what, 404])
  expect((await other.ask('POST', `${path}/accounts`, account)).status).toBe(404)
  await other.ask('DELETE', other.path)
  const erased = await other.ask('POST', `${other.path}/accounts`, account)
  expect(erased.json).toMatchObject({ code: 'customer_failed', reason: 'invalid_state' })
  expect(ada.reference).not.toBe(other.ada.reference)
})

test('the export is all that is known; once erased, no name is in it', async () => {
  const { make, ask, read, ada, path } = await openShop()
  // An account that was opened before, with what the merchant sent of the customer.
  const given = await make('/v1/collections/dedicated-accounts', {
    externalReference: 'nwosu-account',
    customer: { name: 'Adaobi Nwosu', email: 'adaobi@example.com' },
  })
  await make(`${path}/accounts`, { account: given.accountReference })
  const lines = [{ description: 'Fabric', unitAmount: 300_000 }]
  const invoice = await make('/v1/invoices', { customer: ada.reference, lines })
  await make(`/v1/invoices/${invoice.reference}/finalize`)
  const { accountNumber } = given
  await make('/v1/test/bank-transfers', { accountNumber, amount: 500_000 })
  await service.settle()
  const document = await read(`${path}/export`)
  expect(document).toMatchObject({
    customer: { name: 'Adaobi Nwosu', credit: [{ asset: 'NGN', amount: 200_000 }, {}, {}] },
    accounts: [{ reference: given.accountReference }],
    invoices: [{ reference: invoice.reference, status: 'PAID' }],
    payments: [{ amount: 500_000, customerReference: ada.reference }],
    creditEntries: [{ kind: 'payment', amount: 200_000, balanceAfter: 200_000 }],
    checkoutSessions: [],
    complete: true,
  })
  await ask('DELETE', path)
  expect(JSON.stringify(await read(`${path}/export`))).not.toMatch(/Adaobi|adaobi/)
  const shown = await read(`/v1/collections/dedicated-accounts/${given.accountReference}`)
  expect(shown.customer).toBeNull()
})

test('support sees customers, and exports none', async () => {
  const { merchant, path } = await openShop()
  const { reference } = merchant
  const support = await addPerson(service, { role: 'support', merchant: reference })
  const owner = await addPerson(service, { role: 'owner', merchant: reference })
  expect((await support.ask('GET', path)).status).toBe(200)
  const refused = await support.ask('GET', `${path}/export`)
  expect([refused.status, refused.json.reason]).toEqual([403, 'role'])
  expect((await owner.ask('GET', `${path}/export`)).status).toBe(200)
})

test('a restricted key needs payments.see for an export, collect.create to open', async () => {
  const { merchant, path } = await openShop()
  const send = async (permissions: KeyPermission[], method: string, to: string, body?: object) => {
    const { key } = await db.transaction((tx) =>
      issueKey(tx, clock.now(), {
        seal: service.seal,
        environment: merchant.environments.test,
        kind: 'secret',
        name: 'Restricted',
        expiresAt: null,
        allowedAddresses: [],
        permissions,
      }),
    )
    return service.ask(method, to, { key: key.reveal(), ...(body && { body }) })
  }
  const lacks = (permission: string) => ({
    status: 403,
    json: { reason: 'key_permission', message: expect.stringContaining(permission) },
  })
  const exported = `${path}/export`
  expect(await send(['customers.see'], 'GET', exported)).toMatchObject(lacks('payments.see'))
  expect((await send(['customers.see', 'payments.see'], 'GET', exported)).status).toBe(200)
  const accounts = `${path}/accounts`
  const opened = await send(['customers.change'], 'POST', accounts, account)
  expect(opened).toMatchObject(lacks('collect.create'))
  const both: KeyPermission[] = ['customers.change', 'collect.create']
  expect((await send(both, 'POST', accounts, account)).status).toBe(201)
})

test('erasing a customer erases the sessions for its invoices, and ends its schedules', async () => {
  const { make, ask, read, ada, path } = await openShop()
  const lines = [{ description: 'Fabric', unitAmount: 300_000 }]
  const body = { customer: ada.reference, lines }
  const [invoice, draft] = [await make('/v1/invoices', body), await make('/v1/invoices', body)]
  const { url } = await make(`/v1/invoices/${invoice.reference}/finalize`)
  const paying = await fetch(`${service.url}${new URL(url).pathname}/pay`, {
    method: 'POST',
    redirect: 'manual',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: '',
  })
  const session = paying.headers.get('location')!.slice('/checkout/'.length)
  const schedule = await make('/v1/invoice-schedules', { ...body, frequency: 'weekly' })
  const paused = await make('/v1/invoice-schedules', { ...body, frequency: 'monthly' })
  await ask('PATCH', `/v1/invoice-schedules/${paused.reference}`, { status: 'PAUSED' })
  const find = async () => (await read('/v1/checkout/sessions?q=nwosu')).items.length
  expect(await find()).toBe(1)
  const { name } = (await ask('DELETE', path)).json.data
  expect(await find()).toBe(0)
  expect((await read(`/v1/checkout/sessions/${session}`)).customer.name).toBe(name)
  const document = await read(`${path}/export`)
  expect(document.checkoutSessions).toMatchObject([{ customerName: name, customerEmail: '' }])
  expect(JSON.stringify(document)).not.toMatch(/adaobi|nwosu/i)
  for (const { reference } of [schedule, paused])
    expect((await read(`/v1/invoice-schedules/${reference}`)).status).toBe('ENDED')
  const drafted = `/v1/invoices/${draft.reference}`
  const wanted = { json: { code: 'customer_failed', reason: 'invalid_state' } }
  expect(await ask('POST', `${drafted}/finalize`)).toMatchObject(wanted)
  expect(await ask('PATCH', drafted, { memo: 'Dear Ada' })).toMatchObject(wanted)
  const bola = await make('/v1/customers', { name: 'Bola' })
  expect((await ask('PATCH', drafted, { customer: bola.reference })).status).toBe(200)
})
