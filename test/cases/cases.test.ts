import { randomUUID } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { day, hour } from '../../src/base/clock.js'
import { fromReference, prefixes, toReference } from '../../src/base/ids.js'
import { announceOverdue } from '../../src/cases/announce-overdue.js'
import { caseLimits } from '../../src/cases/limits.js'
import { addKey } from '../support/add-key.js'
import { openShop } from '../support/open-shop.js'
import { openWithBankAndChain } from '../support/open-with-bank-and-chain.js'
import { addPerson } from '../support/people.js'

const service = await openWithBankAndChain({ hasPayouts: true })
const { db, clock, settle } = service
const path = '/v1/cases'
const complaint = { kind: 'COMPLAINT', title: 'Not delivered' }
const wallet = 'FtwG8Lks5Wc3Y5BEVP3e94ZR7vEc8TQe4gtyj5fYdKkQ'

await service.chain.advance(40)

async function openFundedShop() {
  const shop = await openShop(service)
  const { merchant, make, read } = shop
  await make('/v1/test/balances/fund', { asset: 'NGN', amount: 100_000_000 })
  const open = (more: object = {}) => make(path, { ...complaint, ...more })
  const openPayment = async () => {
    const account = await make('/v1/collections/virtual-accounts', {
      merchantReference: randomUUID(),
      amount: 500_000,
    })
    const { accountNumber } = account
    return make('/v1/test/bank-transfers', { accountNumber, amount: 500_000 })
  }
  const openPayout = () =>
    make('/v1/disbursements/bank-transfer', {
      amount: 50_000,
      bankCode: '058',
      accountNumber: '0123456789',
    })
  const eventsOf = async (reference: string) => {
    const { items } = await read(`/v1/events?resource=${reference}&limit=100`)
    return items.toSorted((one: Event, other: Event) => one.sequence - other.sequence) as Event[]
  }
  const typesOf = async (reference: string) =>
    (await eventsOf(reference)).map(({ type }) => type.replace('case.', ''))
  const listed = async (query: string) =>
    (await read(`${path}?${query}`)).items.map(({ reference }: { reference: string }) => reference)
  const join = (
    role: 'owner' | 'finance' | 'developer' | 'support' | 'viewer',
    name = 'Bola Ade',
  ) => addPerson(service, { role, name, merchant: merchant.reference })
  return {
    ...shop,
    open,
    openPayment,
    openPayout,
    eventsOf,
    typesOf,
    listed,
    join,
  }
}

type Event = { type: string; sequence: number; data: Record<string, unknown> }

const after = (ms: number) => new Date(clock.now().getTime() + ms).toISOString()
const referencesOf = (items: { reference: string }[]) => items.map(({ reference }) => reference)

