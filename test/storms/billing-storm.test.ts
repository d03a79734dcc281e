import path from 'node:path'
import { expect, test } from 'vitest'
import { freshDatabase } from '../support/database.js'
import { isLongRun } from '../support/long-run.js'
import { createHome } from '../support/program.js'
import { seededRandom } from '../support/seed.js'
import { openSmtpServer } from '../support/smtp-server.js'
import { trackPrograms } from '../support/track-programs.js'
import { runBillingStorm } from './billing-storm.js'
import { Journal } from './journal.js'
import { countBy } from './multiset.js'
import { noTimeout } from './progress.js'

/** Only `npm run storm` and `npm run storm:billing` run it. */
const kills = Number(process.env.STORM_KILLS ?? 20)
const operations = Math.max(2_000, kills * 100)

const db = await freshDatabase()
const folder = createHome()
const programs = trackPrograms(folder)

// Invoices that are paid in parts, too much or twice, refunds, credit notes, mails; API and workers
// die. What is due of every invoice follows from what was acknowledged.
test.runIf(isLongRun)(
  'invoices are due what follows from every answer, whatever is killed',
  async () => {
    const journal = new Journal(path.join(folder, 'journal.jsonl'))
    const violations = await runBillingStorm({
      db,
      relay: await openSmtpServer(),
      journal,
      operations,
      kills,
      connections: 16,
      apis: 2,
      workers: 2,
      random: seededRandom('billing storm'),
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
