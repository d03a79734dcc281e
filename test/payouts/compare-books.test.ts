import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  type Booked,
  type Carried,
  compareBooks,
  findUnseen,
} from '../../src/payouts/compare-books.js'
import { compareTreasury } from '../../src/payouts/compare-treasury.js'
import type { AttemptState, PayoutStatus } from '../../src/payouts/payout.js'
import type { TreasuryBooks } from '../../src/payouts/treasury-books.js'

const payout = (status: PayoutStatus, ...states: AttemptState[]): Booked => ({
  reference: 'ct_1',
  asset: 'USDC',
  amount: 25_000_000n,
  status,
  attempts: states.map((state, index) => ({ token: `token ${index}`, state })),
})
const decided = (status: PayoutStatus, state: AttemptState): Booked => ({
  ...payout(status),
  attempts: [{ token: 'token 0', state, isDecided: true }],
})
const order = (state: Carried['state'], change: Partial<Carried> = {}): Carried => ({
  token: 'token 0',
  memo: 'ct_1',
  asset: 'USDC',
  amount: 25_000_000n,
  state,
  ...change,
})
const kindsOf = (booked: Booked[], carried: Carried[]) =>
  compareBooks(booked, carried).map(({ kind }) => kind)

describe('books and rail', () => {
  test.each<[string, Booked, Carried[]]>([
    ['an open payout that has not left', payout('SUBMITTED', 'LIVE'), []],
    ['an open payout that is under way', payout('SUBMITTED', 'LIVE'), [order('processing')]],
    ['an open payout that has arrived', payout('SUBMITTED', 'LIVE'), [order('completed')]],
    ['an open payout that came back', payout('SUBMITTED', 'LIVE'), [order('reversed')]],
    ['an open payout that failed', payout('SUBMITTED', 'LIVE'), [order('failed')]],
    ['a completed payout', payout('COMPLETED', 'LANDED'), [order('completed')]],
    ['a completed payout asked for', payout('COMPLETED', 'LANDED'), [order('landed')]],
    ['a reversed payout', payout('REVERSED', 'LANDED'), [order('reversed')]],
    ['a reversed payout asked for', payout('REVERSED', 'LANDED'), [order('landed')]],
    ['a failed payout', payout('FAILED', 'FAILED'), [order('failed')]],
    ['a failed payout that was never seen', payout('FAILED', 'DEAD'), []],
    [
      'a second attempt after one that failed',
      payout('COMPLETED', 'DEAD', 'LANDED'),
      [order('failed'), order('completed', { token: 'token 1' })],
    ],
    ['a failure that a person decided', decided('FAILED', 'FAILED'), [order('processing')]],
    ['an arrival that a person decided', decided('COMPLETED', 'LANDED'), [order('processing')]],
    ['what is not told', payout('COMPLETED', 'LANDED'), [order('completed', { amount: null })]],
  ])('agree on %s', (_, booked, carried) => {
    expect(kindsOf([booked], carried)).toEqual([])
  })

  test.each<[string, Booked[], Carried[], string[]]>([
    ['a completed payout nobody carried', [payout('COMPLETED', 'LANDED')], [], ['not_at_rail']],
    ['a reversed payout nobody carried', [payout('REVERSED', 'LANDED')], [], ['not_at_rail']],
    ['money that nobody ordered', [], [order('completed')], ['not_in_books']],
    ['an order that nobody gave', [], [order('processing')], ['not_in_books']],
    [
      'our memo on what we did not sign',
      [payout('COMPLETED', 'LANDED')],
      [order('completed'), order('completed', { token: 'another' })],
      ['not_in_books'],
    ],
    [
      'a payout that arrived twice',
      [payout('COMPLETED', 'DEAD', 'LANDED')],
      [order('completed'), order('completed', { token: 'token 1' })],
      ['state_differs'],
    ],
    [
      'a dead attempt',
      [payout('SUBMITTED', 'DEAD', 'LIVE')],
      [order('completed')],
      ['state_differs'],
    ],
    ['a failed payout', [payout('FAILED', 'FAILED')], [order('completed')], ['state_differs']],
    ['one that may land', [payout('FAILED', 'FAILED')], [order('processing')], ['state_differs']],
    ['one under way', [payout('COMPLETED', 'LANDED')], [order('processing')], ['state_differs']],
    ['one that failed', [payout('COMPLETED', 'LANDED')], [order('failed')], ['state_differs']],
    ['a wrong decision', [decided('FAILED', 'FAILED')], [order('completed')], ['state_differs']],
    ['another one', [decided('COMPLETED', 'LANDED')], [order('failed')], ['state_differs']],
    [
      'one of which nobody tells',
      [payout('COMPLETED', 'LANDED')],
      [order('unknown')],
      ['not_compared'],
    ],
    ['one marked by hand', [payout('COMPLETED', 'LIVE')], [order('completed')], ['state_differs']],
    ['one that came back', [payout('COMPLETED', 'LANDED')], [order('reversed')], ['state_differs']],
    ['one that did not', [payout('REVERSED', 'LANDED')], [order('completed')], ['state_differs']],
    [
      'another amount',
      [payout('COMPLETED', 'LANDED')],
      [order('completed', { amount: 1n })],
      ['amount_differs'],
    ],
    [
      'another coin',
      [payout('SUBMITTED', 'LIVE')],
      [order('completed', { asset: 'USDT' })],
      ['amount_differs'],
    ],
  ])('differ on %s', (_, booked, carried, kinds) => {
    expect(kindsOf(booked, carried)).toEqual(kinds)
  })

  test('a transaction that failed and is not ours moved nothing', () => {
    expect(kindsOf([], [order('failed')])).toEqual([])
  })

  test('only what arrived, and was not mentioned, is asked for', () => {
    const all = [
      payout('COMPLETED', 'LANDED'),
      payout('SUBMITTED', 'LIVE'),
      payout('FAILED', 'FAILED'),
    ]
    expect(findUnseen(all, [])).toEqual([all[0]])
    expect(findUnseen(all, [order('completed')])).toEqual([])
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

  /** A world in which the service makes no mistake. */
  function createWorld() {
    const unminted: bigint[] = []
    const marked: bigint[] = []
    const open: { amount: bigint; hasLanded: boolean }[] = []
    const sweeps: { amount: bigint; hasLanded: boolean }[] = []
    const books = { came: 0n, left: 0n }
    let chain = 0n
    const act = ({ kind, pick }: Step) => {
      const payout = open[pick % (open.length || 1)]
      const sweep = sweeps[pick % (sweeps.length || 1)]
      const amount = BigInt(pick + 1)
      if (kind === 'fund') {
        books.came += amount
        unminted.push(amount)
        marked.push(amount)
      }
      if (kind === 'mint') {
        // The chain mints first; the row says so in the step after it.
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
        books.left += payout.amount
      }
      if (kind === 'release' && payout && !payout.hasLanded) open.splice(open.indexOf(payout), 1)
      if (kind === 'sweep') sweeps.push({ amount, hasLanded: false })
      if (kind === 'arrive' && sweep && !sweep.hasLanded) {
        sweep.hasLanded = true
        chain += sweep.amount
      }
      if (kind === 'book' && sweep?.hasLanded) {
        sweeps.splice(sweeps.indexOf(sweep), 1)
        books.came += sweep.amount
      }
    }
    const sum = (amounts: bigint[]) => amounts.reduce((total, amount) => total + amount, 0n)
    const read = (): TreasuryBooks => ({
      ...books,
      coming: sum(marked),
      leaving: sum(open.map(({ amount }) => amount)),
    })
    const arriving = () => sum(sweeps.map(({ amount }) => amount))
    return { act, read, arriving, chain: () => chain }
  }

  // The readings are minutes apart on a busy day; whatever happens between them is no difference.
  test('agrees whenever it is read, whatever is under way', () => {
    const steps = fc.array(step, { maxLength: 60 })
    fc.assert(
      fc.property(steps, steps, steps, steps, (first, between, next, last) => {
        const world = createWorld()
        first.forEach(world.act)
        const before = world.read()
        between.forEach(world.act)
        const held = world.chain()
        next.forEach(world.act)
        const arriving = world.arriving()
        last.forEach(world.act)
        const after = world.read()
        expect(compareTreasury('USDC', held, { before, after, arriving })).toEqual([])
      }),
      { numRuns: 2_000 },
    )
  })

  // With nothing under way there is no room: one unit more or less is found.
  test('differs by the smallest unit', () => {
    const steps = fc.array(step, { maxLength: 60 })
    fc.assert(
      fc.property(steps, fc.constantFrom(-1n, 1n), (before, error) => {
        const world = createWorld()
        before.forEach(world.act)
        for (let round = 0; round < 200; round += 1)
          for (const kind of ['mint', 'land', 'settle', 'arrive', 'book'] as const)
            world.act({ kind, pick: 0 })
        const books = world.read()
        const both = { before: books, after: books, arriving: world.arriving() }
        expect(compareTreasury('USDC', world.chain(), both)).toEqual([])
        const found = compareTreasury('USDC', world.chain() + error, both)
        expect(found.map(({ kind, name }) => [kind, name])).toEqual([['treasury_differs', 'USDC']])
      }),
    )
  })
})