describe('a case', () => {
  test('says what it is about', async () => {
    const { make, read, open, openPayment, openPayout, eventsOf } = await openFundedShop()
    await make('/v1/test/balances/fund', { asset: 'USDC', amount: '100' })
    await service.chain.advance(2)
    const payment = await openPayment()
    const payout = await openPayout()
    const coins = await make('/v1/disbursements/crypto', {
      amount: '2.5',
      asset: 'USDC',
      network: 'SOLANA',
      destinationAddress: wallet,
    })
    const recipient = await make('/v1/recipients', { address: wallet })
    const customer = await make('/v1/customers', { name: 'Ada Obi' })
    const made = await open({
      kind: 'FRAUD',
      description: 'She says:\n"I did not order this".',
      externalReference: 'CBN-17',
      deadline: after(day),
      items: referencesOf([payment, payout, coins, recipient, customer, payment]),
    })
    expect(made).toMatchObject({
      kind: 'FRAUD',
      status: 'OPEN',
      title: 'Not delivered',
      description: 'She says:\n"I did not order this".',
      externalReference: 'CBN-17',
      deadline: expect.stringMatching(/Z$/),
      assignee: null,
      outcome: null,
      outcomeNote: null,
      createdBy: { kind: 'key' },
      closedAt: null,
    })
    expect(made.reference).toMatch(/^case_/)
    expect(made.items).toMatchObject([
      { kind: 'payment', reference: payment.reference, amount: 500_000, asset: 'NGN' },
      { kind: 'bank_transfer', reference: payout.reference, amount: 50_000, status: 'SUBMITTED' },
      { kind: 'crypto_transfer', reference: coins.reference, amount: '2.5', asset: 'USDC' },
      { kind: 'recipient', reference: recipient.reference, amount: null, status: 'ACTIVE' },
      { kind: 'customer', reference: customer.reference, amount: null, status: null },
    ])
    expect(await read(`${path}/${made.reference}`)).toEqual(made)
    expect(await eventsOf(made.reference)).toMatchObject([{ type: 'case.opened', data: made }])

    await settle()
    const { items } = await read(`${path}/${made.reference}`)
    expect(items.map(({ status }: { status: string }) => status)).toEqual([
      'ACCEPTED',
      'COMPLETED',
      'CONFIRMED',
      'ACTIVE',
      null,
    ])
  })

  test('of nothing yet needs a kind and a title', async () => {
    const { ask, open } = await openFundedShop()
    expect(await open()).toMatchObject({ description: null, deadline: null, items: [] })
    const wrong: [string, object][] = [
      ['kind', { title: 'A' }],
      ['kind', { kind: 'THEFT', title: 'A' }],
      ['title', { kind: 'FRAUD' }],
      ['title', { kind: 'FRAUD', title: '' }],
      ['title', { kind: 'FRAUD', title: 'x'.repeat(caseLimits.titleLengthMax + 1) }],
      ['title', { kind: 'FRAUD', title: '  ' }],
      ['description', { ...complaint, description: '' }],
      ['description', { ...complaint, description: ' \n ' }],
      ['deadline', { ...complaint, deadline: after(-hour) }],
      ['deadline', { ...complaint, deadline: 'tomorrow' }],
      ['assignee', { ...complaint, assignee: 'usr_unknown' }],
      ['items', { ...complaint, items: ['va_06dst4m7b0fgv3x0ba9bwrf0yx'] }],
      ['outcome', { ...complaint, outcome: 'UPHELD' }],
    ]
    for (const [field, body] of wrong) {
      const { status, json, text } = await ask('POST', path, body)
      expect([status, json.details?.[0]?.field], text).toEqual([400, field])
    }
  })

  test('is opened once by a repeated request', async () => {
    const { ask, listed } = await openFundedShop()
    const replies = await Promise.all([1, 2].map(() => ask('POST', path, complaint, 'one case')))
    const [made] = replies.flatMap(({ status, json }) => (status === 201 ? [json.data] : []))
    expect((await ask('POST', path, complaint, 'one case')).json.data).toEqual(made)
    expect(await listed('')).toEqual([made.reference])
  })

  test('changes what is sent', async () => {
    const { ask, open, join } = await openFundedShop()
    const colleague = await join('support', 'Emeka Obi')
    const made = await open({ description: 'Old' })
    const where = `${path}/${made.reference}`
    const id = `usr_${'0'.repeat(26)}`
    expect((await ask('PATCH', where, { assignee: id })).json.details[0].field).toBe('assignee')
    const assignee = toReference(prefixes.user, colleague.userId)
    const changes = {
      kind: 'RECALL',
      title: 'Recall of 17 May',
      externalReference: 'R/17',
      deadline: after(day),
      assignee,
    }
    const { json, text } = await ask('PATCH', where, changes)
    expect(json.data, text).toEqual({
      ...made,
      ...changes,
      deadline: json.data.deadline,
      assignee: { id: assignee, name: 'Emeka Obi' },
    })
    expect(new Date(json.data.deadline)).toEqual(new Date(changes.deadline))
    const removed = await ask('PATCH', where, {
      description: null,
      externalReference: null,
      deadline: null,
      assignee: null,
    })
    expect(removed.json.data).toEqual({
      ...made,
      kind: 'RECALL',
      title: 'Recall of 17 May',
      description: null,
    })
    expect((await ask('PATCH', where, { deadline: after(-1) })).status).toBe(400)
    expect((await ask('PATCH', where, { status: 'CLOSED' })).status).toBe(400)
    expect((await ask('PATCH', `${path}/case_unknown`, { title: 'A' })).status).toBe(404)
  })

  test('is not seen by other merchants, nor in the other mode', async () => {
    const { merchant, open } = await openFundedShop()
    const { reference } = await open()
    const other = await openFundedShop()
    const live = { key: merchant.live.secret }
    expect((await service.ask('GET', `${path}/${reference}`, live)).status).toBe(404)
    const bodies: [string, string, object?][] = [
      ['GET', ''],
      ['PATCH', '', { title: 'Ours' }],
      ['POST', '/items', { items: [(await other.openPayment()).reference] }],
      ['POST', '/items/remove', { items: ['pay_x'] }],
      ['POST', '/close', { outcome: 'UPHELD' }],
      ['POST', '/reopen', {}],
    ]
    for (const [method, end, body] of bodies) {
      const reply = await other.ask(method, `${path}/${reference}${end}`, body)
      expect([end, reply.status, reply.json.code]).toEqual([end, 404, 'not_found'])
    }
  })
})

