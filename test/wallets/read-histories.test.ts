import { expect, test } from 'vitest'
import { second } from '../../src/base/clock.js'
import type { TokenHistory, WalletRail } from '../../src/collections/ports.js'
import { depositLimits } from '../../src/wallets/limits.js'
import { readHistories } from '../../src/wallets/read-histories.js'
import { manualClock } from '../support/clock.js'

const { historiesPerPollMax, historiesPerCallMax, historyReadMs } = depositLimits

const ranges = Array.from({ length: historiesPerPollMax }, (_, index) => {
  return { tokenAccount: `account ${index}`, after: null }
})

/** Reads from a rail whose every call takes `callMs`. */
function readSlowly(callMs: number) {
  const clock = manualClock()
  const startedMs = clock.elapsedMs()
  const rail = {
    async readMoves(some: typeof ranges): Promise<TokenHistory[]> {
      clock.advance(callMs)
      return some.map(() => ({ moves: [], unreadable: [] }))
    },
  } as unknown as WalletRail
  return readHistories(rail, ranges, () => clock.elapsedMs() - startedMs > historyReadMs)
}

test('when reading takes long, the rest is postponed', async () => {
  const readings = await readSlowly(historyReadMs / 2 + second)
  expect(readings).toHaveLength(ranges.length)
  expect(readings.filter((reading) => reading !== undefined)).toHaveLength(2 * historiesPerCallMax)
  expect(readings.slice(0, 2 * historiesPerCallMax)).not.toContain(undefined)
})

test('the first group is always read', async () => {
  const readings = await readSlowly(2 * historyReadMs)
  expect(readings.filter((reading) => reading !== undefined)).toHaveLength(historiesPerCallMax)
})
