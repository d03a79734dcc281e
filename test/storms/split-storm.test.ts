import path from 'node:path'
import { expect, test } from 'vitest'
import { freshDatabase } from '../support/database.js'
import { isLongRun } from '../support/long-run.js'
import { createHome } from '../support/program.js'
import { seededRandom } from '../support/seed.js'
import { trackPrograms } from '../support/track-programs.js'
import { Journal } from './journal.js'
import { countBy } from './multiset.js'
import { noTimeout } from './progress.js'
import { runSplitStorm } from './split-storm.js'

/** Only `npm run storm` and `npm run storm:splits` run it. */
const kills = Number(process.env.STORM_KILLS ?? 20)
const operations = Math.max(2_000, kills * 100)

const db = await freshDatabase()
const folder = createHome()
const programs = trackPrograms(folder)

// Sales of a marketplace, refunds beyond what sellers have, releases, payouts and settlements of
// sub-accounts; API and workers die. What sellers have and owe follows from what was acknowledged.
test.runIf(isLongRun)(
  'sellers have and owe what follows from every answer, whatever is killed',
  async () => {
    const journal = new Journal(path.join(folder, 'journal.jsonl'))
    const violations = await runSplitStorm({
      db,
      journal,
      operations,
      kills,
      connections: 16,
      apis: 2,
      workers: 2,
      random: seededRandom('split storm'),
      say: (line) => console.log(line),
      onStart: (program) => programs.push(program),
    })
    expect(violations).toEqual([])
    console.log(countBy([...journal.answered.values()], ({ kind }) => kind))
    expect(journal.acknowledged).toBeGreaterThanOrEqual(operations)
    expect(journal.kills.length).toBe(kills)
    console.log(`${journal.killsDuringWork} of ${kills} kills fell while operations were open`)
    expect(journal.killsDuringWork).toBeGreaterThanOrEqual(kills / 2)
    expect(journal.open.size).toBe(0)
  },
  noTimeout,
)