describe('items', () => {
  test('are added once, and removed', async () => {
    const { ask, make, read, open, openPayment, openPayout } = await openFundedShop()
    const [payment, payout] = [await openPayment(), await openPayout()]
    const { reference } = await open()
    const where = `${path}/${reference}/items`
    expect(referencesOf((await make(where, { items: [payment.reference] })).items)).toEqual([
      payment.reference,
    ])
    const both = await make(where, { items: [payout.reference, payment.reference] })
    expect(referencesOf(both.items)).toEqual([payment.reference, payout.reference])
    const removed = await make(`${where}/remove`, { items: [payment.reference] })
    expect(referencesOf(removed.items)).toEqual([payout.reference])
    const again = await ask('POST', `${where}/remove`, { items: [payment.reference] })
    expect([again.status, again.json.message]).toEqual([
      404,
      expect.stringContaining(payment.reference),
    ])
    await make(where, { items: [payment.reference] })
    const { items } = await read(`${path}/${reference}`)
    expect(referencesOf(items)).toEqual([payout.reference, payment.reference])
  })

  test('that do not exist are refused, and none of the others is added', async () => {
    const { ask, read, open, openPayment } = await openFundedShop()
    const other = await openFundedShop()
    const [own, foreign] = [await openPayment(), await other.openPayment()]
    const { reference } = await open()
    const unused = '06dst4m7b0fgv3x0ba9bwrf0yx'
    const crypto = foreign.reference.replace('pay_', 'ct_')
    const unknown = [foreign.reference, `pay_${unused}`, 'pay_x', `rcp_${unused}`, crypto]
    for (const item of unknown) {
      const items = [own.reference, item]
      const reply = await ask('POST', `${path}/${reference}/items`, { items })
      expect([item, reply.status, reply.json.code]).toEqual([item, 404, 'not_found'])
      expect((await ask('POST', path, { ...complaint, items })).status).toBe(404)
    }
    const wrong = await ask('POST', `${path}/${reference}/items`, { items: ['evt_x'] })
    expect([wrong.status, wrong.json.details[0].field]).toEqual([400, 'items'])
    expect((await read(`${path}/${reference}`)).items).toEqual([])
  })

  test('of one kind are not named as another', async () => {
    const { ask, open, openPayout } = await openFundedShop()
    const { reference } = await openPayout()
    const items = [reference.replace('bt_', 'ct_')]
    const reply = await ask('POST', `${path}/${(await open()).reference}/items`, { items })
    expect(reply.status).toBe(404)
  })

  test('are limited, however many requests add them at once', async () => {
    const { ask, make, read, open } = await openFundedShop()
    const customers: string[] = []
    for (let count = 0; count < caseLimits.itemsMax + 2; count += 1)
      customers.push((await make('/v1/customers', { name: `Customer ${count}` })).reference)
    const { reference } = await open({ items: customers.slice(0, -4) })
    const replies = await Promise.all(
      customers
        .slice(-4)
        .map((item) => ask('POST', `${path}/${reference}/items`, { items: [item] })),
    )
    expect(replies.map(({ status }) => status).toSorted()).toEqual([200, 200, 422, 422])
    expect(replies.find(({ status }) => status === 422)!.json).toMatchObject({
      code: 'case_failed',
      reason: 'too_many',
    })
    expect((await read(`${path}/${reference}`)).items).toHaveLength(caseLimits.itemsMax)
  })
})

