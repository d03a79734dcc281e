import { afterAll, expect, test } from 'vitest'
import { type Provider, providers } from '../../../src/base/config.js'
import { isLongRun } from '../../support/long-run.js'
import { seededRandom } from '../../support/seed.js'
import { type FuzzReport, fuzzBank } from './fuzz-bank.js'

/**
 * Each driver against its emulator, whose answers are changed on the way: fields are missing, null,
 * of another type, too long, or have unknown words. `npm run fuzz:banks` runs BANK_FUZZ_CASES of
 * each provider, for at most BANK_FUZZ_MINUTES; BANK_FUZZ selects one provider. Every round has
 * books of its own, so that late cases are as fast as early ones.
 */

const cases = Number(process.env.BANK_FUZZ_CASES ?? (isLongRun ? 60 : 30))
const casesPerRound = 100
const ms = Number(process.env.BANK_FUZZ_MINUTES ?? 1) * 60_000
const chosen = providers.filter((one) => (process.env.BANK_FUZZ ?? one) === one)

const rounds = chosen.flatMap((provider) =>
  Array.from({ length: Math.ceil(cases / casesPerRound) }, (_, round) => ({ provider, round })),
)
const reports: { provider: Provider; report: FuzzReport; ms: number }[] = []

test.for(rounds)(
  '$provider, round $round: whatever it answers, nothing is 500, lost or doubled',
  { timeout: ms + 120_000 },
  async ({ provider, round }, { skip }) => {
    const own = reports.filter((one) => one.provider === provider)
    const spentMs = own.reduce((sum, one) => sum + one.ms, 0)
    if (spentMs >= ms) return skip('the time is over')
    const random = seededRandom(`fuzz ${provider} ${round}`)
    // One SEED for all rounds gives each of them other cases.
    for (let draws = 0; draws < round; draws += 1) random.integer(0, 1)
    const startMs = performance.now()
    const bounds = {
      cases: Math.min(casesPerRound, cases - round * casesPerRound),
      random,
      ms: ms - spentMs,
    }
    const report = await fuzzBank(provider, bounds)
    reports.push({ provider, report, ms: performance.now() - startMs })
    expect(report).toMatchObject({ broken: [], lost: [], doubled: [], undecided: [] })
    expect(report.mutated).toBeGreaterThan(report.cases / 4)
    expect(Object.values(report.atBank).every((count) => count > 0)).toBe(true)
  },
)

afterAll(() => {
  const header =
    'provider | cases | changed answers | our calls | answers of 500 | lost | doubled | shown to operators | accounts | payments | payouts | refunds'
  const lines = chosen.map((provider) => {
    const own = reports.filter((one) => one.provider === provider).map(({ report }) => report)
    const sum = (count: (report: FuzzReport) => number) =>
      own.reduce((total, report) => total + count(report), 0)
    return [
      provider,
      sum((one) => one.cases),
      sum((one) => one.mutated),
      sum((one) => one.asked),
      sum((one) => one.broken.length),
      sum((one) => one.lost.length + one.undecided.length),
      sum((one) => one.doubled.length),
      sum((one) => one.shown),
      sum((one) => one.atBank.accounts),
      sum((one) => one.atBank.payments),
      sum((one) => one.atBank.payouts),
      sum((one) => one.atBank.refunds),
    ].join(' | ')
  })
  console.log([header, ...lines].map((line) => `| ${line} |`).join('\n'))
})
