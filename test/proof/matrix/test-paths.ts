import { mkdirSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { afterAll, expect, test } from 'vitest'
import { type Random, seededRandom } from '../../support/seed.js'
import { type Covered, readCovered, toCovered, writeCovered } from './covered.js'
import { type Crash, type Failpoint, nameOf } from './faults.js'
import { keptCases } from './kept-cases.js'
import { type CaseResult, findFailpoints, listCrashes, type Path, runCase } from './run-path.js'
import { refuseViolations } from './violation.js'
import { closeAbandoned } from './world.js'

/**
 * `npm run proof:matrix` runs every case (`all`); `npm test` one of the first path of some groups,
 * and all cases that once failed. A number: that many of each path. If it is set, what the paths
 * cover is written.
 */
const wantedCases = process.env.PROOF_CASES
const isWhole = wantedCases === 'all'
/** Stops at the first violation, as when a breakage has to be caught. */
const isFirstEnough = process.env.PROOF_FIRST !== undefined
/** Part of the names of paths: the others are left out. */
const onlyPaths = process.env.PROOF_PATHS?.split(',')
/** Those that differ most from each other: the rest would cost `npm test` half a minute. */
const sampledGroups = new Set([
  'approvals',
  'batches',
  'crypto payouts',
  'deposits',
  'payments',
  'paystack payouts',
  'webhooks',
])
const sampleSize = Number(wantedCases ?? 1)
/** Worlds share nothing but the chain: there, blocks that one makes would let time pass for all. */
const casesAtOnceMax = 2
const pathTimeoutMs = wantedCases ? 60 * 60_000 : 3 * 60_000

type PathResult = { path: string; failpoints: Failpoint[]; cases: CaseResult[] }

/** Declares a test for each path, with its crashes. */
export function testPaths(group: string, paths: Path[]): void {
  const results: PathResult[] = []
  const kept = readCovered(group)
  const found: Covered = {}
  const random = seededRandom(`crash matrix of ${group}`)
  for (const path of paths) {
    test.runIf(isWanted(path, { isSampled: sampledGroups.has(group) && path === paths[0] }))(
      path.name,
      async () => {
        const failpoints = await findFailpoints(path)
        found[path.name] = toCovered(failpoints)
        if (!wantedCases) expectCovered(kept[path.name], found[path.name]!)
        const cases = await runCases(path, choose(path, failpoints, random))
        results.push({ path: path.name, failpoints, cases })
        refuseViolations(cases.flatMap(describeViolations))
        const unreached = cases.filter(({ hasFired }) => !hasFired)
        expect(unreached, 'the run did not come to the crash point').toEqual([])
      },
      pathTimeoutMs,
    )
  }
  afterAll(async () => {
    await closeAbandoned()
    // A group with a path that did not end, or was left out, is not published.
    if (isWhole && !isFirstEnough && results.length === paths.length) publish(group, results)
    const names = paths.map(({ name }) => name)
    if (wantedCases) writeCovered(group, names, found)
  })
}

function isWanted(path: Path, { isSampled }: { isSampled: boolean }): boolean {
  if (onlyPaths) return onlyPaths.some((part) => path.name.includes(part))
  const hasFailed = keptCases.some((known) => known.path === path.name)
  return wantedCases !== undefined || isSampled || hasFailed
}

function describeViolations({ failpoint, fault, violations }: CaseResult): string[] {
  return violations.map((violation) => `${fault} at ${failpoint}: ${violation}`)
}

/** A path that no longer comes by a table or call would leave it without a crash. */
function expectCovered(kept: string[] | undefined, found: string[]): void {
  expect(kept, 'Run this file with PROOF_CASES=0 to write what its paths cover.').toBeDefined()
  expect(kept!.filter((name) => !found.includes(name))).toEqual([])
}

/** Results are in the order of the crashes. */
async function runCases(path: Path, crashes: Crash[]): Promise<CaseResult[]> {
  const results: CaseResult[] = []
  let next = 0
  async function runNext(): Promise<void> {
    while (next < crashes.length) {
      const index = next
      next += 1
      const result = await runCase(path, crashes[index]!)
      results[index] = result
      if (isFirstEnough && result.violations.length > 0) next = crashes.length
    }
  }
  const { chain, runsAlone } = path.settings
  const atOnce = chain || runsAlone ? 1 : casesAtOnceMax
  await Promise.all(Array.from({ length: atOnce }, runNext))
  return results
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
  const known = keptCases.filter((kept) => kept.path === path.name)
  expect(kept.length, 'a kept case has no crash point any more').toBe(known.length)
  return [...kept, ...random.shuffle(all).slice(0, sampleSize)]
}

function publish(group: string, results: PathResult[]): void {
  const folder = new URL('../../../bench/results/matrix/', import.meta.url)
  mkdirSync(fileURLToPath(folder), { recursive: true })
  writeFileSync(new URL(`${group}.json`, folder), JSON.stringify(results, null, 2))
}
