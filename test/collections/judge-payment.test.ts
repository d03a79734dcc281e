import fc from 'fast-check'
import { expect, test } from 'vitest'
import type {
  Amounts,
  CollectionAccount,
  Variance,
} from '../../src/collections/accounts/account.js'
import {
  type Action,
  judgePayment,
  type PaymentFacts,
  type Policy,
  type Verdict,
} from '../../src/collections/payments/judge-payment.js'

type AccountFacts = Parameters<typeof judgePayment>[0]

const expiresAt = new Date('2026-01-05T09:30:00.000Z')
const endedAt = new Date('2026-01-05T09:10:00.000Z')
const actions: Action[] = ['return', 'accept', 'hold']

/** One millisecond around a time. */
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

/** The cartesian product. */
function cross<Lists extends readonly unknown[][]>(...lists: Lists) {
  const combined = lists.reduce<unknown[][]>(
    (until, list) => until.flatMap((some) => list.map((one) => [...some, one])),
    [[]],
  )
  return combined as { [Index in keyof Lists]: Lists[Index][number] }[]
}

const show = (value: unknown) =>
  JSON.stringify(value, (_, one) => (typeof one === 'bigint' ? `${one}` : one))

const amountFor: Record<Action, keyof Amounts> = {
  accept: 'amountAccepted',
  hold: 'amountHeld',
  return: 'amountReturning',
}

function split(parts: [bigint, Action][], isReturnable: boolean): Amounts {
  const amounts = { amountAccepted: 0n, amountHeld: 0n, amountReturning: 0n, amountReturned: 0n }
  for (const [amount, action] of parts) {
    const isStuck = action === 'return' && !isReturnable
    amounts[amountFor[isStuck ? 'hold' : action]] += amount
  }
  return amounts
}

type Row = {
  status: CollectionAccount['status'][]
  received: readonly Moment[]
  size: Size[]
  variance: Variance
  /** The policy that decides, or a fixed action. */
  by: keyof Policy | Action
  /** How much is accepted regardless of policy. */
  owed?: bigint
  pays: 'if anything is accepted' | 'never'
}

const anySize: Size[] = ['under', 'exact', 'over']
const open: CollectionAccount['status'][] = ['ACTIVE', 'EXPIRED']
const pays = 'if anything is accepted'

/**
 * The contract for accounts that expect one amount. `received` is relative to the expiry. The status
 * does not decide lateness: the notice of a payment in time may arrive after an account EXPIRED.
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

/** Of an account that was not opened for an invoice. */
const withoutInvoice = { invoiceId: null, amountAccepted: 0n } as const

type Case = { account: AccountFacts; payment: PaymentFacts; policy: Policy }

function compare(wrong: string[], { account, payment, policy }: Case, expected: Verdict): void {
  const verdict = judgePayment(account, payment, policy)
  const sorted = (one: Verdict) => show(Object.entries(one).toSorted())
  if (sorted(verdict) !== sorted(expected))
    wrong.push(`${show({ account, payment, policy })}: ${show(verdict)}, not ${show(expected)}`)
}

// The table above is written from the contract; exactly one row covers each combination.
test('payments into a virtual account are judged by the contract', () => {
  const wrong: string[] = []
  const statuses: CollectionAccount['status'][] = ['ACTIVE', 'EXPIRED', 'CANCELLED', 'PAID']
  const combinations = cross(statuses, [...moments], [...moments], anySize, [true, false])
  let judged = 0
  for (const [status, expiry, ending, size, isReturnable] of combinations) {
    const isCancelled = status === 'CANCELLED'
    // Cancelled accounts are tested on both sides of both times.
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
      const account: AccountFacts = {
        kind: 'virtual_account',
        ...withoutInvoice,
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
      const amounts = split(parts, isReturnable)
      const isNowPaid = paying === pays && amounts.amountAccepted > 0n
      const payment = { amount, receivedAt, isReturnable }
      compare(wrong, { account, payment, policy }, { ...amounts, variance, isNowPaid })
      judged += 1
    }
  }
  expect(wrong).toEqual([])
  expect(judged).toBe((3 * 3 + 3 * 3) * 3 * 2 * 81)
})

