import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { AttemptState, PayoutStatus } from '../../src/payouts/payout.js'
import {
  type Booked,
  compareBooks,
  findMissingAtRail,
  type RailTransfer,
} from '../../src/payouts/reconciliation/compare-books.js'
import { compareTreasury } from '../../src/payouts/reconciliation/compare-treasury.js'
import type { TreasuryBooks } from '../../src/payouts/reconciliation/treasury-books.js'

const payout = (status: PayoutStatus, ...states: AttemptState[]): Booked => ({
  reference: 'ct_1',
  asset: 'USDC',
  amount: 25_000_000n,
  levy: 0n,
  levyDebits: 'no',
  status,
  attempts: states.map((state, index) => ({ token: `token ${index}`, state })),
})
const decided = (status: PayoutStatus, state: AttemptState): Booked => ({
  ...payout(status),
  attempts: [{ token: 'token 0', state, isDecided: true }],
})
const transfer = (
  state: RailTransfer['state'],
  change: Partial<RailTransfer> = {},
): RailTransfer => ({
  token: 'token 0',
  memo: 'ct_1',
  asset: 'USDC',
  amount: 25_000_000n,
  state,
  ...change,
})
const kindsOf = (booked: Booked[], reported: RailTransfer[]) =>
  compareBooks(booked, reported).map(({ kind }) => kind)

describe('books and rail', () => {
  test.each<[string, Booked, RailTransfer[]]>([
    ['an open payout that was not sent', payout('SUBMITTED', 'LIVE'), []],
    ['an open payout in progress', payout('SUBMITTED', 'LIVE'), [transfer('processing')]],
    ['an open payout that has arrived', payout('SUBMITTED', 'LIVE'), [transfer('completed')]],
    ['an open payout that was reversed', payout('SUBMITTED', 'LIVE'), [transfer('reversed')]],
    ['an open payout that failed', payout('SUBMITTED', 'LIVE'), [transfer('failed')]],
    ['a completed payout', payout('COMPLETED', 'LANDED'), [transfer('completed')]],
    ['a completed payout looked up by token', payout('COMPLETED', 'LANDED'), [transfer('landed')]],
    ['a reversed payout', payout('REVERSED', 'LANDED'), [transfer('reversed')]],
    ['a reversed payout looked up by token', payout('REVERSED', 'LANDED'), [transfer('landed')]],
    ['a failed payout', payout('FAILED', 'FAILED'), [transfer('failed')]],
    ['a refund that failed after it was paid', payout('REVERSED', 'LANDED'), [transfer('failed')]],
    ['a failed payout that was never seen', payout('FAILED', 'DEAD'), []],
    [
      'a transfer that failed and was listed twice',
      payout('FAILED', 'FAILED'),
      [transfer('failed'), transfer('failed')],
    ],
    [
      'a second attempt after one that failed',
      payout('COMPLETED', 'DEAD', 'LANDED'),
      [transfer('failed'), transfer('completed', { token: 'token 1' })],
    ],
    ['a failure that an operator decided', decided('FAILED', 'FAILED'), [transfer('processing')]],
    [
      'a completion that an operator decided',
      decided('COMPLETED', 'LANDED'),
      [transfer('processing')],
    ],
    [
      'an amount that is not reported',
      payout('COMPLETED', 'LANDED'),
      [transfer('completed', { amount: null })],
    ],
  ])('agree on %s', (_, booked, reported) => {
    expect(kindsOf([booked], reported)).toEqual([])
  })

  test.each<[string, Booked[], RailTransfer[], string[]]>([
    [
      'a transfer that the rail made twice',
      [payout('COMPLETED', 'LANDED')],
      [transfer('completed'), transfer('completed')],
      ['not_in_books'],
    ],
    [
      'a second transfer in progress',
      [payout('COMPLETED', 'LANDED')],
      [transfer('completed'), transfer('processing')],
      ['state_differs', 'not_in_books'],
    ],
    [
      'a completed payout unknown to the rail',
      [payout('COMPLETED', 'LANDED')],
      [],
      ['not_at_rail'],
    ],
    ['a reversed payout unknown to the rail', [payout('REVERSED', 'LANDED')], [], ['not_at_rail']],
    ['a completed transfer without a payout', [], [transfer('completed')], ['not_in_books']],
    ['an open transfer without a payout', [], [transfer('processing')], ['not_in_books']],
    [
      'our memo on a transfer that we did not sign',
      [payout('COMPLETED', 'LANDED')],
      [transfer('completed'), transfer('completed', { token: 'another' })],
      ['not_in_books'],
    ],
    [
      'a payout that arrived twice',
      [payout('COMPLETED', 'DEAD', 'LANDED')],
      [transfer('completed'), transfer('completed', { token: 'token 1' })],
      ['state_differs'],
    ],
    [
      'a dead attempt',
      [payout('SUBMITTED', 'DEAD', 'LIVE')],
      [transfer('completed')],
      ['state_differs'],
    ],
    ['a failed payout', [payout('FAILED', 'FAILED')], [transfer('completed')], ['state_differs']],
    [
      'a failed payout that may land',
      [payout('FAILED', 'FAILED')],
      [transfer('processing')],
      ['state_differs'],
    ],
    [
      'a completed payout in progress',
      [payout('COMPLETED', 'LANDED')],
      [transfer('processing')],
      ['state_differs'],
    ],
    [
      'a completed payout that failed',
      [payout('COMPLETED', 'LANDED')],
      [transfer('failed')],
      ['state_differs'],
    ],
    ['a wrong decision', [decided('FAILED', 'FAILED')], [transfer('completed')], ['state_differs']],
    [
      'another wrong decision',
      [decided('COMPLETED', 'LANDED')],
      [transfer('failed')],
      ['state_differs'],
    ],
    [
      'a transfer of unknown state',
      [payout('COMPLETED', 'LANDED')],
      [transfer('unknown')],
      ['not_compared'],
    ],
    [
      'a payout edited by hand',
      [payout('COMPLETED', 'LIVE')],
      [transfer('completed')],
      ['state_differs'],
    ],
    [
      'a completed payout that was reversed',
      [payout('COMPLETED', 'LANDED')],
      [transfer('reversed')],
      ['state_differs'],
    ],
    [
      'a reversed payout that was not',
      [payout('REVERSED', 'LANDED')],
      [transfer('completed')],
      ['state_differs'],
    ],
    [
      'another amount',
      [payout('COMPLETED', 'LANDED')],
      [transfer('completed', { amount: 1n })],
      ['amount_differs'],
    ],
    [
      'another coin',
      [payout('SUBMITTED', 'LIVE')],
      [transfer('completed', { asset: 'USDT' })],
      ['amount_differs'],
    ],
  ])('differ on %s', (_, booked, reported, kinds) => {
    expect(kindsOf(booked, reported)).toEqual(kinds)
  })

  test('a transaction that failed and is not ours moved nothing', () => {
    expect(kindsOf([], [transfer('failed')])).toEqual([])
  })

  test('only completed payouts that the rail did not report are asked for', () => {
    const all = [
      payout('COMPLETED', 'LANDED'),
      payout('SUBMITTED', 'LIVE'),
      payout('FAILED', 'FAILED'),
    ]
    expect(findMissingAtRail(all, [])).toEqual([all[0]])
    expect(findMissingAtRail(all, [transfer('completed')])).toEqual([])
  })
})

