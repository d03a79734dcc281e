import type { FaultRule } from '../../src/simulation/localnet/start.js'
import type { Random } from '../support/seed.js'

const any = { any: true }

/**
 * Faults of an honest chain. A node that denies landed transactions is not included: with a single
 * endpoint, the service has to believe it.
 */
const kinds: ((random: Random) => FaultRule)[] = [
  ({ integer }) => ({ match: any, fault: 'drop', times: integer(1, 30) }),
  ({ integer }) => ({ match: any, fault: 'delay', slots: integer(1, 100), times: integer(1, 40) }),
  ({ integer }) => ({ match: any, fault: 'lose_reply', times: integer(1, 50) }),
  ({ integer }) => ({ match: any, fault: 'fail', times: integer(1, 4) }),
  ({ integer }) => ({ match: any, fault: 'rate_limit', times: integer(1, 30) }),
  ({ integer }) => ({ match: any, fault: 'lag', slots: integer(1, 40) }),
]

/** Often several faults at once, sometimes none. */
export function randomWeather(random: Random): FaultRule[] {
  return random
    .shuffle(kinds)
    .slice(0, random.integer(0, 3))
    .map((kind) => kind(random))
}
