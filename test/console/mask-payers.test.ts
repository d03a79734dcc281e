import { beforeAll, expect, test } from 'vitest'
import { maskPayers } from '../../src/api/auth/mask-payers.js'
import { composeExample } from '../../src/api/openapi/compose-example.js'
import { exampleOfEvent } from '../../src/api/openapi/event-examples.js'
import { envelope } from '../../src/api/openapi/openapi.js'
import { eventTypes } from '../../src/events/catalogue.js'
import { roles } from '../../src/team/permissions.js'
import { openWithBank, payersOf } from '../support/open-with-bank.js'
import { addPerson } from '../support/people.js'

let service: Awaited<ReturnType<typeof openWithBank>>
beforeAll(async () => {
  service = await openWithBank()
})

/** Values of payers in the examples, and where they may stand: in objects about payers. */
const isPayer = /"(sender|customer|counterparty|destination)":["{]| from ADA OBI/

// Every answer that can hold a payer must be masked, also one that is added later.
test('the examples of every route are masked, and nothing else in them changes', () => {
  const examples = [
    ...service.routes.flatMap(({ operation, answers, method, access }) =>
      method === 'GET' && (access === 'secret' || access === 'any_key')
        ? Object.values(answers).map((data) => [operation, composeExample(envelope(data))] as const)
        : [],
    ),
    ...eventTypes.map((type) => [type, exampleOfEvent(type)] as const),
  ]
  const withPayers: string[] = []
  for (const [operation, example] of examples) {
    const text = JSON.stringify(example)
    const masked = maskPayers(text)
    if (!isPayer.test(text)) {
      expect(masked, operation).toBe(text)
      continue
    }
    withPayers.push(operation)
    expect(masked, operation).not.toMatch(/Ada Obi|ADA OBI|ada@example\.com|Ngozi/i)
    const numbers = [...text.matchAll(/"sender":\{[^}]*"accountNumber":"(\d+)"/g)].map(
      ([, number]) => number!,
    )
    for (const number of numbers) expect(masked, operation).not.toContain(`"${number}"`)
  }
  expect(withPayers).toEqual(
    expect.arrayContaining(['listPayments', 'listCheckoutSessions', 'virtual_account.paid']),
  )
  console.log(`${withPayers.length} of ${examples.length} examples hold payers`)
})

// The payer's name is in a session, a payment, an event, a timeline, a statement and a search hit.
test('only people who may see payers read their names', async () => {
  const shop = payersOf(service, service.merchant)
  const { json } = await shop.post('/v1/checkout/sessions', {
    amount: 1_250_000,
    description: 'Two loaves',
    customer: { name: 'Zainab Okonkwo', email: 'zainab@customers.example' },
    metadata: { customerName: 'Zainab Okonkwo', order: 'Z-1' },
  })
  const { reference } = json.data
  const shown = await service.ask('GET', `/public/checkout/${reference}`)
  const { accountNumber } = shown.json.data.bankTransfer
  const sender = { name: 'ZAINAB OKONKWO', accountNumber: '0987654321' }
  const narration = 'from Zainab'
  await shop.payIn(accountNumber, { amount: 1_250_000, sender, narration })
  const paths = [
    '/v1/collections/payments',
    '/v1/checkout/sessions',
    `/v1/checkout/sessions/${reference}`,
    '/v1/events',
    '/v1/search?q=zainab',
    '/v1/balance-entries?asset=NGN',
  ]
  const [payment] = (await shop.get('/v1/collections/payments')).json.data.items
  paths.push(`/v1/collections/payments/${payment.reference}`, `/v1/timeline/${payment.reference}`)
  const isNamed = /zainab|okonkwo|customers\.example/i
  let isNamedSomewhere = 0
  for (const role of roles) {
    const person = await addPerson(service, { role })
    const maySee = ['owner', 'admin', 'finance', 'support'].includes(role)
    for (const path of paths) {
      const { status, text } = await person.ask('GET', path)
      if (status === 403) continue
      expect(status, path).toBe(200)
      if (maySee && isNamed.test(text)) isNamedSomewhere += 1
      if (!maySee) expect(text, `${role} ${path}`).not.toMatch(isNamed)
      if (!maySee) expect(text).not.toContain(payment.sender.accountNumber)
    }
  }
  expect(isNamedSomewhere).toBeGreaterThan(paths.length)
  const byKey = await shop.get('/v1/collections/payments')
  expect(byKey.text).toMatch(isNamed)
})

test('only people who may see payers read the recipients of claims', async () => {
  const shop = payersOf(service, service.merchant)
  await shop.post('/v1/test/balances/fund', { asset: 'NGN', amount: 10_000_000 })
  const body = {
    amount: 1_250_000,
    description: 'Refund of order 1001',
    recipientName: 'Halima Bello',
    email: 'halima@customers.example',
  }
  const { json } = await shop.post('/v1/claims', body, { 'idempotency-key': 'halima' })
  const { reference } = json.data
  const isNamed = /halima|bello|customers\.example/i
  for (const role of ['finance', 'developer'] as const) {
    const { ask } = await addPerson(service, { role })
    const paths = ['/v1/claims', `/v1/claims/${reference}`, `/v1/events?resource=${reference}`]
    for (const path of paths) {
      const { status, text } = await ask('GET', path)
      expect(status, text).toBe(200)
      expect(isNamed.test(text), `${role} ${path}`).toBe(role === 'finance')
    }
  }
})

// A guessed name that finds a payment is a name that was read.
test('people who may not see payers cannot search for them', async () => {
  const shop = payersOf(service, service.merchant)
  const [payment] = (await shop.get('/v1/collections/payments?q=zainab')).json.data.items
  const [session] = (await shop.get('/v1/checkout/sessions?q=zainab')).json.data.items
  const named = [
    '/v1/collections/payments?q=zainab',
    '/v1/collections/payments?q=0987654321',
    '/v1/checkout/sessions?q=okonkwo',
    '/v1/checkout/sessions?q=zainab@customers.example',
    '/v1/search?q=zainab',
    '/v1/search?q=payer:zainab',
    '/v1/search?q=0987654321',
  ]
  const byOthers = [
    `/v1/collections/payments?q=${payment.reference}`,
    '/v1/collections/payments?minAmount=1250000&maxAmount=1250000',
    `/v1/checkout/sessions?q=${session.reference}`,
    `/v1/search?q=${payment.reference}`,
    '/v1/search?q=amount:12500',
  ]
  const bySender = ['', '/counts'].map((path) => `/v1/collections/payments${path}?sender=zainab`)
  for (const role of ['support', 'developer', 'viewer'] as const) {
    const { ask } = await addPerson(service, { role })
    const count = async (path: string) => (await ask('GET', path)).json.data.items.length
    for (const path of named)
      expect((await count(path)) > 0, `${role} ${path}`).toBe(role === 'support')
    for (const path of byOthers) expect(await count(path), `${role} ${path}`).toBe(1)
    for (const path of bySender)
      expect((await ask('GET', path)).json.reason).toBe(role === 'support' ? undefined : 'role')
  }
})

// Deliveries name payers, so a developer does not choose where those of live mode go.
test('people who may not see payers do not choose where live events are sent', async () => {
  const developer = await addPerson(service, { role: 'developer' })
  const admin = await addPerson(service, { role: 'admin' })
  const path = '/v1/webhook-endpoints'
  const body = { url: 'https://shop.example/webhooks', events: ['payment.*'] }
  expect((await developer.ask('POST', path, { body })).status).toBe(201)
  const refused = await developer.ask('POST', path, { mode: 'live', body })
  expect([refused.status, refused.json.reason]).toEqual([403, 'role'])
  const made = await admin.ask('POST', path, { mode: 'live', body })
  expect(made.status, made.text).toBe(201)
  const change = (given: object) =>
    developer.ask('PATCH', `${path}/${made.json.data.id}`, { mode: 'live', body: given })
  expect((await change({ url: 'https://other.example' })).status).toBe(403)
  expect((await change({ events: ['payment.*'] })).status).toBe(403)
  expect((await change({ enabled: false })).status).toBe(200)
})

// The log masks names by their fields when it is written, but a narration is merchant text too.
test('a body in the request log hides what payers wrote, also one that was cut', () => {
  const whole = '{"sender":{"name":"Z***"},"narration":"from Zainab \\"Z\\" O"}'
  for (const requestBody of [whole, `{"items":[${whole},{"sen`, whole.slice(0, -5)]) {
    const masked = maskPayers(JSON.stringify({ requestBody, responseBody: requestBody }))
    expect(masked).not.toMatch(/Zainab/)
    expect(masked).toMatch(/narration/)
  }
})

// A refund is also read as a payout, and its recipient is the payer.
test('the recipient of a refund is masked, and the members who decide about it are not', () => {
  const approval = { givenBy: [{ name: 'Bola Ade' }] }
  const of = (reference: string) => ({
    reference,
    accountName: 'ADA OBI',
    accountNumber: '0123456789',
    approval,
  })
  const masked = (value: object) => JSON.parse(maskPayers(JSON.stringify(value)))
  expect(masked({ items: [of('rf_1')] })).toEqual({
    items: [{ ...of('rf_1'), accountName: 'A••• O•••', accountNumber: '•••6789' }],
  })
  expect(masked(of('bt_1'))).toEqual(of('bt_1'))
})
