import { afterEach, beforeEach, expect, test } from 'vitest'
import { setFeeSchedule } from '../../src/merchants/settings/fee-schedules.js'
import { openWithBank } from '../support/open-with-bank.js'
import { type Desk, keyed, openDesk } from '../support/payment-desk.js'
import { expectAllProofs } from '../support/sound-books.js'

const service = await openWithBank()
let desk: Desk
beforeEach(async () => {
  desk = await openDesk(service)
})
afterEach(() => expectAllProofs(service.db))

const halfHour = 30 * 60 * 1_000

test('the exact amount is accepted, less its fee', async () => {
  const { reference, accountNumber } = await desk.open()
  const paid = await desk.pay(accountNumber)
  expect(paid).toMatchObject({
    source: 'virtual_account',
    accountReference: reference,
    status: 'ACCEPTED',
    fee: 5_000,
    amount: 500_000,
    amountAccepted: 500_000,
    amountHeld: 0,
    variance: 'NONE',
  })
  const account = await desk.verify(reference)
  expect(account).toMatchObject({
    status: 'PAID',
    variance: 'NONE',
    amountReceived: 500_000,
    amountAccepted: 500_000,
    payments: [paid],
  })
  expect(await desk.sums()).toEqual([495_000, 0, 0])
  expect(await desk.eventTypes(reference)).toEqual(['virtual_account.paid'])
  expect(await desk.lastEventData(reference)).toEqual(account)
  expect(await desk.eventTypes(paid.reference)).toEqual([])
})

/** Prepares an account of ₦5,000 for a payment that does not match. */
const mismatches = {
  UNDERPAID: async () => desk.open(),
  OVERPAID: async () => desk.open(),
  DUPLICATE: async () => {
    const account = await desk.open()
    await desk.pay(account.accountNumber)
    service.clock.advance(1)
    return account
  },
  'LATE by the bank': async () => desk.open(),
  'LATE, expired': async () => {
    const account = await desk.open()
    service.clock.advance(halfHour)
    await service.work()
    return account
  },
  'LATE, cancelled': async () => {
    const account = await desk.open()
    await desk.post(`/v1/collections/virtual-accounts/${account.reference}/cancel`, {})
    return account
  },
}

const policies = {
  UNDERPAID: 'underpayment',
  OVERPAID: 'overpayment',
  DUPLICATE: 'duplicatePayment',
  LATE: 'latePayment',
}
const amounts = { UNDERPAID: 300_000, OVERPAID: 700_000, DUPLICATE: 500_000, LATE: 500_000 }
const places = { return: 'amountReturning', hold: 'amountHeld', accept: 'amountAccepted' }
const names = {
  UNDERPAID: 'underpaid',
  OVERPAID: 'overpaid',
  DUPLICATE: 'duplicate_payment',
  LATE: 'late_payment',
}

/** Earlier events of the account, its status after, and its status after `accept`. */
const ends: Record<keyof typeof mismatches, [string[], string, string]> = {
  UNDERPAID: [[], 'ACTIVE', 'PAID'],
  OVERPAID: [[], 'PAID', 'PAID'],
  DUPLICATE: [['paid'], 'PAID', 'PAID'],
  'LATE by the bank': [[], 'ACTIVE', 'PAID'],
  'LATE, expired': [['expired'], 'EXPIRED', 'PAID'],
  'LATE, cancelled': [['cancelled'], 'CANCELLED', 'CANCELLED'],
}

const cases = (Object.keys(mismatches) as (keyof typeof mismatches)[]).flatMap((mismatch) =>
  (['return', 'hold', 'accept'] as const).map((action) => ({ mismatch, action })),
)

