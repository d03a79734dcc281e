import { afterAll, expect, test } from 'vitest'
import { type Provider, providers } from '../../../src/base/config.js'
import { seededRandom } from '../../support/seed.js'
import { type FuzzReport, fuzzBank } from './fuzz-bank.js'

/**
 * Each driver against its emulator, whose answers are changed on the way: fields are missing, null,
 * of another type, too long, or have unknown words. `npm run fuzz:banks` runs BANK_FUZZ_CASES of
 * each provider, for at most BANK_FUZZ_MINUTES; BANK_FUZZ selects one provider.
 */

const cases = Number(process.env.BANK_FUZZ_CASES ?? 80)
const ms = Number(process.env.BANK_FUZZ_MINUTES ?? 1) * 60_000
const chosen = providers.filter((one) => (process.env.BANK_FUZZ ?? one) === one)

const reports = new Map<Provider, FuzzReport>()

test.for(chosen)(
  '%s: whatever it answers, nothing is 500, lost or doubled',
  { timeout: ms + 120_000 },
  async (provider) => {
    const report = await fuzzBank(provider, { cases, random: seededRandom(`fuzz ${provider}`), ms })
    reports.set(provider, report)
    expect(report).toMatchObject({ broken: [], lost: [], doubled: [], undecided: [] })
    expect(report.mutated).toBeGreaterThan(report.cases / 4)
    expect(Object.values(report.atBank).every((count) => count > 0)).toBe(true)
  },
)

afterAll(() => {
  const rows = [...reports].map(([provider, report]) => {
    const { cases: run, mutated, asked, broken, lost, undecided, doubled, shown } = report
    const { accounts, payments, payouts, refunds } = report.atBank
    return {
      provider,
      cases: run,
      'changed answers': mutated,
      'our calls': asked,
      'answers of 500': broken.length,
      lost: lost.length + undecided.length,
      doubled: doubled.length,
      'shown to operators': shown,
      'at the bank': `${accounts} accounts, ${payments} payments, ${payouts} payouts, ${refunds} refunds`,
    }
  })
  const lines = rows.map((row) => Object.values(row).join(' | '))
  const header = Object.keys(rows[0] ?? {}).join(' | ')
  console.log([header, ...lines].map((line) => `| ${line} |`).join('\n'))
})