describe('closing', () => {
  test('needs an outcome, and a note if that is another one', async () => {
    const { ask, open, eventsOf } = await openFundedShop()
    const { reference } = await open()
    const where = `${path}/${reference}/close`
    const blank = { outcome: 'OTHER', outcomeNote: ' \n' }
    for (const body of [
      {},
      { outcome: 'LOST' },
      { outcome: 'OTHER' },
      { outcomeNote: 'Why' },
      blank,
    ])
      expect((await ask('POST', where, body)).status).toBe(400)
    const outcome = { outcome: 'OTHER', outcomeNote: 'Given to the police' }
    const closed = (await ask('POST', where, outcome)).json.data
    expect(closed).toMatchObject({ status: 'CLOSED', ...outcome, closedAt: expect.any(String) })
    expect((await ask('POST', where, outcome)).json.data).toEqual(closed)
    const events = await eventsOf(reference)
    expect(events.map(({ type, sequence }) => [type, sequence])).toEqual([
      ['case.opened', 1],
      ['case.closed', 2],
    ])
    expect(events[1]!.data).toEqual(closed)
  })

  test('keeps the case as it is until it is reopened', async () => {
    const { ask, make, open, openPayment, typesOf } = await openFundedShop()
    const { reference: item } = await openPayment()
    const made = await open({ items: [item] })
    const where = `${path}/${made.reference}`
    await make(`${where}/close`, { outcome: 'UPHELD' })
    const changes: [string, string, object][] = [
      ['PATCH', where, { title: 'Another' }],
      ['POST', `${where}/items`, { items: [(await openPayment()).reference] }],
      ['POST', `${where}/items/remove`, { items: [item] }],
      ['POST', `${where}/close`, { outcome: 'REJECTED' }],
      ['POST', `${where}/close`, { outcome: 'UPHELD', outcomeNote: 'Refunded' }],
    ]
    for (const [method, end, body] of changes) {
      const { status, json } = await ask(method, end, body)
      expect([end, status, json.code, json.reason]).toEqual([
        end,
        409,
        'case_failed',
        'invalid_state',
      ])
      expect(json.message).toContain('closed as UPHELD')
    }
    const reopened = await make(`${where}/reopen`)
    expect(reopened).toEqual(made)
    expect(await make(`${where}/reopen`)).toEqual(reopened)
    await make(`${where}/close`, { outcome: 'REJECTED', outcomeNote: 'It was delivered' })
    expect(await typesOf(made.reference)).toEqual(['opened', 'closed', 'reopened', 'closed'])
  })

  test('at once has one outcome', async () => {
    const { ask, open, typesOf } = await openFundedShop()
    const { reference } = await open()
    const outcomes = ['UPHELD', 'REJECTED', 'UPHELD', 'REJECTED', 'UPHELD', 'REJECTED']
    const replies = await Promise.all(
      outcomes.map((outcome) => ask('POST', `${path}/${reference}/close`, { outcome })),
    )
    const won = new Set(
      replies.flatMap(({ status, json }) => (status === 200 ? [json.data.outcome] : [])),
    )
    expect(won.size).toBe(1)
    expect(replies.filter(({ status }) => status === 409)).toHaveLength(3)
    expect(await typesOf(reference)).toEqual(['opened', 'closed'])
  })

  test('while items are added leaves none in a closed case', async () => {
    const { ask, read, open, openPayment } = await openFundedShop()
    const { reference } = await open()
    const { reference: item } = await openPayment()
    const where = `${path}/${reference}`
    const [, added] = await Promise.all([
      ask('POST', `${where}/close`, { outcome: 'UPHELD' }),
      ask('POST', `${where}/items`, { items: [item] }),
    ])
    expect((await read(where)).items).toHaveLength(added.status === 200 ? 1 : 0)
  })
})