// The policy applies to the whole mismatched payment, or to the excess of an overpayment; the fee is
// 1 % of the accepted amount, and a return costs the merchant nothing.
test.each(cases)('$mismatch, and the policy is to $action', async ({ mismatch, action }) => {
  const variance = mismatch.split(/\W/)[0] as keyof typeof policies
  await desk.setPolicy({ [policies[variance]]: action })
  const account = await mismatches[mismatch]()
  const amount = amounts[variance]
  const isByTime = mismatch === 'LATE by the bank'
  const paid = await desk.pay(account.accountNumber, {
    amount,
    ...(isByTime && { sentAt: account.expiresAt }),
  })

  const due = variance === 'OVERPAID' ? 500_000 : 0
  const rest = amount - due
  const where = { amountAccepted: due, amountHeld: 0, amountReturning: 0, amountReturned: 0 }
  where[places[action] as keyof typeof where] += rest
  const fee = where.amountAccepted / 100
  expect(paid).toMatchObject({ amount, variance, fee, ...where })

  const before = variance === 'DUPLICATE' ? 500_000 : 0
  const [earlier, open, accepted] = ends[mismatch]
  const status = action === 'accept' ? accepted : open
  const isNowPaid = status === 'PAID' && !earlier.includes('paid')
  const shown = await desk.verify(account.reference)
  expect(shown).toMatchObject({
    status,
    variance,
    amountReceived: before + amount,
    ...where,
    amountAccepted: before + where.amountAccepted,
  })
  expect(shown.payments[0]).toEqual(paid)
  expect(await desk.eventTypes(account.reference)).toEqual(
    [...earlier, names[variance], ...(isNowPaid ? ['paid'] : [])].map(
      (n) => `virtual_account.${n}`,
    ),
  )
  expect(await desk.lastEventData(account.reference)).toEqual(shown)

  const available = before * 0.99 + where.amountAccepted - fee
  // Money on its way back is in no balance.
  const pending = action === 'hold' ? rest : 0
  expect(await desk.sums()).toEqual([available, 0, pending])
  const lines = [before, where.amountAccepted].filter(Boolean).flatMap((sum) => [
    ['payment', 'post', sum],
    ['payment_fee', 'post', -sum / 100],
  ])
  expect(await desk.statement()).toEqual(lines)
  expect(await desk.eventTypes(paid.reference)).toEqual(
    { return: ['payment.returning'], hold: ['payment.held'], accept: [] }[action],
  )
  if (action !== 'return') return

  await service.pass(4)
  const back = await desk.payment(paid.reference)
  const gone = { ...where, amountReturning: 0, amountReturned: rest }
  expect(back).toMatchObject({ ...gone, fee, status: due > 0 ? 'ACCEPTED' : 'RETURNED' })
  expect(await desk.eventTypes(paid.reference)).toEqual(['payment.returning', 'payment.returned'])
  expect(await desk.lastEventData(paid.reference)).toEqual(back)
  expect(await desk.verify(account.reference)).toMatchObject({
    status,
    ...gone,
    amountAccepted: before + due,
  })
  expect(await desk.sums()).toEqual([available, 0, 0])
  expect(await desk.statement()).toEqual(lines)
})

test('a payment made in time pays an account that expired before the notice', async () => {
  const { reference, accountNumber, expiresAt } = await desk.open()
  service.clock.advance(halfHour + 60_000)
  await service.work()
  expect(await desk.verify(reference)).toMatchObject({ status: 'EXPIRED', paidAt: null })
  const sentAt = new Date(Date.parse(expiresAt) - 1).toISOString()
  const paid = await desk.pay(accountNumber, { sentAt })
  expect(paid).toMatchObject({ status: 'ACCEPTED', variance: 'NONE', receivedAt: sentAt })
  expect(await desk.verify(reference)).toMatchObject({
    status: 'PAID',
    variance: 'NONE',
    paidAt: service.clock.now().toISOString(),
  })
  expect(await desk.eventTypes(reference)).toEqual([
    'virtual_account.expired',
    'virtual_account.paid',
  ])
})

test('payments are judged one by one: two halves do not make a whole', async () => {
  await desk.setPolicy({ underpayment: 'hold' })
  const { reference, accountNumber } = await desk.open()
  await desk.pay(accountNumber, { amount: 250_000 })
  await desk.pay(accountNumber, { amount: 250_000 })
  expect(await desk.verify(reference)).toMatchObject({ status: 'ACTIVE', amountHeld: 500_000 })
  await desk.pay(accountNumber)
  expect(await desk.verify(reference)).toMatchObject({
    status: 'PAID',
    variance: 'UNDERPAID',
    amountReceived: 1_000_000,
    amountHeld: 500_000,
    amountAccepted: 500_000,
  })
  expect(await desk.sums()).toEqual([495_000, 0, 500_000])
})

test.each([
  { kind: 'virtual', amount: 49, fee: 0 },
  { kind: 'virtual', amount: 50, fee: 1 },
  { kind: 'virtual', amount: 20_000_000, fee: 200_000 },
  { kind: 'virtual', amount: 1_000_000_000, fee: 200_000 },
  { kind: 'dedicated', amount: 2_999_949, fee: 29_999 },
  { kind: 'dedicated', amount: 3_000_050, fee: 30_000 },
  { kind: 'dedicated', amount: 1, fee: 0 },
])('$amount kobo into a $kind account cost $fee', async ({ kind, amount, fee }) => {
  const account =
    kind === 'virtual'
      ? await desk.open({ amount })
      : (await desk.openDedicated('customer-1')).json.data
  const paid = await desk.pay(account.accountNumber, { amount })
  expect(paid).toMatchObject({ source: `${kind}_account`, fee, amountAccepted: amount })
  expect(await desk.sums()).toEqual([amount - fee, 0, 0])
  const reference = account.reference ?? account.accountReference
  expect((await desk.eventTypes(reference)).at(-1)).toBe(
    kind === 'virtual' ? 'virtual_account.paid' : 'dedicated_account.credited',
  )
})

