import { randomUUID } from 'node:crypto'
import { beforeEach, expect, test } from 'vitest'
import { alertOfNewPlace } from '../../src/api/console/sign-in-alert.js'
import { day } from '../../src/base/clock.js'
import { completeDraft, type MailContent } from '../../src/mail/content.js'
import type { MailKind } from '../../src/mail/kinds.js'
import { listAllMails, openContent } from '../../src/mail/store-mails.js'
import { addBankAccount, makePrimary } from '../../src/merchants/settings/bank-accounts.js'
import { alertOnceADay } from '../../src/operations/alert-operators.js'
import { recordReconciliation } from '../../src/payouts/reconciliation/reconciliations.js'
import { sql } from '../../src/postgres/sql.js'
import { findMagicAccount } from '../../src/simulation/sandbox-bank/magic-accounts.js'
import { getUser } from '../../src/team/users.js'
import { watchBalances } from '../../src/webhooks/endpoints/watch-balances.js'
import { answerAll, emit, newEventOf } from '../support/deliveries.js'
import { insertEndpoint } from '../support/endpoints.js'
import { openWithBank, payersOf } from '../support/open-with-bank.js'
import { addPerson } from '../support/people.js'

const service = await openWithBank()
const { db, clock, seal, pass } = service

type Written = MailContent & { recipient: string; kind: MailKind; mode: string }

/** Mails of a kind, as their recipients would read them. */
async function mailsOf(kind: MailKind): Promise<Written[]> {
  const all = await listAllMails(db, { limit: 100 })
  return all
    .filter((mail) => mail.kind === kind)
    .map((mail) => {
      const { recipient, mode } = mail
      return { ...openContent(seal, mail), recipient, kind, mode }
    })
}

const textOf = ({ heading, blocks, reason }: Written) =>
  JSON.stringify([heading, ...blocks, reason])

let shop: ReturnType<typeof payersOf>
let merchant: Awaited<ReturnType<typeof service.addMerchant>>
beforeEach(async () => {
  await db.rows(sql`delete from mails`)
  merchant = await service.addMerchant('Ada Stores')
  shop = payersOf(service, merchant)
})

const addMember = (role: Parameters<typeof addPerson>[1] & object) =>
  addPerson(service, { merchant: merchant.reference, ...role })

const order = {
  amount: 1_250_000,
  description: 'Two loaves <of> bread',
  customer: { name: 'Ada Obi', email: 'ada@example.com' },
  merchantReference: 'order-7',
}

async function payForSession(): Promise<string> {
  const { reference } = (await shop.post('/v1/checkout/sessions', order)).json.data
  expect((await service.ask('POST', `/public/checkout/${reference}/simulate`)).status).toBe(200)
  await pass(1)
  return reference
}

test('payers get no receipt until the merchant switches receipts on', async () => {
  await payForSession()
  expect(await mailsOf('receipt')).toEqual([])
  const settings = (await shop.get('/v1/settings')).json.data
  expect(settings.mails).toEqual({
    receipts: false,
    invoices: false,
    reminders: false,
    reminderDays: [-3, 0, 7],
    testAddresses: [],
  })
})

test('a paid session gives its customer one receipt', async () => {
  const checkout = {
    displayName: "Ada's Bread",
    colour: '#aa0000',
    supportEmail: 'help@ada.example',
  }
  await shop.patch('/v1/settings', { mails: { receipts: true }, checkout })
  const reference = await payForSession()
  const [receipt, ...more] = await mailsOf('receipt')
  expect(more).toEqual([])
  expect(receipt).toMatchObject({
    recipient: 'ada@example.com',
    mode: 'test',
    subject: "Test: Receipt from Ada's Bread: ₦12,500.00",
    sender: { name: "Ada's Bread", colour: '#aa0000', replyTo: 'help@ada.example' },
  })
  expect(textOf(receipt!)).toContain(`/checkout/${reference}`)
  expect(textOf(receipt!)).toContain('order-7')
  expect(receipt!.reason).toContain("Ada's Bread")
})

test('a session that is cancelled or underpaid gives no receipt', async () => {
  await shop.patch('/v1/settings', { mails: { receipts: true } })
  const cancelled = (await shop.post('/v1/checkout/sessions', order)).json.data
  await shop.post(`/v1/checkout/sessions/${cancelled.reference}/cancel`, {})
  const underpaid = (await shop.post('/v1/checkout/sessions', order)).json.data
  const shown = await service.ask('GET', `/public/checkout/${underpaid.reference}`)
  await shop.payIn(shown.json.data.bankTransfer.accountNumber, { amount: 100_000 })
  await pass(1)
  expect(await mailsOf('receipt')).toEqual([])
})