describe('the treasury', () => {
  const kinds = [
    'fund',
    'mint',
    'hold',
    'land',
    'settle',
    'release',
    'sweep',
    'arrive',
    'book',
  ] as const
  type Step = { kind: (typeof kinds)[number]; pick: number }
  const step: fc.Arbitrary<Step> = fc.record({
    kind: fc.constantFrom(...kinds),
    pick: fc.nat(50),
  })

  /** Books and chain of a service that makes no mistakes. */
  function createModel() {
    const unminted: bigint[] = []
    const marked: bigint[] = []
    const open: { amount: bigint; hasLanded: boolean }[] = []
    const sweeps: { amount: bigint; hasLanded: boolean }[] = []
    const books = { received: 0n, sent: 0n }
    let chain = 0n
    const act = ({ kind, pick }: Step) => {
      const payout = open[pick % (open.length || 1)]
      const sweep = sweeps[pick % (sweeps.length || 1)]
      const amount = BigInt(pick + 1)
      if (kind === 'fund') {
        books.received += amount
        unminted.push(amount)
        marked.push(amount)
      }
      if (kind === 'mint') {
        // The chain mints first; the row is marked in a later step.
        if (marked.length > unminted.length) marked.shift()
        else chain += unminted.shift() ?? 0n
      }
      if (kind === 'hold') open.push({ amount, hasLanded: false })
      if (kind === 'land' && payout && !payout.hasLanded) {
        payout.hasLanded = true
        chain -= payout.amount
      }
      if (kind === 'settle' && payout?.hasLanded) {
        open.splice(open.indexOf(payout), 1)
        books.sent += payout.amount
      }
      if (kind === 'release' && payout && !payout.hasLanded) open.splice(open.indexOf(payout), 1)
      if (kind === 'sweep') sweeps.push({ amount, hasLanded: false })
      if (kind === 'arrive' && sweep && !sweep.hasLanded) {
        sweep.hasLanded = true
        chain += sweep.amount
      }
      if (kind === 'book' && sweep?.hasLanded) {
        sweeps.splice(sweeps.indexOf(sweep), 1)
        books.received += sweep.amount
      }
    }
    const sum = (amounts: bigint[]) => amounts.reduce((total, amount) => total + amount, 0n)
    const read = (): TreasuryBooks => ({
      ...books,
      unminted: sum(marked),
      reserved: sum(open.map(({ amount }) => amount)),
    })
    const arriving = () => sum(sweeps.map(({ amount }) => amount))
    return { act, read, arriving, chain: () => chain }
  }

  // The readings may be minutes apart: what happens in between must not count as a difference.
  test('agrees at any moment, whatever is in progress', () => {
    const steps = fc.array(step, { maxLength: 60 })
    fc.assert(
      fc.property(steps, steps, steps, steps, (first, between, next, last) => {
        const model = createModel()
        first.forEach(model.act)
        const before = model.read()
        between.forEach(model.act)
        const held = model.chain()
        next.forEach(model.act)
        const arriving = model.arriving()
        last.forEach(model.act)
        const after = model.read()
        expect(compareTreasury('USDC', held, { before, after, arriving })).toEqual([])
      }),
      { numRuns: 2_000 },
    )
  })

  // With nothing in progress, a difference of one unit is found.
  test('differs by the smallest unit', () => {
    const steps = fc.array(step, { maxLength: 60 })
    fc.assert(
      fc.property(steps, fc.constantFrom(-1n, 1n), (before, error) => {
        const model = createModel()
        before.forEach(model.act)
        for (let round = 0; round < 200; round += 1)
          for (const kind of ['mint', 'land', 'settle', 'arrive', 'book'] as const)
            model.act({ kind, pick: 0 })
        const books = model.read()
        const both = { before: books, after: books, arriving: model.arriving() }
        expect(compareTreasury('USDC', model.chain(), both)).toEqual([])
        const found = compareTreasury('USDC', model.chain() + error, both)
        expect(found.map(({ kind, name }) => [kind, name])).toEqual([['treasury_differs', 'USDC']])
      }),
    )
  })
})
