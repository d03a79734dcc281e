import path from 'node:path'
import { expect, test } from 'vitest'
import { freshDatabase } from '../support/database.js'
import { isLongRun } from '../support/long-run.js'
import { createHome } from '../support/program.js'
import { seededRandom } from '../support/seed.js'
import { trackPrograms } from '../support/track-programs.js'
import { Journal } from './journal.js'
import { startMixedStorm } from './mixed-storm.js'
import { noTimeout } from './progress.js'

/** Only `npm run storm` runs it. */
const kills = Math.max(10, Number(process.env.STORM_KILLS ?? 10))
const operations = Math.max(2_000, kills * 100)

const db = await freshDatabase()
const folder = createHome()
const programs = trackPrograms(folder)

// Conversions, batches, settlements, approvals, payouts, payments and refunds at once; API and
// workers die. Every answer must be in the books to the unit, and at the rails once.
test.runIf(isLongRun)(
  'every answer is in the books exactly, whatever is mixed and whatever is killed',
  async () => {
    const journal = new Journal(path.join(folder, 'journal.jsonl'))
    const storm = await startMixedStorm({
      db,
      folder,
      journal,
      operations,
      kills,
      killsBetweenProofs: kills,
      connections: 24,
      apis: 2,
      workers: 2,
      random: seededRandom('mixed storm'),
      say: (line) => console.log(line),
      onStart: (program) => programs.push(program),
    })
    expect(await storm.ended).toEqual([])
    expect(journal.acknowledged).toBeGreaterThanOrEqual(operations)
    expect(journal.kills.length).toBe(kills)
    expect(journal.killsDuringWork).toBeGreaterThanOrEqual(kills / 2)
    expect(journal.open.size).toBe(0)
    const kinds = new Set([...journal.answered.values()].map(({ kind }) => kind))
    expect(kinds.size).toBe(14)
  },
  noTimeout,
)
