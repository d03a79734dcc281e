import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Amounts, CollectionAccount, Variance } from '../../src/collections/account.js'
import {
  type Action,
  judgePayment,
  type PaymentFacts,
  type Policy,
  type Verdict,
} from '../../src/collections/judge-payment.js'

type Waiting = Parameters<typeof judgePayment>[0]

const expiresAt = new Date('2026-01-05T09:30:00.000Z')
const endedAt = new Date('2026-01-05T09:10:00.000Z')
const actions: Action[] = ['return', 'accept', 'hold']

/** Around a moment, to the millisecond. */
const moments = ['before', 'at', 'after'] as const
type Moment = (typeof moments)[number]
const around = (time: Date, moment: Moment) =>
  new Date(time.getTime() + { before: -1, at: 0, after: 1 }[moment])

const sizes = { under: 999n, exact: 1_000n, over: 1_001n } as const
type Size = keyof typeof sizes

const policies: Policy[] = cross(actions, actions, actions, actions).map(
  ([underpayment, overpayment, latePayment, duplicatePayment]) => ({
    underpayment,
    overpayment,
    latePayment,
    duplicatePayment,
  }),
)

/** Every combination of one of each. */
function cross<Lists extends readonly unknown[][]>(...lists: Lists) {
  const combined = lists.reduce<unknown[][]>(
    (until, list) => until.flatMap((some) => list.map((one) => [...some, one])),
    [[]],
  )
  return combined as { [Index in keyof Lists]: Lists[Index][number] }[]
}

const said = (value: unknown) =>
  JSON.stringify(value, (_, one) => (typeof one === 'bigint' ? `${one}` : one))

const placesFor: Record<Action, keyof Amounts> = {
  accept: 'amountAccepted',
  hold: 'amountHeld',
  return: 'amountReturning',
}

function split(parts: [bigint, Action][], isReturnable: boolean): Amounts {
  const places = { amountAccepted: 0n, amountHeld: 0n, amountReturning: 0n, amountReturned: 0n }
  for (const [amount, action] of parts) {
    const isStuck = action === 'return' && !isReturnable
    places[placesFor[isStuck ? 'hold' : action]] += amount
  }
  return places
}

type Row = {
  status: CollectionAccount['status'][]
  received: readonly Moment[]
  size: Size[]
  variance: Variance
  /** Which policy decides, or what happens whatever they say. */
  by: keyof Policy | Action
  /** How much of it is accepted before any policy is asked. */
  owed?: bigint
  pays: 'if anything is accepted' | 'never'
}

const anySize: Size[] = ['under', 'exact', 'over']
const open: CollectionAccount['status'][] = ['ACTIVE', 'EXPIRED']
const pays = 'if anything is accepted'

/**
 * What the contract says of accounts that wait for one amount. Received is against the expiry. The
 * status does not tell lateness: an account may be EXPIRED before the notice of a payment in time.
 */
const table: Row[] = [
  ...([
    { status: open, received: ['before'], size: ['exact'], variance: 'NONE', by: 'accept', pays },
    {
      status: open,
      received: ['before'],
      size: ['under'],
      variance: 'UNDERPAID',
      by: 'underpayment',
      pays,
    },
    {
      status: open,
      received: ['before'],
      size: ['over'],
      variance: 'OVERPAID',
      by: 'overpayment',
      owed: 1_000n,
      pays,
    },
    {
      status: open,
      received: ['at', 'after'],
      size: anySize,
      variance: 'LATE',
      by: 'latePayment',
      pays,
    },
    {
      status: ['CANCELLED'],
      received: moments,
      size: anySize,
      variance: 'LATE',
      by: 'latePayment',
      pays: 'never',
    },
    {
      status: ['PAID'],
      received: moments,
      size: anySize,
      variance: 'DUPLICATE',
      by: 'duplicatePayment',
      pays: 'never',
    },
  ] as Row[]),
]

type Case = { account: Waiting; payment: PaymentFacts; policy: Policy }

function compare(wrong: string[], { account, payment, policy }: Case, expected: Verdict): void {
  const verdict = judgePayment(account, payment, policy)
  const sorted = (one: Verdict) => said(Object.entries(one).toSorted())
  if (sorted(verdict) !== sorted(expected))
    wrong.push(`${said({ account, payment, policy })}: ${said(verdict)}, not ${said(expected)}`)
}

