import { randomBytes } from 'node:crypto'
import { expect, test } from 'vitest'
import { Secret } from '../../src/base/secret.js'
import { freshDatabase } from '../support/database.js'
import { isLongRun } from '../support/long-run.js'
import { seededRandom } from '../support/seed.js'
import { trackPrograms } from '../support/track-programs.js'
import { paymentsStorm } from './payments-storm.js'
import { noTimeout } from './progress.js'

/** Only `npm run storm` runs it. */
const kills = Number(process.env.STORM_KILLS ?? 40)
const payments = Number(process.env.STORM_PAYMENTS ?? 10_000)

const db = await freshDatabase()
const programs = trackPrograms()

// The bank sends up to five notices of every payment, concurrently and in any order; nearly half do
// not match; processes die. Every payment must be posted once, and every kobo accounted for.
test.runIf(isLongRun)(
  'every payment is posted once and in full, whatever is repeated or killed',
  async () => {
    const startedAt = performance.now()
    const aftermath = await paymentsStorm({
      db,
      payments,
      kills,
      random: seededRandom('payments storm'),
      secret: new Secret(randomBytes(32).toString('hex')),
      say: (line) =>
        console.log(`${Math.round((performance.now() - startedAt) / 100) / 10} s: ${line}`),
      onStart: (program) => programs.push(program),
    })
    const { bank, books } = aftermath
    const seconds = Math.round((performance.now() - startedAt) / 1000)
    console.log(`${payments} payments in ${seconds} s:`, aftermath.byVariance, books)
    expect(aftermath.killsDuringWork).toBeGreaterThanOrEqual(kills / 2)
    expect(aftermath.findings).toEqual([])
    expect(aftermath.wrongPayments).toEqual([])
    expect(aftermath.wrongVariances).toEqual([])
    expect(aftermath.wrongNotices).toEqual([])
    expect(aftermath.wrongEvents).toEqual([])
    expect(aftermath.differences).toEqual([])
    expect(aftermath.unknownNumbers.found).toBe(aftermath.unknownNumbers.expected)
    expect(books.accepted + books.held + books.returning + books.returned).toBe(bank.taken)
    expect([books.returning, books.returned]).toEqual([0n, bank.sentBack])
    expect(Object.keys(aftermath.byVariance).length).toBe(5)
  },
  noTimeout,
)