// No policy applies: an open account accepts everything; afterwards the money is held.
test('payments into a dedicated account are judged by when the bank received them', () => {
  const wrong: string[] = []
  const amounts = [1n, ...Object.values(sizes), 9_007_199_254_740_991n]
  const ended = cross([...moments], amounts, [true, false], policies)
  for (const [moment, amount, isReturnable, policy] of ended) {
    const payment = { amount, receivedAt: around(endedAt, moment), isReturnable }
    const account = {
      kind: 'dedicated_account',
      ...withoutInvoice,
      amount: null,
      expiresAt: null,
    } as const
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

// No policy applies: whatever arrives, and whenever, pays the invoice or is credit of the customer.
test('payments into an account of an invoice are all accepted, and pay it once they cover it', () => {
  const wrong: string[] = []
  const statuses: CollectionAccount['status'][] = ['ACTIVE', 'EXPIRED', 'CANCELLED', 'PAID']
  const earlier = [0n, 400n, 999n]
  const sent = [1n, 600n, 999n, 1_000n, 1_001n]
  const all = cross(statuses, [...moments], earlier, sent, [true, false], policies)
  for (const [status, moment, amountAccepted, amount, isReturnable, policy] of all) {
    const account: AccountFacts = {
      kind: 'virtual_account',
      invoiceId: 'b0c1',
      status,
      amount: 1_000n,
      amountAccepted,
      expiresAt,
      endedAt: status === 'CANCELLED' ? endedAt : null,
    }
    const payment = { amount, receivedAt: around(expiresAt, moment), isReturnable }
    const isLate = status === 'CANCELLED' || moment !== 'before'
    const missing = 1_000n - amountAccepted
    const inTime = amount === missing ? 'NONE' : amount < missing ? 'UNDERPAID' : 'OVERPAID'
    compare(
      wrong,
      { account, payment, policy },
      {
        ...split([[amount, 'accept']], isReturnable),
        variance: status === 'PAID' ? 'DUPLICATE' : isLate ? 'LATE' : inTime,
        isNowPaid: (status === 'ACTIVE' || status === 'EXPIRED') && amount >= missing,
      },
    )
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
const virtual: fc.Arbitrary<AccountFacts> = fc
  .record({
    status: fc.constantFrom('ACTIVE', 'PAID', 'EXPIRED', 'CANCELLED'),
    amount: kobo,
    amountAccepted: kobo,
    expiresAt: time,
    cancelledAt: time,
  })
  .map(({ cancelledAt, ...account }) => ({
    kind: 'virtual_account',
    invoiceId: null,
    ...account,
    endedAt: account.status === 'CANCELLED' ? cancelledAt : null,
  }))
const dedicated: fc.Arbitrary<AccountFacts> = fc.option(time).map((ended) => ({
  kind: 'dedicated_account',
  ...withoutInvoice,
  amount: null,
  expiresAt: null,
  endedAt: ended,
  status: ended ? 'INACTIVE' : 'ACTIVE',
}))

test('for any payment, the amounts add up and only open accounts are paid', () => {
  const payments = fc.record({ amount: kobo, receivedAt: time, isReturnable: fc.boolean() })
  const holds = fc.property(
    fc.oneof(virtual, dedicated),
    payments,
    anyPolicy,
    (account, payment, policy) => {
      const { isNowPaid, variance, ...amounts } = judgePayment(account, payment, policy)
      const parts = Object.values(amounts)
      expect(parts.reduce((sum, part) => sum + part, 0n)).toBe(payment.amount)
      expect(parts.filter((part) => part < 0n || part > payment.amount)).toEqual([])
      expect(amounts.amountReturned).toBe(0n)
      if (!payment.isReturnable) expect(amounts.amountReturning).toBe(0n)

      const isOpen =
        account.kind === 'virtual_account' && ['ACTIVE', 'EXPIRED'].includes(account.status)
      expect(isNowPaid).toBe(isOpen && amounts.amountAccepted > 0n)
      if (account.status === 'CANCELLED') expect([isNowPaid, variance]).toEqual([false, 'LATE'])
      // The requested amount is always accepted if it arrives in time and in full.
      const isInTime = isOpen && payment.receivedAt < account.expiresAt!
      if (isInTime && payment.amount >= account.amount!)
        expect(amounts.amountAccepted).toBeGreaterThanOrEqual(account.amount!)
    },
  )
  fc.assert(holds, { numRuns: 2_000 })
})

test('a payment that is held for screening is held whole, whatever the policies', () => {
  const payments = fc.record({ amount: kobo, receivedAt: time, isReturnable: fc.boolean() })
  const holds = fc.property(
    fc.oneof(virtual, dedicated),
    payments,
    anyPolicy,
    (account, payment, policy) => {
      const screened = { ...payment, isHeldForScreening: true }
      expect(judgePayment(account, screened, policy)).toEqual({
        variance: judgePayment(account, payment, policy).variance,
        isNowPaid: false,
        amountAccepted: 0n,
        amountHeld: payment.amount,
        amountReturning: 0n,
        amountReturned: 0n,
      })
    },
  )
  fc.assert(holds, { numRuns: 500 })
})