describe('a deadline', () => {
  const announce = () => announceOverdue({ db, mode: 'test' }, clock.now())

  test('that passes is announced once', async () => {
    const { make, read, listed, open, eventsOf, typesOf } = await openFundedShop()
    const { reference } = await open({ deadline: after(hour) })
    const other = await open({ deadline: after(day) })
    const where = `${path}/${reference}`
    await announce()
    expect(await typesOf(reference)).toEqual(['opened'])
    expect(await listed('status=OVERDUE')).toEqual([])
    clock.advance(hour)
    await Promise.all([announce(), announce()])
    await announce()
    expect(await typesOf(reference)).toEqual(['opened', 'overdue'])
    const overdue = await read(where)
    expect(overdue.status).toBe('OVERDUE')
    expect((await eventsOf(reference))[1]!.data).toEqual(overdue)
    expect(await listed('status=OVERDUE')).toEqual([reference])
    expect(await listed('status=OPEN')).toEqual([other.reference, reference])
    expect((await make(`${where}/close`, { outcome: 'UPHELD' })).status).toBe('CLOSED')
    expect(await listed('status=OVERDUE')).toEqual([])
    expect((await make(`${where}/reopen`)).status).toBe('OVERDUE')
    clock.advance(day)
    await announce()
    expect(await typesOf(reference)).toEqual(['opened', 'overdue', 'closed', 'reopened'])
    expect(await typesOf(other.reference)).toEqual(['opened', 'overdue'])
  })

  test('that is moved is announced when the new one passes', async () => {
    const { ask, make, open, typesOf } = await openFundedShop()
    const { reference } = await open({ deadline: after(hour) })
    const where = `${path}/${reference}`
    await ask('PATCH', where, { deadline: after(2 * hour) })
    clock.advance(hour + 1_000)
    await announce()
    expect(await typesOf(reference)).toEqual(['opened'])
    await make(`${where}/close`, { outcome: 'UPHELD' })
    await make(`${where}/reopen`)
    clock.advance(hour)
    await announce()
    expect((await typesOf(reference)).at(-1)).toBe('overdue')
    await ask('PATCH', where, { deadline: after(hour) })
    clock.advance(hour + 1_000)
    await announce()
    expect((await typesOf(reference)).filter((type) => type === 'overdue')).toHaveLength(2)
  })

  test('that was removed or closed in time is not announced', async () => {
    const { ask, make, open, typesOf } = await openFundedShop()
    const [one, other] = [
      await open({ deadline: after(hour) }),
      await open({ deadline: after(hour) }),
    ]
    await ask('PATCH', `${path}/${one.reference}`, { deadline: null })
    await make(`${path}/${other.reference}/close`, { outcome: 'REJECTED' })
    clock.advance(2 * hour)
    await announce()
    expect(await typesOf(one.reference)).toEqual(['opened'])
    expect(await typesOf(other.reference)).toEqual(['opened', 'closed'])
  })

  test('follows the test clock', async () => {
    const { make, read, open, typesOf } = await openFundedShop()
    await make('/v1/test/clock/advance', { seconds: 3_600 })
    const { reference } = await open({ deadline: after(2 * hour) })
    await make('/v1/test/clock/advance', { seconds: 3_500 })
    await announce()
    expect((await read(`${path}/${reference}`)).status).toBe('OPEN')
    await make('/v1/test/clock/advance', { seconds: 200 })
    await announce()
    expect((await read(`${path}/${reference}`)).status).toBe('OVERDUE')
    expect(await typesOf(reference)).toEqual(['opened', 'overdue'])
  })

  test('of a date includes that day in Lagos', async () => {
    const { open } = await openFundedShop()
    expect((await open({ deadline: '2040-02-29' })).deadline).toBe('2040-02-29T23:00:00.000Z')
  })
})

