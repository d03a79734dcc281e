import fc from 'fast-check'
import { expect, test } from 'vitest'
import { limits } from '../../../src/base/limits.js'
import type { NodeView, SignatureReport } from '../../../src/rails/solana/payouts/check-attempts.js'
import { judgeAttempt } from '../../../src/rails/solana/payouts/judge-attempt.js'
import { majorityOf } from '../../../src/rails/solana/rpc/majority.js'
import { isLongRun } from '../../support/long-run.js'

/** Attempts that landed, will land or never do, and endpoints that report on them. */

const token = 'attempt'
const lastValid = 1_000
const slotOf = (height: number) => height + 5_000

type Truth = { landsAt: number | null; hasFailed: boolean }

const truths = fc.record<Truth>({
  landsAt: fc.option(fc.integer({ min: lastValid - 149, max: lastValid }), { nil: null }),
  hasFailed: fc.boolean(),
})

/**
 * Honest, but may lag or have pruned old blocks. One URL may be served by two nodes: the one that
 * searches may lag behind the one that reported the height.
 */
const honest = fc
  .record({
    finalized: fc.integer({ min: lastValid - 150, max: lastValid + 400 }),
    ahead: fc.integer({ min: -200, max: 60 }),
    prunedBy: fc.option(fc.integer({ min: -300, max: 300 }), { nil: null }),
  })
  .map(({ finalized, ahead, prunedBy }) => (truth: Truth, validUntil: number): NodeView => {
    const processed = finalized + ahead
    const first = prunedBy === null ? 0 : slotOf(lastValid + prunedBy)
    const isHistorySearched = finalized > validUntil
    const isKnown =
      truth.landsAt !== null &&
      truth.landsAt <= processed &&
      (!isHistorySearched || slotOf(truth.landsAt) >= first)
    const status = {
      slot: BigInt(slotOf(truth.landsAt ?? 0)),
      isFinalized: (truth.landsAt ?? 0) <= Math.min(finalized, processed - 32),
      error: truth.hasFailed ? 'SomeError' : null,
    }
    return viewOf(finalized, first, {
      status: isKnown ? status : null,
      slot: BigInt(slotOf(processed)),
      isHistorySearched,
      isBlockhashValid: !isHistorySearched || finalized <= lastValid,
    })
  })

/** Reports anything. */
const liar = fc
  .record({
    height: fc.integer({ min: 0, max: 5_000 }),
    slot: fc.integer({ min: 0, max: 20_000 }),
    first: fc.integer({ min: 0, max: 20_000 }),
    isHistorySearched: fc.boolean(),
    isBlockhashValid: fc.boolean(),
    status: fc.option(
      fc.record({
        slot: fc.bigInt({ min: 0n, max: 20_000n }),
        isFinalized: fc.boolean(),
        error: fc.constantFrom(null, 'SomeError', 'OtherError'),
      }),
    ),
  })
  .map(({ height, slot, first, ...report }) => () => {
    return viewOf(height, first, { ...report, slot: BigInt(slot) })
  })

function viewOf(height: number, first: number, report: SignatureReport): NodeView {
  const reports = new Map([[token, report]])
  const slot = BigInt(slotOf(height))
  const firstAvailableSlot = BigInt(first)
  return { host: 'a node', height: BigInt(height), slot, firstAvailableSlot, reports }
}

