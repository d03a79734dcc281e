import { expect, test } from 'vitest'
import { isLongRun } from '../support/long-run.js'
import { createHome } from '../support/program.js'
import { seededRandom } from '../support/seed.js'
import { trackPrograms } from '../support/track-programs.js'
import { depositsStorm } from './deposits-storm.js'
import { noTimeout } from './progress.js'

/** The longest storm: only `npm run storm` runs it. */
const kills = Number(process.env.STORM_KILLS ?? 2)
const isFull = kills > 2
const [deposits, wallets] = isFull ? [2_000, 500] : [60, 20]

const home = createHome()
const programs = trackPrograms(home)

// Equal amounts arrive at the same wallets repeatedly, also during sweeps and after accounts closed;
// nodes lose, refuse and lag; processes die. Every deposit on the chain must be exactly one payment,
// and every coin must be where the ledger says.
test.runIf(isLongRun)(
  'every deposit on the chain is credited once, whatever nodes answer and whatever is killed',
  async () => {
    const startedAt = performance.now()
    const seconds = () => Math.round((performance.now() - startedAt) / 100) / 10
    const aftermath = await depositsStorm({
      home,
      kills,
      deposits,
      wallets,
      connections: 16,
      random: seededRandom('deposits storm'),
      say: (line) => console.log(`${seconds()} s: ${line}`),
      onStart: (program) => programs.push(program),
    })
    const { byVariance, sweeps, afterSweep } = aftermath
    console.log(
      `${aftermath.deposits} deposits in ${seconds()} s, ${afterSweep} after a sweep:`,
      byVariance,
      sweeps,
    )
    expect(aftermath.deposits).toBeGreaterThanOrEqual(deposits)
    expect(afterSweep).toBeGreaterThan(0)
    expect(aftermath.killsDuringSweeps).toBeGreaterThanOrEqual(kills / 2)
    expect(aftermath.wrongPayments).toEqual([])
    expect(aftermath.wrongNotices).toEqual([])
    expect(aftermath.wrongAnswers).toEqual([])
    expect(aftermath.wrongEvents).toEqual([])
    expect(aftermath.wrongSums).toEqual([])
    expect(aftermath.wrongSweeps).toEqual([])
    expect(aftermath.sweptTwice).toEqual([])
    expect(aftermath.wrongWallets).toEqual([])
    expect(aftermath.treasury).toEqual(aftermath.expectedTreasury)
    const [ledger, reconciled] = aftermath.verdicts
    expect(ledger!.out).toContain('The ledger is consistent.')
    expect(reconciled!.out).toContain('Books, chain and bank agree.')
    expect([...aftermath.verdicts.map(({ code }) => code), aftermath.exitCode]).toEqual([0, 0, 0])
  },
  noTimeout,
)