describe('a list', () => {
  test('has filters, which combine', async () => {
    const { ask, make, open, openPayment, openPayout, listed, join } = await openFundedShop()
    const member = await join('finance')
    const [payment, payout] = [await openPayment(), await openPayout()]
    const first = await open({ items: [payment.reference], externalReference: 'B/1' })
    const second = await open({ kind: 'FRAUD', items: referencesOf([payment, payout]) })
    const third = await open({ externalReference: 'B/1' })
    const id = toReference(prefixes.user, member.userId)
    await ask('PATCH', `${path}/${third.reference}`, { assignee: id })
    await make(`${path}/${first.reference}/close`, { outcome: 'UPHELD' })
    const [one, two, three] = referencesOf([first, second, third])
    expect(await listed('')).toEqual([three, two, one])
    expect(await listed('limit=2')).toEqual([three, two])
    expect(await listed('status=OPEN')).toEqual([three, two])
    expect(await listed('status=CLOSED')).toEqual([one])
    expect(await listed('kind=FRAUD')).toEqual([two])
    expect(await listed('kind=COMPLAINT&status=OPEN')).toEqual([three])
    expect(await listed(`item=${payment.reference}`)).toEqual([two, one])
    expect(await listed(`item=${payment.reference}&status=CLOSED`)).toEqual([one])
    expect(await listed(`item=${payout.reference}`)).toEqual([two])
    expect(await listed(`assignee=${id}`)).toEqual([three])
    expect(await listed(`assignee=${id}&status=CLOSED`)).toEqual([])
    expect(await listed('externalReference=B/1')).toEqual([three, one])
    expect(await listed('externalReference=B/1&status=OPEN')).toEqual([three])
    for (const unknown of ['item=pay_x', 'item=va_x', 'assignee=usr_x', 'externalReference=X'])
      expect(await listed(unknown)).toEqual([])
    await make(`${path}/${second.reference}/items/remove`, { items: [payout.reference] })
    expect(await listed(`item=${payout.reference}`)).toEqual([])
    for (const [query, rest] of [
      ['limit=2', [one]],
      [`limit=1&item=${payment.reference}`, [one]],
    ] as const) {
      const page = await ask('GET', `${path}?${query}`)
      expect(await listed(`${query}&cursor=${page.json.data.nextCursor}`)).toEqual(rest)
    }
    expect((await ask('GET', `${path}?status=GONE`)).status).toBe(400)
  })

  test('is exported as CSV', async () => {
    const { key, make, open } = await openFundedShop()
    const { reference } = await open({ externalReference: 'B/1' })
    await make(`${path}/${reference}/close`, { outcome: 'REJECTED', outcomeNote: 'Delivered' })
    const { text } = await service.ask('GET', path, { key, headers: { accept: 'text/csv' } })
    expect(text).toContain('reference,createdAt,kind,status,title')
    expect(text).toContain(reference)
    expect(text).toContain('Delivered')
  })
})

describe('a timeline', () => {
  test('tells what happened to a case', async () => {
    const { make, read, open, openPayment, join } = await openFundedShop()
    const member = await join('support')
    const item = (await openPayment()).reference
    const { reference } = await open()
    const where = `${path}/${reference}`
    await make(`${where}/items`, { items: [item] })
    clock.advance(1)
    await make(`${where}/items/remove`, { items: [item] })
    clock.advance(1)
    const body = { outcome: 'OTHER', outcomeNote: 'Given to the police' }
    await member.ask('POST', `${where}/close`, { body })
    const { items } = await read(`/v1/timeline/${reference}`)
    const story = items.map(({ kind, title }: { kind: string; title: string }) => [kind, title])
    expect(story.toReversed().slice(0, 4)).toEqual([
      ['case_opened', 'Case opened'],
      ['event', 'Event case.opened happened'],
      ['case_item_added', `${item} added`],
      ['case_item_removed', `${item} removed`],
    ])
    // Those of one moment have no order.
    expect(story.slice(0, 3).toSorted()).toEqual([
      ['case_closed', 'Case closed: OTHER'],
      ['event', 'Event case.closed happened'],
      ['member_action', 'Bola Ade closed it'],
    ])
    expect(items.find(({ kind }: { kind: string }) => kind === 'case_closed')).toMatchObject({
      reference,
      details: { status: 'OTHER', note: 'Given to the police' },
    })
    expect((await read('/v1/timeline/case_x'))?.items).toBeUndefined()
  })
})

