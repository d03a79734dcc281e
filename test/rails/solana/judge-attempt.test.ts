import fc from 'fast-check'
import { expect, test } from 'vitest'
import { judgeAttempt } from '../../../src/rails/solana/judge-attempt.js'
import type { Sighting, View } from '../../../src/rails/solana/look-at-attempts.js'

/** Worlds in which an attempt landed, will land, or never does, and nodes that tell of them. */

const token = 'attempt'
const lastValid = 1_000
const slotOf = (height: number) => height + 5_000

type Truth = { landsAt: number | null; hasFailed: boolean }

const truths = fc.record<Truth>({
  landsAt: fc.option(fc.integer({ min: lastValid - 149, max: lastValid }), { nil: null }),
  hasFailed: fc.boolean(),
})

/**
 * What a node tells that is honest, but maybe late, and maybe has thrown old blocks away. Behind
 * one address there may be two: the one that searches may be behind the one that told the height.
 */
const honest = fc
  .record({
    finalized: fc.integer({ min: lastValid - 150, max: lastValid + 400 }),
    ahead: fc.integer({ min: -200, max: 60 }),
    remembers: fc.option(fc.integer({ min: -300, max: 300 }), { nil: null }),
  })
  .map(({ finalized, ahead, remembers }) => (truth: Truth, validUntil: number): View => {
    const processed = finalized + ahead
    const first = remembers === null ? 0 : slotOf(lastValid + remembers)
    const isSearched = finalized > validUntil
    const isKnown =
      truth.landsAt !== null &&
      truth.landsAt <= processed &&
      (!isSearched || slotOf(truth.landsAt) >= first)
    const status = {
      slot: BigInt(slotOf(truth.landsAt ?? 0)),
      isFinalized: (truth.landsAt ?? 0) <= Math.min(finalized, processed - 32),
      error: truth.hasFailed ? 'SomeError' : null,
    }
    return viewOf(finalized, first, {
      status: isKnown ? status : null,
      slot: BigInt(slotOf(processed)),
      isSearched,
      isUsable: !isSearched || finalized <= lastValid,
    })
  })

/** Anything at all. */
const liar = fc
  .record({
    height: fc.integer({ min: 0, max: 5_000 }),
    slot: fc.integer({ min: 0, max: 20_000 }),
    first: fc.integer({ min: 0, max: 20_000 }),
    isSearched: fc.boolean(),
    isUsable: fc.boolean(),
    status: fc.option(
      fc.record({
        slot: fc.bigInt({ min: 0n, max: 20_000n }),
        isFinalized: fc.boolean(),
        error: fc.constantFrom(null, 'SomeError', 'OtherError'),
      }),
    ),
  })
  .map(({ height, slot, first, ...told }) => () => {
    return viewOf(height, first, { ...told, slot: BigInt(slot) })
  })

function viewOf(height: number, first: number, sighting: Sighting): View {
  const sightings = new Map([[token, sighting]])
  const slot = BigInt(slotOf(height))
  return { host: 'a node', height: BigInt(height), slot, remembersFrom: BigInt(first), sightings }
}

const several = { minLength: 1, maxLength: 3 }

// Liars may delay a conclusion, but each one that is drawn must be true, now and for ever. A node
// that remembers nothing of the time cannot contradict a liar, so one that does must be there. It
// may be away, though: then a liar can call something landed, but nothing failed or gone.
test('while one node is honest and remembers, no conclusion is wrong', () => {
  const told = new Set<string>()
  fc.assert(
    fc.property(
      truths,
      fc.array(honest, several),
      fc.array(liar, { maxLength: 2 }),
      fc.integer({ min: 0, max: 149 }),
      fc.boolean(),
      fc.array(fc.boolean(), { minLength: 3, maxLength: 3 }),
      (truth, nodes, liars, early, isLiarFirst, isAway) => {
        // The height may have been told too low by whoever told the blockhash.
        const validUntil = lastValid - early
        const honestly = nodes.map((node) => node(truth, validUntil))
        const remembers = ({ remembersFrom }: View) => remembersFrom === 0n
        fc.pre(liars.length === 0 || honestly.some(remembers))
        const views = honestly.filter((_, index) => !isAway[index])
        const lies = liars.map((lie) => lie())
        const all = isLiarFirst ? [...lies, ...views] : [...views, ...lies]
        const attempt = { token, validUntil: BigInt(validUntil) }
        const { state } = judgeAttempt(attempt, all, nodes.length + liars.length).finding
        told.add(state)
        const isContradicted = liars.length === 0 || views.some(remembers)
        const landed = { hasFailed: false, landsAt: expect.any(Number) }
        if (state === 'landed' && isContradicted) expect(truth).toMatchObject(landed)
        if (state === 'failed') expect(truth).toMatchObject({ ...landed, hasFailed: true })
        if (state === 'gone') expect(truth.landsAt).toBeNull()
      },
    ),
    { numRuns: 20_000 },
  )
  expect([...told].sort()).toEqual(['failed', 'gone', 'landed', 'pending', 'unseen'])
})

test('an endpoint that says nothing keeps an attempt from being gone or failed, not landed', () => {
  const sighting = { slot: 9_000n, isSearched: true, isUsable: false }
  const attempt = { token, validUntil: BigInt(lastValid) }
  const lost = viewOf(2_000, 0, { ...sighting, status: null })
  expect(judgeAttempt(attempt, [lost], 1).finding).toEqual({ state: 'gone' })
  expect(judgeAttempt(attempt, [lost], 2).finding).toEqual({ state: 'pending' })
  expect(judgeAttempt(attempt, [], 2).finding).toEqual({ state: 'pending' })
  const status = { slot: 5_990n, isFinalized: true, error: null }
  const seen = viewOf(2_000, 0, { ...sighting, status })
  expect(judgeAttempt(attempt, [seen], 2).finding).toEqual({ state: 'landed' })
  const broken = { ...status, error: 'SomeError' }
  const failed = viewOf(2_000, 0, { ...sighting, status: broken })
  expect(judgeAttempt(attempt, [failed], 1).finding).toMatchObject({ state: 'failed' })
  expect(judgeAttempt(attempt, [failed], 2).finding).toEqual({ state: 'pending' })
})

test('contradictions are told from mere lateness', () => {
  const attempt = { token, validUntil: BigInt(lastValid) }
  const sighting = { isSearched: false, isUsable: true }
  const status = { slot: 5_900n, isFinalized: true, error: null }
  const seen = viewOf(950, 0, { ...sighting, slot: 5_990n, status })
  const deny = (slot: bigint) => viewOf(900, 0, { ...sighting, slot, status: null })
  expect(judgeAttempt(attempt, [seen, deny(5_910n)], 2).isDisputed).toBe(false)
  expect(judgeAttempt(attempt, [seen, deny(5_940n)], 2).isDisputed).toBe(true)
})