// A minority of liars may delay a conclusion, but every conclusion must be true and stay true.
test('no conclusion is wrong while liars are a minority', () => {
  const states = new Set<string>()
  fc.assert(
    fc.property(
      truths,
      fc.array(honest, { minLength: 1, maxLength: 3 }),
      fc.array(liar, { maxLength: 2 }),
      fc.integer({ min: 0, max: 149 }),
      fc.boolean(),
      fc.array(fc.boolean(), { minLength: 3, maxLength: 3 }),
      (truth, nodes, liars, early, isLiarFirst, isAway) => {
        const endpoints = nodes.length + liars.length
        fc.pre(liars.length < majorityOf(endpoints))
        // The endpoint that supplied the blockhash may have reported a height that is too low.
        const validUntil = lastValid - early
        const views = nodes
          .map((node) => node(truth, validUntil))
          .filter((_, index) => !isAway[index])
        const lies = liars.map((lie) => lie())
        const all = isLiarFirst ? [...lies, ...views] : [...views, ...lies]
        const attempt = { token, validUntil: BigInt(validUntil) }
        const { state } = judgeAttempt(attempt, all, endpoints).finding
        states.add(state)
        const landed = { hasFailed: false, landsAt: expect.any(Number) }
        if (state === 'landed') expect(truth).toMatchObject(landed)
        if (state === 'failed') expect(truth).toMatchObject({ ...landed, hasFailed: true })
        if (state === 'gone') expect(truth.landsAt).toBeNull()
      },
    ),
    { numRuns: isLongRun ? 20_000 : 5_000 },
  )
  expect([...states].sort()).toEqual(['failed', 'gone', 'landed', 'pending', 'unseen'])
})

const report = { slot: 9_000n, isHistorySearched: true, isBlockhashValid: false }
const status = { slot: 5_990n, isFinalized: true, error: null }
const attempt = { token, validUntil: BigInt(lastValid) }
const lost = viewOf(2_000, 0, { ...report, status: null })
const seen = viewOf(2_000, 0, { ...report, status })
const failed = viewOf(2_000, 0, { ...report, status: { ...status, error: 'SomeError' } })

test.each([
  ['gone', lost],
  ['landed', seen],
  ['failed', failed],
])('%s needs a majority of the configured endpoints', (state, view) => {
  const judge = (views: NodeView[], endpoints: number) =>
    judgeAttempt(attempt, views, endpoints).finding.state
  expect(judge([view], 1)).toBe(state)
  expect(judge([view], 2)).toBe('pending')
  expect(judge([view, view], 2)).toBe(state)
  expect(judge([view], 3)).toBe('pending')
  expect(judge([view, view], 3)).toBe(state)
  for (const other of [lost, seen, failed]) {
    expect(judge([view, other, view], 3)).toBe(state)
    if (other !== view) expect(judge([view, other], 2)).toBe('pending')
  }
  expect(judge([view, view], 4)).toBe('pending')
  expect(judge([], 2)).toBe('pending')
})

test('lag is not a contradiction', () => {
  const young = { isHistorySearched: false, isBlockhashValid: true }
  const landed = { ...status, slot: 5_900n }
  const known = viewOf(950, 0, { ...young, slot: 5_990n, status: landed })
  const deny = (slot: bigint) => viewOf(900, 0, { ...young, slot, status: null })
  const disputedBy = (views: NodeView[]) => judgeAttempt(attempt, views, 2).finding.disputedBy
  expect(disputedBy([known, deny(5_910n)])).toBeUndefined()
  expect(disputedBy([known, deny(5_940n)])).toEqual(['a node', 'a node'])
  expect(disputedBy([seen, failed])).toEqual(['a node', 'a node'])
  expect(disputedBy([seen, seen])).toBeUndefined()
  const pruned = { ...lost, firstAvailableSlot: 1_000_000n }
  expect(
    disputedBy([seen, pruned]),
    'an endpoint that pruned the blocks denies nothing',
  ).toBeUndefined()
})

test('an impossible validity is capped by the height that a majority finalized', () => {
  const absurd = { token, validUntil: 10n ** 15n }
  const unseen = viewOf(2_000, 0, { ...report, status: null, isHistorySearched: false })
  const ahead = { ...unseen, height: 10n ** 17n }
  const expiresBy = 2_000n + BigInt(limits.solana.unfinalizedBlocksMax)
  expect(judgeAttempt(absurd, [unseen], 1).finding).toEqual({ state: 'unseen', expiresBy })
  expect(judgeAttempt(absurd, [unseen, ahead], 2).finding).toMatchObject({ expiresBy })
  expect(judgeAttempt(absurd, [unseen], 2).finding).toEqual({ state: 'unseen' })
  expect(judgeAttempt(attempt, [{ ...unseen, height: 900n }], 1).finding).toEqual({
    state: 'unseen',
  })
})
