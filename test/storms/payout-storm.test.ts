import { expect, test } from 'vitest'
import { isLongRun } from '../support/long-run.js'
import { createHome } from '../support/program.js'
import { seededRandom } from '../support/seed.js'
import { trackPrograms } from '../support/track-programs.js'
import { payoutStorm } from './payout-storm.js'
import { noTimeout } from './progress.js'

/** Only `npm run storm` runs it. */
const kills = Number(process.env.STORM_KILLS ?? 40)
const [payouts, wallets] = [kills * 250, 300]

const home = createHome()
const programs = trackPrograms(home)

// The chain loses, delays, fails and refuses transactions, and processes die. Every acknowledged
// payout lands exactly once or is released, and nothing else leaves.
test.runIf(isLongRun)(
  'every payout lands once or not at all, whatever the chain does and whatever is killed',
  async () => {
    const aftermath = await payoutStorm({
      home,
      kills,
      payouts,
      wallets,
      connections: 24,
      random: seededRandom('payout storm'),
      say: (line) => console.log(line),
      onStart: (program) => programs.push(program),
    })
    const { acknowledged, confirmed, failed, signedAnew } = aftermath
    console.log(
      `${acknowledged} acknowledged: ${confirmed} confirmed, ${failed} failed; ` +
        `${signedAnew} signed anew`,
    )
    expect(acknowledged).toBeGreaterThanOrEqual(payouts)
    expect(confirmed + failed).toBe(acknowledged)
    expect(aftermath.killsDuringWork).toBeGreaterThanOrEqual(kills / 2)
    expect(signedAnew).toBeGreaterThan(0)
    expect(aftermath.changedAnswers).toEqual([])
    expect(aftermath.missing).toEqual([])
    expect(aftermath.unexplained).toEqual([])
    expect(aftermath.wrongLandings).toEqual([])
    expect(aftermath.unknownLandings).toEqual([])
    expect(aftermath.wrongEvents).toEqual([])
    expect(aftermath.money).toEqual(aftermath.expected)
    expect(aftermath.verdict.out).toContain('The ledger is consistent.')
    expect([aftermath.verdict.code, aftermath.exitCode]).toEqual([0, 0])
  },
  noTimeout,
)