test('an invitation carries its link, which its own answers and logs do not repeat', async () => {
  const owner = await addMember({ role: 'owner', name: 'Ngozi Ade' })
  const body = { email: 'new@example.com', role: 'finance', maySeeLive: false }
  const { json } = await owner.ask('POST', '/v1/team/invitations', {
    body,
    merchant: merchant.reference,
  })
  const [invitation] = await mailsOf('invitation')
  expect(invitation).toMatchObject({ recipient: 'new@example.com', mode: 'live' })
  expect(textOf(invitation!)).toContain(json.data.url)
  expect(textOf(invitation!)).toContain('as finance')
  const token = json.data.url.split('/').at(-1)
  const { items } = (await shop.get('/v1/mails')).json.data
  expect(items).toMatchObject([{ kind: 'invitation', recipient: 'new@example.com' }])
  const read = await shop.get(`/v1/mails/${items[0].reference}`)
  expect(read.status).toBe(200)
  expect(read.text).toContain('the link is shown to the recipient only')
  expect(read.text).not.toContain(token)
  const [row] = await db.rows(sql<{ row: string }>`select mails::text as row from mails`)
  expect(row!.row).not.toContain(token)
  expect(service.log.join('\n')).not.toContain(token)
})

test('members with a permission get a mail, unless they switched it off', async () => {
  await shop.patch('/v1/settings', { lowBalance: { NGN: 1_000_000 } })
  const owner = await addMember({ role: 'owner' })
  const finance = await addMember({ role: 'finance' })
  await addMember({ role: 'viewer' })
  const off = await addMember({ role: 'admin' })
  const path = '/console/session/mail-preferences'
  const changed = await off.ask('PATCH', path, { body: { kind: 'balance_low', isOn: false } })
  expect(changed.status, changed.text).toBe(200)
  const { items } = (await off.ask('GET', path)).json.data
  expect(items.filter(({ isOn }: { isOn: boolean }) => !isOn)).toMatchObject([
    { kind: 'balance_low' },
  ])
  expect(items.map(({ kind }: { kind: string }) => kind)).not.toContain('operator_alert')
  await watchBalances(db, clock.now())
  await watchBalances(db, clock.now())
  const mails = await mailsOf('balance_low')
  const expected = [owner.email, finance.email].sort()
  expect(mails.map(({ recipient }) => recipient).sort()).toEqual(expected)
  expect(mails[0]!.subject).toBe('Ada Stores (test mode): NGN balance is low')
  expect(mails[0]!.reason).toContain('Ada Stores')
})

test('a transfer that waits asks those who may approve it, and not its creator', async () => {
  const creator = await addMember({ role: 'owner', name: 'Ada Obi' })
  const approver = await addMember({ role: 'finance', name: 'Bola Ade' })
  await addMember({ role: 'developer' })
  await shop.post('/v1/test/balances/fund', { asset: 'NGN', amount: 10_000_000 })
  const rule = {
    appliesTo: 'console',
    NGN: { each: 1_000_000, perDay: null },
    USDC: null,
    USDT: null,
  }
  const at = { merchant: merchant.reference }
  const changed = await creator.ask('PATCH', '/v1/settings/approvals', { body: rule, ...at })
  expect(changed.status, changed.text).toBe(200)
  const body = { amount: 2_000_000, bankCode: '058', accountNumber: '0123456789' }
  const { json } = await creator.ask('POST', '/v1/disbursements/bank-transfer', { body, ...at })
  expect(json.data).toMatchObject({ status: 'PENDING' })
  const [request, ...more] = await mailsOf('approval_request')
  expect(more).toEqual([])
  expect(request!.recipient).toBe(approver.email)
  expect(request!.subject).toContain('₦20,000.00')
  expect(textOf(request!)).toContain('account ending in 6789')
  expect(textOf(request!)).not.toContain('0123456789')
})

async function settleTo(accountNumber: string): Promise<string> {
  const environmentId = merchant.environments.test.id
  const account = { environmentId, bankCode: '058', accountNumber, accountName: 'Ada' }
  await db.transaction(async (tx) =>
    makePrimary(tx, await addBankAccount(tx, clock.now(), account), null),
  )
  await shop.post('/v1/test/balances/fund', { asset: 'NGN', amount: 1_000_000 })
  const settled = await shop.post('/v1/settlements', {}, { 'idempotency-key': randomUUID() })
  expect(settled.status, settled.text).toBe(201)
  await pass(10)
  return settled.json.data.reference
}

