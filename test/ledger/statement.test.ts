import fc from 'fast-check'
import { expect, test } from 'vitest'
import { after } from '../../src/base/clock.js'
import { limits } from '../../src/base/limits.js'
import { mergeNewestFirst } from '../../src/ledger/merge-statements.js'
import { moveAll } from '../../src/ledger/move.js'
import type { Movement } from '../../src/ledger/movement.js'
import { resolveAll } from '../../src/ledger/resolve.js'
import {
  findStatementPart,
  listStatementEntries,
  type StatementEntry,
} from '../../src/ledger/statement.js'
import { freshDatabase } from '../support/database.js'
import { insertEnvironment } from '../support/environments.js'
import { fundingOf, holdOf, now } from '../support/movements.js'

const db = await freshDatabase()
const environmentId = await insertEnvironment(db)
const place = { environmentId, asset: 'USDC' } as const

/** A hundred payouts with and without a fee: settled, released or open. */
const funding = fundingOf(place, 10_000n)
const holds = Array.from({ length: 100 }, (_, index) => holdOf(place, 5n, index % 2 ? 1n : 0n))
await db.transaction((tx) => moveAll(tx, now, [funding, ...holds]))
await db.transaction((tx) =>
  resolveAll(
    tx,
    now,
    holds.slice(0, 80).map(({ causeId }, index) => ({
      environmentId,
      causeId,
      verb: index % 2 ? 'release' : 'settle',
    })),
  ),
)
// Statements with their own numbering: another asset, and another merchant.
const neighbour = await insertEnvironment(db)
await db.transaction((tx) =>
  moveAll(tx, now, [
    fundingOf({ environmentId, asset: 'USDT' }, 1n),
    fundingOf({ environmentId: neighbour, asset: 'USDC' }, 1n),
  ]),
)

/** A funding, one entry per line of a hold, and one per release. */
const entryCount = 1 + 100 + 50 + 40

async function page(below: bigint, limit: number): Promise<StatementEntry[]> {
  const range = { ...place, first: 1n, below }
  const found = await listStatementEntries(db, range, { limit })
  return found.entries
}

// Pages of any size must give the same entries: newest first, none missing, none twice, none of
// another statement.
test('pages of any size chain into the whole statement', async () => {
  const whole = await page(limits.money.ledgerMax, 1_000)
  expect(whole.map(({ entryNumber }) => entryNumber)).toEqual(
    Array.from({ length: entryCount }, (_, index) => BigInt(entryCount - index)),
  )
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 1, max: 60 }), async (size) => {
      const pages: StatementEntry[] = []
      let below: bigint = limits.money.ledgerMax
      for (;;) {
        const entries = await page(below, size)
        expect(entries.length).toBeLessThanOrEqual(size)
        pages.push(...entries)
        if (entries.length < size) break
        below = entries.at(-1)!.entryNumber
      }
      expect(pages).toEqual(whole)
    }),
    { numRuns: 20 },
  )
})

// The balance of every line is the balance of the line before plus the change, from zero to the
// available balance.
test('every line adds up from the line before it', async () => {
  const oldestFirst = (await page(limits.money.ledgerMax, 1_000)).toReversed()
  let available = 0n
  for (const { change, availableAfter } of oldestFirst) {
    available += change
    expect(availableAfter).toBe(available)
  }
  const taken = 100n * 5n + 50n * 1n
  const givenBack = 40n * (5n + 1n)
  expect(available).toBe(10_000n - taken + givenBack)
})

// A funding is a post, a hold takes, a release gives back. A settlement has no line, because it
// does not change the available balance.
test('a line has its kind, cause and purpose', async () => {
  const whole = await page(limits.money.ledgerMax, 1_000)
  const linesOf = ({ causeId }: Movement) =>
    whole
      .filter((entry) => entry.causeId === causeId)
      .map(({ kind, change, purpose }) => ({ kind, change, purpose }))
      .toReversed()

  expect(linesOf(funding)).toEqual([{ kind: 'post', change: 10_000n, purpose: 'test_funding' }])
  expect(linesOf(holds[0]!)).toEqual([{ kind: 'hold', change: -5n, purpose: 'crypto_payout' }])
  expect(linesOf(holds[1]!)).toEqual([
    { kind: 'hold', change: -5n, purpose: 'crypto_payout' },
    { kind: 'hold', change: -1n, purpose: 'crypto_payout_fee' },
    { kind: 'release', change: 6n, purpose: 'crypto_payout' },
  ])
  expect(whole.every(({ asset }) => asset === 'USDC')).toBe(true)
  expect(whole[0]!.createdAt).toEqual(now)
})