describe('members', () => {
  test('who may change cases read which are overdue', async () => {
    const { open, join } = await openFundedShop()
    const [support, viewer] = [await join('support'), await join('viewer')]
    const waiting = async (person: typeof support) => {
      const { json } = await person.ask('GET', '/v1/attention')
      return json.data.items.filter(({ kind }: { kind: string }) => kind === 'case_overdue')
    }
    await open()
    const { reference, deadline } = await open({ deadline: after(hour) })
    expect(await waiting(support)).toEqual([])
    clock.advance(hour + 1)
    const alone = { count: 1, since: deadline, subject: reference, link: '/cases?status=OVERDUE' }
    expect(await waiting(support)).toMatchObject([alone])
    expect(await waiting(viewer)).toEqual([])
    await open({ deadline: after(1_000) })
    clock.advance(hour)
    expect(await waiting(support)).toMatchObject([{ count: 2, since: deadline, subject: null }])
  })

  test('change cases as their role allows, and the audit log says so', async () => {
    const { openPayment, join } = await openFundedShop()
    const [support, viewer] = [await join('support'), await join('viewer')]
    const item = (await openPayment()).reference
    const made = await support.ask('POST', path, { body: { ...complaint, items: [item] } })
    expect(made.status, made.text).toBe(201)
    const { reference, createdBy } = made.json.data
    expect(createdBy).toMatchObject({ kind: 'user', name: 'Bola Ade' })
    const where = `${path}/${reference}`
    expect((await viewer.ask('GET', where)).status).toBe(200)
    const calls: [string, string, object][] = [
      ['PATCH', where, { title: 'Another' }],
      ['POST', `${where}/items/remove`, { items: [item] }],
      ['POST', `${where}/items`, { items: [item] }],
      ['POST', `${where}/close`, { outcome: 'UPHELD' }],
      ['POST', `${where}/reopen`, {}],
    ]
    for (const [method, end, body] of calls) {
      clock.advance(1)
      expect((await viewer.ask(method, end, { body })).json, end).toMatchObject({ reason: 'role' })
      const reply = await support.ask(method, end, { body })
      expect(reply.status, reply.text).toBe(200)
    }
    const owner = await join('owner')
    const { items } = (await owner.ask('GET', '/v1/audit-lines')).json.data
    expect(items).toMatchObject([
      { action: 'case.reopen', details: { reference } },
      { action: 'case.close', details: { reference, body: { outcome: 'UPHELD' } } },
      { action: 'case_items.add', details: { reference, body: { items: [item] } } },
      { action: 'case_items.remove', details: { reference, body: { items: [item] } } },
      { action: 'case.change', details: { reference } },
      { action: 'case.create', details: { reference } },
    ])
  })

  test('write notes about a case', async () => {
    const { open, join } = await openFundedShop()
    const author = await join('support')
    const where = `${path}/${(await open()).reference}/notes`
    const written = await author.ask('POST', where, { body: { text: 'Called the bank' } })
    expect(written.status, written.text).toBe(201)
    const { items } = (await (await join('viewer')).ask('GET', where)).json.data
    expect(items).toMatchObject([{ text: 'Called the bank', author: 'Bola Ade' }])
    const unknown = await author.ask('POST', `${path}/case_x/notes`, { body: { text: 'A' } })
    expect(unknown.status).toBe(404)
  })

  test('and keys add only what they may see', async () => {
    const { merchant, make, open, openPayment } = await openFundedShop()
    const item = (await openPayment()).reference
    const customer = (await make('/v1/customers', { name: 'Ada Obi' })).reference
    const { reference } = await open()
    const key = await addKey(service, {
      merchant,
      permissions: ['cases.see', 'cases.change', 'payouts.see'],
    })
    const where = `${path}/${reference}/items`
    for (const [one, needed] of [
      [item, 'payments.see'],
      [customer, 'customers.see'],
    ]) {
      const reply = await service.ask('POST', where, { key, body: { items: [one] } })
      expect([reply.status, reply.json.reason]).toEqual([403, 'key_permission'])
      expect(reply.json.message).toContain(needed)
    }
    const body = { ...complaint, items: [item] }
    expect((await service.ask('POST', path, { key, body })).status).toBe(403)
  })

  test('who left cannot be assigned', async () => {
    const { ask, open, join } = await openFundedShop()
    const gone = await join('support', 'Emeka Obi')
    const id = toReference(prefixes.user, gone.userId)
    const { reference } = await open({ assignee: id })
    await db.rows({
      text: 'update memberships set disabled_at = now() where user_id = $1',
      values: [gone.userId],
    })
    const { status, json } = await ask('PATCH', `${path}/${reference}`, { assignee: id })
    expect([status, json.details[0].field]).toEqual([400, 'assignee'])
    // The case still names who worked on it.
    expect((await ask('GET', `${path}/${reference}`)).json.data.assignee.name).toBe('Emeka Obi')
  })
})

