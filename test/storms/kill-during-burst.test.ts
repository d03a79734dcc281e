import { expect, test } from 'vitest'
import { createHome } from '../support/program.js'
import { seededRandom } from '../support/seed.js'
import { trackPrograms } from '../support/track-programs.js'
import { killDuringBurst } from './kill-during-burst.js'
import { noTimeout } from './progress.js'

/** `npm run storm` runs more rounds. */
const kills = Number(process.env.STORM_KILLS ?? 2)

const home = createHome()
const programs = trackPrograms(home)

// Processes die during writes. Every acknowledged request is done once; every unanswered one can be
// retried and is not done twice.
test(
  'no acknowledged write is lost and none is done twice, whatever is killed',
  async () => {
    const aftermath = await killDuringBurst({
      home,
      kills,
      connections: 48,
      random: seededRandom('kill during burst'),
      say: (line) => console.log(line),
      onStart: (program) => programs.push(program),
    })
    const { acknowledged, unanswered } = aftermath
    console.log(`${acknowledged} acknowledged; unanswered: ${JSON.stringify(unanswered)}`)
    expect(acknowledged).toBeGreaterThan(kills)
    expect(aftermath.killsDuringWork).toBeGreaterThanOrEqual(kills / 2)
    expect(unanswered.done + unanswered.undone).toBeGreaterThan(0)
    expect(aftermath.changedAnswers).toEqual([])
    expect(aftermath.missing).toEqual([])
    expect(aftermath.unexplained).toEqual([])
    expect(aftermath.available).toBe(aftermath.expected)
    expect(aftermath.verdict.out).toContain('The ledger is consistent.')
    expect([aftermath.verdict.code, aftermath.exitCode]).toEqual([0, 0])
  },
  noTimeout,
)