test('an unused statement is empty', async () => {
  const range = { environmentId, asset: 'NGN', first: 1n, below: limits.money.ledgerMax } as const
  const { entries } = await listStatementEntries(db, range, { limit: 10 })
  expect(entries).toEqual([])
})

// The third entry was created before the second one.
test('periods add up and follow each other where times are out of order', async () => {
  const own = { environmentId: await insertEnvironment(db), asset: 'USDC' } as const
  const at = (ms: number) => after(now, ms)
  for (const [amount, ms] of [
    [1n, 0],
    [10n, 2],
    [100n, 1],
    [1_000n, 3],
  ] as const)
    await db.transaction((tx) => moveAll(tx, at(ms), [fundingOf(own, amount)]))
  for (const ms of [0, 1, 2, 3, 4]) {
    const earlier = await findStatementPart(db, own, { to: at(ms) })
    const later = await findStatementPart(db, own, { from: at(ms) })
    expect(later.opening).toBe(earlier.closing)
    expect(later.closing).toBe(1_111n)
    expect(earlier.count + later.count).toBe(4n)
  }
  expect(await findStatementPart(db, own, { from: at(2), to: at(3) })).toMatchObject({
    opening: 1n,
    closing: 111n,
    firstNumber: 2n,
    lastNumber: 3n,
  })
})

// Entries of a page keep the order of their numbers, also where their times do not. A search that is
// unfinished ends at the entry before the page. Following the cursor must show every entry once.
test('pages of several statements merge without losing an entry or repeating a page', () => {
  const times = fc.array(fc.integer({ min: 0, max: 20 }), { maxLength: 12 })
  const searchSize = fc.integer({ min: 1, max: 4 })
  fc.assert(
    fc.property(
      fc.tuple(times, times),
      searchSize,
      fc.integer({ min: 1, max: 3 }),
      (all, size, limit) => {
        const statements = all.map((one, index) => one.map((ms, at) => entryAt(index, at + 1, ms)))
        const positions = statements.map((one) => one.length)
        const shown: StatementEntry[] = []
        for (let turns = 0; positions.some((position) => position > 0); turns += 1) {
          expect(turns).toBeLessThan(50)
          const pages = statements.map((one, index) => {
            const below = one.slice(0, positions[index])
            const entries = below.slice(-size).reverse()
            const isUnfinished = below.length > size
            return {
              entries: entries.filter(({ change }) => change > 0n).slice(0, limit + 1),
              searchedTo: isUnfinished ? entries.at(-1) : undefined,
            }
          })
          const merged = mergeNewestFirst(pages, limit)
          shown.push(...merged)
          for (const [index, { entries, searchedTo }] of pages.entries()) {
            const own = merged.filter((entry) => statements[index]!.includes(entry))
            expect(own).toEqual(entries.slice(0, own.length))
            if (own.length === entries.length)
              positions[index] = searchedTo ? Number(searchedTo.entryNumber) - 1 : 0
            else if (own.length > 0) positions[index] = Number(own.at(-1)!.entryNumber) - 1
          }
        }
        const wanted = statements.flat().filter(({ change }) => change > 0n)
        expect(new Set(shown)).toEqual(new Set(wanted))
        expect(shown).toHaveLength(wanted.length)
      },
    ),
    { numRuns: 300 },
  )
})

/** Every third entry does not pass the filter. */
function entryAt(statement: number, number: number, ms: number): StatementEntry {
  return {
    asset: statement === 0 ? 'USDC' : 'USDT',
    entryNumber: BigInt(number),
    change: number % 3 === 0 ? 0n : 1n,
    availableAfter: 0n,
    purpose: 'test_funding',
    causeId: `${statement}/${number}`,
    kind: 'post',
    resolution: null,
    releasedFee: null,
    releasedLevy: null,
    feeBefore: null,
    createdAt: new Date(ms),
  }
}