// The table above is written from the contract; exactly one row of it speaks of each combination.
test('every payment into a virtual account is judged as the contract says', () => {
  const wrong: string[] = []
  const statuses: CollectionAccount['status'][] = ['ACTIVE', 'EXPIRED', 'CANCELLED', 'PAID']
  const combinations = cross(statuses, [...moments], [...moments], anySize, [true, false])
  let judged = 0
  for (const [status, expiry, ending, size, isReturnable] of combinations) {
    const isCancelled = status === 'CANCELLED'
    // Where it was cancelled, both sides of either moment are tried, whichever came first.
    if (!isCancelled && ending !== 'before') continue
    const receivedAt = around(expiresAt, expiry)
    const cancelledAt = around(receivedAt, ending)
    const rows = table.filter(
      (row) =>
        row.status.includes(status) && row.received.includes(expiry) && row.size.includes(size),
    )
    expect(rows).toHaveLength(1)
    const { variance, by, owed = 0n, pays: paying } = rows[0]!
    const amount = sizes[size]
    for (const policy of policies) {
      const account: Waiting = {
        kind: 'virtual_account',
        status,
        amount: 1_000n,
        expiresAt,
        endedAt: isCancelled ? cancelledAt : null,
      }
      const action = by in policy ? policy[by as keyof Policy] : (by as Action)
      const parts: [bigint, Action][] = [
        [owed, 'accept'],
        [amount - owed, action],
      ]
      const places = split(parts, isReturnable)
      const isNowPaid = paying === pays && places.amountAccepted > 0n
      const payment = { amount, receivedAt, isReturnable }
      compare(wrong, { account, payment, policy }, { ...places, variance, isNowPaid })
      judged += 1
    }
  }
  expect(wrong).toEqual([])
  expect(judged).toBe((3 * 3 + 3 * 3) * 3 * 2 * 81)
})

// No policy is about these: while it is open all money is welcome, afterwards somebody decides.
test('every payment into a dedicated account is judged by when the bank had it', () => {
  const wrong: string[] = []
  const amounts = [1n, ...Object.values(sizes), 9_007_199_254_740_991n]
  const ended = cross([...moments], amounts, [true, false], policies)
  for (const [moment, amount, isReturnable, policy] of ended) {
    const payment = { amount, receivedAt: around(endedAt, moment), isReturnable }
    const account = { kind: 'dedicated_account', amount: null, expiresAt: null } as const
    const accepted = split([[amount, 'accept']], isReturnable)
    const held = split([[amount, 'hold']], isReturnable)
    const inTime: Verdict = { ...accepted, variance: 'NONE', isNowPaid: false }
    const late: Verdict = { ...held, variance: 'LATE', isNowPaid: false }
    const open = { ...account, status: 'ACTIVE', endedAt: null } as const
    const closed = { ...account, status: 'INACTIVE', endedAt } as const
    compare(wrong, { account: open, payment, policy }, inTime)
    compare(wrong, { account: closed, payment, policy }, moment === 'before' ? inTime : late)
  }
  expect(wrong).toEqual([])
})

const time = fc.integer({ min: -100, max: 100 }).map((ms) => new Date(expiresAt.getTime() + ms))
const kobo = fc.oneof(
  fc.bigInt({ min: 1n, max: 5n }),
  fc.bigInt({ min: 1n, max: 9_007_199_254_740_991n }),
)
const action = fc.constantFrom(...actions)
const anyPolicy = fc.record({
  underpayment: action,
  overpayment: action,
  latePayment: action,
  duplicatePayment: action,
})
const virtual: fc.Arbitrary<Waiting> = fc
  .record({
    status: fc.constantFrom('ACTIVE', 'PAID', 'EXPIRED', 'CANCELLED'),
    amount: kobo,
    expiresAt: time,
    cancelledAt: time,
  })
  .map(({ cancelledAt, ...account }) => ({
    kind: 'virtual_account',
    ...account,
    endedAt: account.status === 'CANCELLED' ? cancelledAt : null,
  }))
const dedicated: fc.Arbitrary<Waiting> = fc.option(time).map((ended) => ({
  kind: 'dedicated_account',
  amount: null,
  expiresAt: null,
  endedAt: ended,
  status: ended ? 'INACTIVE' : 'ACTIVE',
}))

test('whatever comes, every kobo is in one place and an account ends as it may', () => {
  const payments = fc.record({ amount: kobo, receivedAt: time, isReturnable: fc.boolean() })
  const holds = fc.property(
    fc.oneof(virtual, dedicated),
    payments,
    anyPolicy,
    (account, payment, policy) => {
      const { isNowPaid, variance, ...places } = judgePayment(account, payment, policy)
      const parts = Object.values(places)
      expect(parts.reduce((sum, part) => sum + part, 0n)).toBe(payment.amount)
      expect(parts.filter((part) => part < 0n || part > payment.amount)).toEqual([])
      expect(places.amountReturned).toBe(0n)
      if (!payment.isReturnable) expect(places.amountReturning).toBe(0n)

      const isOpen =
        account.kind === 'virtual_account' && ['ACTIVE', 'EXPIRED'].includes(account.status)
      expect(isNowPaid).toBe(isOpen && places.amountAccepted > 0n)
      if (account.status === 'CANCELLED') expect([isNowPaid, variance]).toEqual([false, 'LATE'])
      // What was asked for is never sent back or held, where it came in time and in full.
      const isInTime = isOpen && payment.receivedAt < account.expiresAt!
      if (isInTime && payment.amount >= account.amount!)
        expect(places.amountAccepted).toBeGreaterThanOrEqual(account.amount!)
    },
  )
  fc.assert(holds, { numRuns: 2_000 })
})
