import { mkdirSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { afterAll, expect, test } from 'vitest'
import { type Random, seededRandom } from '../../support/seed.js'
import { type Crash, type Failpoint, nameOf } from './faults.js'
import { keptCases } from './kept-cases.js'
import { type CaseResult, findFailpoints, listCrashes, type Path, runCase } from './run-path.js'
import { closeAbandoned } from './world.js'

/** `npm run proof:matrix` runs every case; `npm test` one of each path, and those that once failed. */
const isWhole = process.env.PROOF_CASES === 'all'
/** Stops at the first violation, as when a breakage has to be caught. */
const isFirstEnough = process.env.PROOF_FIRST !== undefined
/** Part of the names of paths: the others are left out. */
const onlyPaths = process.env.PROOF_PATHS?.split(',')
const sampleSize = 1
const pathTimeoutMs = 60 * 60_000

type PathResult = { path: string; failpoints: Failpoint[]; cases: CaseResult[] }

/** Declares a test for each path, with its crashes. */
export function testPaths(group: string, paths: Path[]): void {
  const results: PathResult[] = []
  const random = seededRandom(`crash matrix of ${group}`)
  for (const path of paths) {
    const isLeftOut = onlyPaths && !onlyPaths.some((part) => path.name.includes(part))
    test.skipIf(isLeftOut)(
      path.name,
      async () => {
        const failpoints = await findFailpoints(path)
        const cases: CaseResult[] = []
        for (const crash of choose(path, failpoints, random)) cases.push(await runCase(path, crash))
        results.push({ path: path.name, failpoints, cases })
        expect(cases.filter(({ violations }) => violations.length > 0)).toEqual([])
        const unreached = cases.filter(({ hasFired }) => !hasFired)
        if (unreached.length > 0) console.log(`${path.name}: not reached`, unreached)
      },
      pathTimeoutMs,
    )
  }
  afterAll(async () => {
    await closeAbandoned()
    if (isWhole) publish(group, results)
  })
}

function choose(path: Path, failpoints: Failpoint[], random: Random): Crash[] {
  const all = listCrashes(failpoints)
  if (isWhole) return isFirstEnough ? random.shuffle(all) : all
  const kept = all.filter(({ at, fault }) =>
    keptCases.some(
      (known) =>
        known.path === path.name && known.failpoint === nameOf(at) && known.fault === fault,
    ),
  )
  return [...kept, ...random.shuffle(all).slice(0, sampleSize)]
}

function publish(group: string, results: PathResult[]): void {
  const folder = new URL('../../../bench/results/matrix/', import.meta.url)
  mkdirSync(fileURLToPath(folder), { recursive: true })
  writeFileSync(new URL(`${group}.json`, folder), JSON.stringify(results, null, 2))
}