test('a minimum fee never exceeds the accepted amount', async () => {
  const schedule = { flat: 0n, basisPoints: 0, floor: 10_000n, cap: null, tiers: [] }
  const order = {
    environmentId: desk.environmentId,
    operation: 'virtual_account' as const,
    schedule,
  }
  await service.db.transaction((tx) => setFeeSchedule(tx, service.clock.now(), order))
  const { accountNumber } = await desk.open({ amount: 600 })
  const paid = await desk.pay(accountNumber, { amount: 700 })
  expect(paid).toMatchObject({ amountAccepted: 600, amountReturning: 100, fee: 600 })
  expect(await desk.sums()).toEqual([0, 0, 0])
})

test('twenty copies of a test payment are one payment', async () => {
  const { accountNumber } = await desk.open()
  const body = { accountNumber, amount: 500_000, copies: 3 }
  const replies = await Promise.all(
    Array.from({ length: 20 }, () => desk.post('/v1/test/bank-transfers', body, keyed('pay-1'))),
  )
  expect(new Set(replies.map(({ text }) => text)).size).toBe(1)
  expect(replies.map(({ status }) => status)).toEqual(replies.map(() => 201))
  expect(replies.filter(({ headers }) => headers.get('idempotent-replayed')).length).toBe(19)
  expect(await desk.sums()).toEqual([495_000, 0, 0])
  const other = { ...body, amount: 1 }
  const { status, json } = await desk.post('/v1/test/bank-transfers', other, keyed('pay-1'))
  expect([status, json.reason]).toEqual([422, 'idempotency_key_reused'])
  expect(await desk.sums()).toEqual([495_000, 0, 0])
})

test('a list is filtered, newest first and paged', async () => {
  const [first, second] = [await desk.open(), await desk.open()]
  const fixed = (await desk.openDedicated('customer-1')).json.data
  const made: string[] = []
  for (const [{ accountNumber }, amount] of [
    ...([
      [first, 1],
      [first, 500_000],
      [second, 600_000],
      [fixed, 7],
      [fixed, 8],
    ] as const),
  ]) {
    service.clock.advance(1)
    made.unshift((await desk.pay(accountNumber, { amount })).reference)
  }
  const list = async (query: string) => {
    const { json } = await desk.get(`/v1/collections/payments?${query}`)
    return {
      ...json.data,
      found: json.data.items.map((item: { reference: string }) => item.reference),
    }
  }
  const [h, g, o, e, u] = made
  expect((await list('')).found).toEqual([h, g, o, e, u])
  expect((await list('source=dedicated_account')).found).toEqual([h, g])
  expect((await list(`accountReference=${first.reference}`)).found).toEqual([e, u])
  expect((await list('status=RETURNING')).found).toEqual([o, u])
  expect((await list(`status=ACCEPTED&accountReference=${first.reference}`)).found).toEqual([e])
  expect((await list('accountReference=va_nothing')).found).toEqual([])
  expect((await list('status=HELD')).found).toEqual([])
  const one = await list('limit=2')
  const two = await list(`limit=2&cursor=${one.nextCursor}`)
  const three = await list(`limit=2&cursor=${two.nextCursor}`)
  expect([one.found, two.found, three.found]).toEqual([[h, g], [o, e], [u]])
  expect(three.nextCursor).toBeNull()
  expect(one.items[0]).toMatchObject(await desk.payment(h!))
  const { status } = await desk.get('/v1/collections/payments?status=LOST')
  expect(status).toBe(400)
})

test('a payment of another environment is not found', async () => {
  const { accountNumber } = await desk.open()
  const { reference } = await desk.pay(accountNumber, { amount: 600_000 })
  const stranger = await openDesk(service)
  const swap = (text: string, name: string) =>
    text.replaceAll(name, 'pay_x').replace(/"requestId":"[^"]*"/, '')
  const unknown = `pay_${'0'.repeat(26)}`
  const asks = [
    (name: string) => stranger.get(`/v1/collections/payments/${name}`),
    (name: string) => stranger.get(`/v1/collections/payments/${name}/returns`),
    (name: string) => stranger.resolve(name, { action: 'accept' }),
    (name: string) => stranger.refund(name, {}),
  ]
  for (const ask of asks) {
    const [theirs, none] = [await ask(reference), await ask(unknown)]
    expect([theirs.status, none.status]).toEqual([404, 404])
    expect(swap(theirs.text, reference)).toBe(swap(none.text, unknown))
  }
  const key = desk.merchant.live.secret
  const live = await service.ask('GET', `/v1/collections/payments/${reference}`, { key })
  expect(live.status).toBe(404)
  expect((await stranger.get('/v1/collections/payments')).json.data.items).toEqual([])
})