test('a settlement that arrived is mailed once, and one that failed is not', async () => {
  const owner = await addMember({ role: 'owner' })
  await addMember({ role: 'developer' })
  const failed = await settleTo(findMagicAccount('9900000020')!.number)
  expect((await shop.get(`/v1/settlements/${failed}`)).json.data.status).toBe('FAILED')
  expect(await mailsOf('settlement_paid')).toEqual([])
  const reference = await settleTo('0123456789')
  expect((await shop.get(`/v1/settlements/${reference}`)).json.data.status).toBe('PAID')
  const [paid, ...more] = await mailsOf('settlement_paid')
  expect(more).toEqual([])
  expect(paid!.recipient).toBe(owner.email)
  expect(textOf(paid!)).toContain(reference)
})

test('a disabled webhook endpoint is mailed once to those who can enable it', async () => {
  const developer = await addMember({ role: 'developer' })
  await addMember({ role: 'finance' })
  const environmentId = merchant.environments.test.id
  const { endpoint } = await insertEndpoint(db, environmentId)
  const now = clock.now()
  await emit(db, now, [newEventOf(environmentId), newEventOf(environmentId)])
  await answerAll(db, now, { endpoint, status: 410 })
  const [disabled, ...more] = await mailsOf('webhook_endpoint_disabled')
  expect(more).toEqual([])
  expect(disabled!.recipient).toBe(developer.email)
  expect(textOf(disabled!)).toContain(endpoint.url)
})

test('a sign-in from a new place alerts its user, the first one and a known one do not', async () => {
  const person = await addMember({ role: 'owner' })
  const user = await getUser(db, person.userId)
  const alert = (address: string, browser: string) =>
    db.transaction((tx) => alertOfNewPlace(tx, { now: clock.now(), address, browser }, user))
  // `addPerson` signed in from 127.0.0.1 with the browser "test".
  await alert('127.0.0.1', 'test')
  expect(await mailsOf('sign_in')).toEqual([])
  await alert('203.0.113.7', 'test')
  await alert('127.0.0.1', 'Mozilla/5.0 (Windows NT 10.0) Chrome/131.0 Safari/537')
  const alerts = await mailsOf('sign_in')
  expect(alerts.map(({ recipient }) => recipient)).toEqual([user.email, user.email])
  expect(alerts.map(textOf).join()).toContain('203.0.113.7')
  expect(alerts.map(textOf).join()).toContain('Chrome on Windows')
  await person.ask('PATCH', '/console/session/mail-preferences', {
    body: { kind: 'sign_in', isOn: false },
  })
  await alert('203.0.113.8', 'test')
  expect(await mailsOf('sign_in')).toHaveLength(2)
})

test('operators are alerted once a day for the same thing, and merchants never', async () => {
  const operator = await addPerson(service, { isOperator: true })
  await addMember({ role: 'owner' })
  const differences = [{ kind: 'missing_at_rail', name: 'bt_1', inBooks: '1', atRail: '0' }]
  const found = {
    rail: 'sandbox-bank',
    dueAt: clock.now(),
    differences: differences as Parameters<typeof recordReconciliation>[2]['differences'],
    position: 0n,
  }
  await recordReconciliation(db, clock.now(), found)
  await recordReconciliation(db, clock.now(), found)
  const alert = { name: 'float', subject: 'Too little money', blocks: [], path: '/operator' }
  await alertOnceADay(db, clock.now(), alert)
  await alertOnceADay(db, clock.now(), alert)
  const { email } = operator
  const alerts = await mailsOf('operator_alert')
  expect(alerts.map(({ recipient, subject }) => [recipient, subject]).sort()).toEqual([
    [email, 'Manilla: Books and sandbox-bank differ'],
    [email, 'Manilla: Too little money'],
  ])
  clock.advance(day)
  await alertOnceADay(db, clock.now(), alert)
  expect(await mailsOf('operator_alert')).toHaveLength(3)
})

test('pages of the console are linked if its address is known', async () => {
  const draft = {
    subject: 'A',
    sender: null,
    heading: 'A',
    reason: 'A',
    blocks: [{ type: 'page', label: 'Open', path: '/you' }] as const,
  }
  const complete = (url: string | undefined) =>
    completeDraft({ ...draft, blocks: [...draft.blocks] }, url).blocks
  expect(complete(undefined)).toEqual([])
  const url = 'https://console.example/console/you'
  expect(complete('https://console.example')).toEqual([
    { type: 'button', label: 'Open', url, isSecret: false },
  ])
})
