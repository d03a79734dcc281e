import { expect, test } from 'vitest'
import { second } from '../../src/clock.js'
import type { Moves, WalletRail } from '../../src/collections/ports.js'
import { readHistories } from '../../src/collections/read-histories.js'
import { limits } from '../../src/limits.js'
import { manualClock } from '../support/clock.js'

const { historiesAtOnce, historiesTogether, readMs } = limits.deposits

const ranges = Array.from({ length: historiesAtOnce }, (_, index) => {
  return { tokenAccount: `account ${index}`, after: null }
})

/** Every call takes its time; what it is about is read, unless it is broken. */
function readSlowly(callMs: number, isBroken: (tokenAccount: string) => boolean = () => false) {
  const clock = manualClock()
  const begun = clock.elapsedMs()
  const rail = {
    readAmounts: async () => [0n],
    async readMoves(some: typeof ranges): Promise<Moves[]> {
      clock.advance(callMs)
      if (some.some(({ tokenAccount }) => isBroken(tokenAccount))) throw new Error('too slow')
      return some.map(() => ({ moves: [], unreadable: [] }))
    },
  } as unknown as WalletRail
  return readHistories(rail, ranges, { isOver: () => clock.elapsedMs() - begun > readMs })
}

test('when reading takes long, the rest is left for another time', async () => {
  const readings = await readSlowly(readMs / 2 + second)
  expect(readings).toHaveLength(ranges.length)
  expect(readings.filter((reading) => reading !== undefined)).toHaveLength(2 * historiesTogether)
  expect(readings.slice(0, 2 * historiesTogether)).not.toContain(undefined)
})

test('however long it takes, each time at least one is read or known to be unreadable', async () => {
  const isBroken = (tokenAccount: string) => tokenAccount === 'account 0'
  const one = await readSlowly(2 * readMs, isBroken)
  expect(one[0]).toBeInstanceOf(Error)
  const all = await readSlowly(2 * readMs, () => true)
  expect(all.filter((reading) => reading instanceof Error)).toHaveLength(1)
})

test('where there is time, everything is read but what cannot be', async () => {
  const broken = new Set(['account 7', 'account 8', 'account 9', 'account 150'])
  const readings = await readSlowly(0, (tokenAccount) => broken.has(tokenAccount))
  for (const [index, reading] of readings.entries())
    expect(reading instanceof Error, `${index}`).toBe(broken.has(`account ${index}`))
})