describe('the database', () => {
  test('holds the rules of cases', async () => {
    const { make, open, openPayment, openPayout } = await openFundedShop()
    const [payment, payout] = [await openPayment(), await openPayout()]
    const closed = await open({ items: [payment.reference] })
    await make(`${path}/${closed.reference}/close`, { outcome: 'UPHELD' })
    const { reference } = await open({ items: referencesOf([payment, payout]) })
    await make(`${path}/${reference}/items/remove`, { items: [payout.reference] })
    const id = (named: string) => `'${fromReference(prefixes.case, named)}'`
    const run = (text: string) => db.rows({ text, values: [] })
    const set = (values: string, named = reference) =>
      `update cases set ${values} where id = ${id(named)}`
    const setItem = (values: string, named = reference) =>
      `update case_items set ${values} where case_id = ${id(named)}`
    const add = (columns: string, values: string, named = reference) => `
      insert into case_items (environment_id, id, case_id, added_at, ${columns})
      select environment_id, gen_random_uuid(), ${id(named)}, added_at, ${values}
      from case_items where case_id = ${id(named)} and payment_id is not null`
    const copied = 'environment_id, mode, kind, status, title, created_at, event_sequence'
    const rules: [string, string][] = [
      [set(`mode = 'gone'`), 'cases_are_never_removed'],
      [set(`created_at = now()`), 'cases_are_never_removed'],
      [`delete from cases where id = ${id(reference)}`, 'cases_are_never_removed'],
      [set(`kind = 'THEFT'`), 'case_kind_is_known'],
      [set(`status = 'GONE'`), 'case_status_is_known'],
      [set(`title = ''`), 'case_title_is_short'],
      [set(`title = repeat('x', 201)`), 'case_title_is_short'],
      [set(`description = repeat('x', 2001)`), 'case_description_is_short'],
      [set(`external_reference = ''`), 'case_external_reference_is_short'],
      [set(`outcome = 'LOST', status = 'CLOSED', closed_at = now()`), 'case_outcome_is_known'],
      [set(`status = 'CLOSED'`), 'closed_case_has_its_outcome'],
      [set(`outcome = 'UPHELD'`), 'closed_case_has_its_outcome'],
      [set(`status = 'CLOSED', outcome = 'UPHELD'`), 'closed_case_has_its_outcome'],
      [set(`outcome_note = 'Why'`), 'only_an_outcome_has_a_note'],
      [set(`status = 'CLOSED', outcome = 'OTHER', closed_at = now()`), 'other_outcome_has_a_note'],
      [
        set(`status = 'CLOSED', outcome = 'OTHER', closed_at = now(), outcome_note = ''`),
        'case_outcome_note_is_short',
      ],
      [set('due_at = now()'), 'only_open_deadlines_are_due'],
      [set('event_sequence = 0'), 'case_event_sequence_is_positive'],
      [set('assignee_id = gen_random_uuid()'), 'cases_assignee_id_fkey'],
      [set(`title = 'Another'`, closed.reference), 'closed_cases_are_never_edited'],
      [
        `insert into cases (id, ${copied})
          select gen_random_uuid(), ${copied} from cases where id = ${id(reference)}`,
        'case_has_one_creator',
      ],
      [
        `insert into cases (id, created_by_key, ${copied})
          select gen_random_uuid(), created_by_key, ${copied.replace('mode', `'gone'`)}
          from cases where id = ${id(reference)}`,
        'case_mode_is_known',
      ],
      [add('payment_id', 'payment_id'), 'case_has_an_item_once'],
      [add('payment_id', 'gen_random_uuid()'), 'case_item_is_a_payment'],
      [add('payout_id', 'gen_random_uuid()'), 'case_item_is_a_payout'],
      [add('recipient_id', 'gen_random_uuid()'), 'case_item_is_a_recipient'],
      [add('customer_id', 'gen_random_uuid()'), 'case_item_is_a_customer'],
      [add('payment_id, customer_id', 'payment_id, payment_id'), 'case_item_is_one_resource'],
      [add('payout_id', 'payment_id', closed.reference), 'items_of_closed_cases_stay'],
      [setItem('removed_at = now()', closed.reference), 'items_of_closed_cases_stay'],
      [setItem('payment_id = null'), 'case_items_are_never_edited'],
      ['delete from case_items', 'case_items_are_never_edited'],
      [setItem('removed_at = null'), 'removed_items_stay_removed'],
    ]
    for (const [text, constraint] of rules)
      await expect(run(text), text).rejects.toMatchObject({ constraint })
  })
})
