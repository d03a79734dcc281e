import { mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { parseArgs } from 'node:util'
import { Database } from '../../src/postgres/database.js'
import { startEmbeddedServer } from '../../src/postgres/embedded/server.js'
import { migrate } from '../../src/postgres/migrations/migrate.js'
import type { Program } from '../support/program.js'
import { isRunning } from '../support/program.js'
import { seededRandom } from '../support/seed.js'
import { Journal } from './journal.js'
import { startMixedStorm } from './mixed-storm.js'
import { countBy } from './multiset.js'

const progressIntervalMs = 60_000
const violationsShownMax = 20
const root = path.resolve(import.meta.dirname, '../..')

export const usage = `npm run proof:kills -- [--kills 1000] [--operations 100000] [--folder <path>]
  [--verify-every 50] [--seed <number>]

Kills one of two API processes or one of two workers, again and again, while merchants and payers
operate.
Ctrl-C stops it; the same command with the same folder continues.`

type Settings = {
  kills: number
  operations: number
  killsBetweenProofs: number
  folder: string
  seed: number
}

function readSettings(): Settings {
  const { values } = parseArgs({
    options: {
      kills: { type: 'string', default: '1000' },
      operations: { type: 'string', default: '' },
      'verify-every': { type: 'string', default: '50' },
      folder: { type: 'string', default: path.join(root, 'bench/results/proof-kills') },
      seed: { type: 'string', default: `${Math.floor(Math.random() * 2 ** 31)}` },
    },
  })
  const kills = readCount(values.kills)
  return {
    kills,
    operations: readCount(values.operations || `${100 * kills}`),
    killsBetweenProofs: readCount(values['verify-every']),
    folder: path.resolve(values.folder),
    seed: readCount(values.seed),
  }
}

function readCount(text: string): number {
  if (!/^[1-9]\d{0,9}$/.test(text)) throw new Error(`${text} is not a whole number.\n\n${usage}`)
  return Number(text)
}

/** The exit code: 0 when every proof held, 1 on a violation, 130 when stopped before the end. */
export async function proveKills(): Promise<number> {
  const settings = readSettings()
  const { kills, operations, folder, seed } = settings
  process.env.SEED = `${seed}`
  mkdirSync(folder, { recursive: true, mode: 0o755 })
  const startedAt = performance.now()
  const journal = new Journal(path.join(folder, 'journal.jsonl'))
  const { acknowledged } = journal
  console.log(`${folder}: ${acknowledged} acknowledged and ${journal.kills.length} kills so far`)
  const server = await startEmbeddedServer({ dataDirectory: path.join(folder, 'data') })
  await migrate(server.url)
  const db = new Database(server.url, () => {})
  const programs: Program[] = []
  let isStopped = false
  const seconds = () => Math.round((performance.now() - startedAt) / 1_000)
  const showProgress = () =>
    console.log(
      `${seconds()} s: ${journal.acknowledged} of ${operations} acknowledged, ` +
        `${journal.kills.length} of ${kills} kills, ${journal.open.size} requests open`,
    )
  const timer = setInterval(showProgress, progressIntervalMs)
  try {
    const storm = await startMixedStorm({
      ...settings,
      db,
      journal,
      connections: 32,
      apis: 2,
      workers: 2,
      random: seededRandom('proof of kills'),
      say: (line) => {
        if (!line.startsWith('kill ')) console.log(`${seconds()} s: ${line}`)
      },
      onStart: (program) => programs.push(program),
    })
    for (const signal of ['SIGINT', 'SIGTERM'] as const)
      process.once(signal, () => {
        isStopped = true
        console.log('Stopping. Run the same command to continue.')
        storm.stop()
      })
    const violations = await storm.ended
    showProgress()
    journal.endRun({ seed, seconds: seconds(), violations: violations.length })
    report(settings, journal, violations)
    if (violations.length > 0) return 1
    return isStopped ? 130 : 0
  } catch (error) {
    journal.endRun({ seed, seconds: seconds(), violations: 1 })
    report(settings, journal, [error instanceof Error ? `${error.stack}` : String(error)])
    return 1
  } finally {
    clearInterval(timer)
    for (const program of programs) if (isRunning(program.pid)) program.signal('SIGKILL')
    await db.close()
    await server.stop()
  }
}

function report(
  { kills, operations, seed }: Settings,
  journal: Journal,
  violations: string[],
): void {
  for (const violation of violations.slice(0, violationsShownMax)) console.error(violation)
  if (violations.length > 0) console.error(`VIOLATED with --seed ${seed}`)
  const acknowledged = [...journal.answered.values()].filter(({ answer }) => answer.status < 300)
  const isComplete =
    journal.kills.length >= kills &&
    journal.killsDuringWork * 2 >= journal.kills.length &&
    journal.acknowledged >= operations
  const result = {
    isPassed: isComplete && violations.length === 0,
    wanted: { kills, operations },
    acknowledged: journal.acknowledged,
    refused: journal.refused.length,
    kills: journal.kills.length,
    killsOf: countBy(journal.kills, ({ victim }) => victim),
    killsDuringWork: journal.killsDuringWork,
    kinds: countBy(acknowledged, ({ kind }) => kind),
    violations: journal.runs.reduce((sum, run) => sum + run.violations, 0),
    seconds: journal.runs.reduce((sum, run) => sum + run.seconds, 0),
    runs: journal.runs,
  }
  const results = path.join(root, 'bench/results')
  mkdirSync(results, { recursive: true })
  writeFileSync(path.join(results, 'proof-kills.json'), `${JSON.stringify(result, null, 2)}\n`)
  console.log(JSON.stringify(result, null, 2))
}
