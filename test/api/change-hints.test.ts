import { setTimeout as sleep } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { hour } from '../../src/base/clock.js'
import { prefixes, toReference } from '../../src/base/ids.js'
import { addBankAccount, usableFromFor } from '../../src/merchants/settings/bank-accounts.js'
import { sql } from '../../src/postgres/sql.js'
import { openWithBank, payersOf } from '../support/open-with-bank.js'
import { addPerson, type Person } from '../support/people.js'

const service = await openWithBank()
const { db, merchant } = service
const payers = payersOf(service, merchant)
const { accountNumber } = (await payers.openDedicated('customer-1')).json.data
const owner = await addPerson(service, { role: 'owner' })
const developer = await addPerson(service, { role: 'developer' })

/** Follows the stream; `next` resolves with the topics of the next hint, or null at its end. */
async function follow({ cookie }: Person) {
  const stopping = new AbortController()
  onTestFinished(() => stopping.abort())
  const headers = { cookie, 'manilla-merchant': merchant.reference, 'manilla-mode': 'test' }
  const response = await fetch(`${service.url}/v1/stream`, { headers, signal: stopping.signal })
  expect(response.headers.get('content-type')).toContain('text/event-stream')
  const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader()
  let text = ''
  const next = async (): Promise<string[] | null> => {
    for (;;) {
      const [frame, ...rest] = text.split('\n\n')
      if (rest.length === 0) {
        const { value, done } = await reader.read()
        if (done) return null
        text += value
        continue
      }
      text = rest.join('\n\n')
      const data = /^event: changed\ndata: (.*)$/.exec(frame!)?.[1]
      if (data) return JSON.parse(data).topics
    }
  }
  return { next, stop: () => stopping.abort() }
}

const payments = async () =>
  Number((await db.rows(sql<{ n: bigint }>`select count(*) as n from payments`))[0]!.n)

/** Pays and returns when the payment was committed. */
async function pay(): Promise<number> {
  service.clock.advance(10)
  const before = await payments()
  await payers.payIn(accountNumber, { amount: 1_000_000 })
  while ((await payments()) === before) await sleep(2)
  return performance.now()
}

// HINTS=50 measures: prints the time from the commit of a payment to its hint.
test('a payment is hinted at to every open console of the environment', async () => {
  const [first, second] = [await follow(owner), await follow(developer)]
  const times: number[] = []
  for (let count = 0; count < Number(process.env.HINTS ?? 1); count += 1) {
    const hinted = Promise.all([
      untilTopics(first, ['payments', 'balances']),
      // A developer does not see balances.
      untilTopics(second, ['payments'], ['balances']),
    ])
    const committedAt = await pay()
    await hinted
    times.push(performance.now() - committedAt)
  }
  times.sort((left, right) => left - right)
  const at = (share: number) => times[Math.ceil(times.length * share) - 1]!.toFixed(0)
  if (process.env.HINTS)
    console.log(`${times.length} payments: median ${at(0.5)} ms, p95 ${at(0.95)} ms`)
})

async function untilTopics(
  { next }: Awaited<ReturnType<typeof follow>>,
  wanted: string[],
  unseen: string[] = [],
): Promise<void> {
  for (;;) {
    const topics = await next()
    if (topics === null) throw new Error('the stream ended')
    expect(topics.filter((topic) => unseen.includes(topic))).toEqual([])
    if (wanted.every((topic) => topics.includes(topic))) return
  }
}

test('a moved test clock is hinted at', async () => {
  const stream = await follow(developer)
  const hinted = untilTopics(stream, ['clock'])
  const moved = await owner.ask('POST', '/v1/test/clock/advance', { body: { seconds: 60 } })
  expect(moved.status, moved.text).toBe(200)
  await hinted
})

test('a freeze and who asks to thaw it are hinted at', async () => {
  const stream = await follow(developer)
  const body = { kind: 'merchant', reason: 'Two laptops are stolen' }
  const made = await owner.ask('POST', '/v1/freezes', { body })
  expect(made.status, made.text).toBe(201)
  await untilTopics(stream, ['payouts'])
  await owner.ask('POST', `/v1/freezes/${made.json.data.id}/thaw`)
  await untilTopics(stream, ['payouts'])
  const other = await addPerson(service, { role: 'admin' })
  const thawed = await other.ask('POST', `/v1/freezes/${made.json.data.id}/thaw`)
  expect(thawed.json.data.thawedAt).not.toBeNull()
  await untilTopics(stream, ['payouts'])
})

test('every change of a case, and of its notes, is hinted at', async () => {
  const stream = await follow(developer)
  const ask = async (method: string, path: string, body?: object) => {
    const reply = await owner.ask(method, path, body && { body })
    expect(reply.status, reply.text).toBeLessThan(300)
    return reply.json.data
  }
  const hintsOf = async (topic: string, method: string, path: string, body?: object) => {
    const hinted = untilTopics(stream, [topic])
    const data = await ask(method, path, body)
    await hinted
    return data
  }
  const of = (body: object) => hintsOf('cases', 'POST', '/v1/cases', body)
  const { reference } = await of({ kind: 'FRAUD', title: 'Did not order' })
  const path = `/v1/cases/${reference}`
  await hintsOf('cases', 'PATCH', path, { deadline: '2030-01-01T00:00:00.000Z' })
  await hintsOf('cases', 'PATCH', path, { assignee: toReference(prefixes.user, owner.userId) })
  const [payment] = (await ask('GET', '/v1/collections/payments')).items
  await hintsOf('cases', 'POST', `${path}/items`, { items: [payment.reference] })
  await hintsOf('cases', 'POST', `${path}/items/remove`, { items: [payment.reference] })
  const note = await hintsOf('notes', 'POST', `${path}/notes`, { text: 'She called again.' })
  await hintsOf('notes', 'POST', `${path}/notes/${note.reference}/withdraw`)
  await hintsOf('cases', 'POST', `${path}/close`, { outcome: 'UPHELD' })
  await hintsOf('cases', 'POST', `${path}/reopen`)
})

