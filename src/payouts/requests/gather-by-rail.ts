import { gatherBy } from '../../postgres/transactions/gather-by.js'
import type { PayoutRail } from '../ports.js'

/**
 * Like `gatherBy`, by rail: one that does not answer delays no other. A rail whose calls serve one
 * item each is called at once, because its items gain nothing from waiting for a batch.
 */
export function gatherByRail<Rail extends Pick<PayoutRail, 'takesBatches'>, Key, Value>(
  runAll: (rail: Rail, keys: Key[]) => Promise<Value[]>,
): (rail: Rail, key: Key) => Promise<Value> {
  const together = gatherBy(runAll)
  return async (rail, key) =>
    rail.takesBatches ? together(rail, key) : (await runAll(rail, [key]))[0]!
}
