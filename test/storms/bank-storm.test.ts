import { randomBytes } from 'node:crypto'
import { expect, test } from 'vitest'
import { providers } from '../../src/base/config.js'
import { Secret } from '../../src/base/secret.js'
import { freshDatabase } from '../support/database.js'
import { isLongRun } from '../support/long-run.js'
import { seededRandom } from '../support/seed.js'
import { trackPrograms } from '../support/track-programs.js'
import { bankStorm } from './bank-storm.js'
import { noTimeout } from './progress.js'

/** Only `npm run storm` runs it; the contract suite covers each rule once. */
const kills = Number(process.env.STORM_KILLS ?? 40)
const [payments, payouts] = [kills * 40, kills * 30]

const chosen = providers.filter((provider) => (process.env.STORM_BANK ?? provider) === provider)

const sites = await Promise.all(
  chosen.map(async (provider) => ({ provider, db: await freshDatabase() })),
)
const programs = trackPrograms()

// A provider loses answers and notices, repeats, delays and forges them, hides payouts, runs out of
// money, is down, and returns payouts; processes die. Both books must end equal.
test.runIf(isLongRun).each(sites)(
  'our books end as those of $provider, whatever gets lost or killed',
  async ({ provider, db }) => {
    const startedAt = performance.now()
    const say = (line: string) =>
      console.log(`${Math.round((performance.now() - startedAt) / 100) / 10} s: ${line}`)
    const aftermath = await bankStorm({
      provider,
      db,
      payments,
      payouts,
      kills,
      random: seededRandom(`${provider} storm`),
      secret: new Secret(randomBytes(32).toString('hex')),
      say,
      onStart: (program) => programs.push(program),
    })
    const { lost, doubled, open } = aftermath
    const { SUBMITTED: _, ...ended } = aftermath.payouts
    const concluded = Object.values(ended).reduce((sum, count) => sum + count, 0)
    say(
      `${provider}, ${kills} kills: ${aftermath.payments.atBank} payments at the bank, ` +
        `${aftermath.payments.inBooks} in the books; ${aftermath.acknowledged} payouts ` +
        `acknowledged, ${concluded} concluded; doubled ${doubled.length}, ` +
        `lost ${lost.length}, open ${open.length}`,
    )
    console.log({ payouts: aftermath.payouts, refunds: aftermath.refunds, hints: aftermath.hints })
    expect(aftermath.killsDuringWork).toBeGreaterThanOrEqual(kills / 2)
    expect(doubled).toEqual([])
    expect(lost).toEqual([])
    expect(open).toEqual([])
    expect([aftermath.acknowledged, concluded]).toEqual([payouts, payouts])
    expect(aftermath.changedAnswers).toEqual([])
    expect(aftermath.wrongEvents).toEqual([])
    expect(aftermath.differences).toEqual([])
    expect(aftermath.findings).toEqual([])
    expect(Object.keys(aftermath.payouts).length).toBe(3)
  },
  noTimeout,
)