test('a payout is hinted at, requests of consoles are not, and signing out ends the stream', async () => {
  const { next } = await follow(owner)
  // Its own requests would make an open request log read itself without end.
  service.clock.advance(1_000)
  for (let count = 0; count < 3; count += 1) await owner.ask('GET', '/v1/balances')
  const paid = await payers.post(
    '/v1/disbursements/bank-transfer',
    {
      amount: 500,
      bankCode: '058',
      accountNumber: '0123456789',
    },
    { 'idempotency-key': 'hinted' },
  )
  expect(paid.status, paid.text).toBe(201)
  const seen = new Set<string>()
  while (!seen.has('payouts') || !seen.has('requests'))
    for (const topic of (await next()) ?? ['end']) seen.add(topic)
  expect(seen).not.toContain('deliveries')
  expect(seen).not.toContain('end')
  await owner.ask('DELETE', '/console/session')
  while ((await next()) !== null);
})

test('what waits is listed for those who can do something about it', async () => {
  const finance = await addPerson(service, { role: 'finance', hasSecondFactor: false })
  const listed = async (person: Person, mode: 'test' | 'live' = 'test') =>
    (await person.ask('GET', '/v1/attention', { mode })).json.data.items
  expect(await listed(developer)).toEqual([])
  await payers.patch('/v1/settings', { policies: { bank: { overpayment: 'hold' } } })
  const { accountNumber: number } = (await payers.openVirtual()).json.data
  await payers.payIn(number, { amount: 507_000 })
  await service.pass(1)
  await db.rows(sql`insert into low_balances
    values (${merchant.environments.test.id}, 'NGN', true, 1, now())`)
  const { id } = (await payers.post('/v1/webhook-endpoints', { url: 'https://shop.example' })).json
    .data
  await db.rows(sql`update webhook_endpoints set failing_since = now()`)
  expect(id).toBeDefined()
  const ofFinance = await listed(finance)
  expect(ofFinance).toMatchObject([
    { kind: 'held_payment', count: 1, amounts: { NGN: 7_000 }, link: '/payments?status=HELD' },
    { kind: 'low_balance', count: 1, link: '/balances' },
    { kind: 'second_factor', link: '/you' },
  ])
  expect(ofFinance[1].amounts.NGN).toBeGreaterThan(0)
  // A developer may pay in test mode, and does not see balances.
  expect((await listed(developer)).map(({ kind }: { kind: string }) => kind)).toEqual([
    'held_payment',
    'endpoint_failing',
  ])
  const admin = await addPerson(service, { role: 'admin' })
  expect(await listed(admin, 'live')).toMatchObject([{ kind: 'kyc', subject: 'NONE' }])
  // Settlements to it wait, so that a member who does not know it can object.
  const added = await db.transaction((tx) =>
    addBankAccount(tx, service.clock.now(), {
      environmentId: merchant.environments.live.id,
      bankCode: '058',
      accountNumber: '0123456789',
      accountName: 'ADA STORES',
      usableFrom: usableFromFor(service.clock.now(), 'live'),
    }),
  )
  expect(added.isActive).toBe(true)
  const waiting = { kind: 'bank_account_waiting', subject: '0123456789' }
  expect(await listed(admin, 'live')).toMatchObject([waiting, { kind: 'kyc' }])
  expect(await listed(developer, 'live')).toEqual([])
  service.clock.advance(25 * hour)
  const later = await addPerson(service, { role: 'admin' })
  expect(await listed(later, 'live')).toMatchObject([{ kind: 'kyc' }])
})

test('payouts and rules of others wait for approval, and timelines name who decided', async () => {
  const [first, second] = [
    await addPerson(service, { role: 'owner', name: 'Ada Obi' }),
    await addPerson(service, { role: 'owner', name: 'Bola Ade' }),
  ]
  const approvals = async (person: Person) => {
    const { items } = (await person.ask('GET', '/v1/attention')).json.data
    return items.filter(({ kind }: { kind: string }) => kind === 'approval')
  }
  const rule = (each: number) => ({
    body: { NGN: { each, perDay: null }, USDC: null, USDT: null, appliesTo: 'console' },
  })
  expect((await first.ask('PATCH', '/v1/settings/approvals', rule(100))).status).toBe(200)
  const body = { amount: 20_000, bankCode: '058', accountNumber: '0123456789' }
  const made = await first.ask('POST', '/v1/disbursements/bank-transfer', { body })
  expect(made.json.data, made.text).toMatchObject({ status: 'PENDING' })
  await first.ask('PATCH', '/v1/settings/approvals', rule(200_000))
  expect(await approvals(first)).toEqual([])
  expect(await approvals(second)).toMatchObject([
    { count: 1, amounts: { NGN: 20_000 }, link: '/payouts?status=PENDING' },
    { count: 1, subject: 'approval rule', link: '/settings' },
  ])

  const { items } = (await payers.get('/v1/collections/payments?status=HELD')).json.data
  const { reference } = items[0]
  const path = `/v1/collections/payments/${reference}/resolve`
  expect((await second.ask('POST', path, { body: { action: 'accept' } })).status).toBe(200)
  const timeline = (await payers.get(`/v1/timeline/${reference}`)).json.data.items
  expect(timeline.map(({ title }: { title: string }) => title)).toContain('Bola Ade decided it')
})
