import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { performance } from 'node:perf_hooks'
import { parseArgs } from 'node:util'
import type { Breakage, MatrixPaths } from './breakage.js'
import { breakages } from './breakages.js'
import { type Catcher, catchers, type Finding, type PassedTest, runCatcher } from './catchers.js'
import { ScratchCopy } from './scratch-copy.js'

const resultFile = path.resolve(import.meta.dirname, '../../../bench/results/proof-mutations.json')

type MutationResult = {
  name: string
  why: string
  files: string[]
  /** Of the edits. A result for other edits is not one for this breakage. */
  digest: string
  measuredAt: string
  /** The catcher that failed. Null: a hole in the proofs. */
  caughtBy: string | null
  proof: string | null
  counterexample: string | null
  /** Catchers that say nothing about the breakage, and why. */
  unfinished: string[]
  seconds: number
}

/** Makes every breakage in turn, in a copy of the repository. Returns whether all were caught. */
export async function runMutations(words: string[]): Promise<boolean> {
  const { values } = parseArgs({
    args: words,
    options: {
      only: { type: 'string', multiple: true },
      minutes: { type: 'string', default: '4' },
      continue: { type: 'boolean', default: false },
    },
  })
  const chosen = choose(values.only)
  const earlier = values.continue ? chosen.flatMap((breakage) => findEarlier(breakage) ?? []) : []
  const known = new Set(earlier.map(({ name }) => name))
  const remaining = chosen.filter(({ name }) => !known.has(name))
  const measured = remaining.length > 0 ? await breakInTurn(remaining, values.minutes) : []
  const results = [...earlier, ...measured]
  const caught = results.filter(({ caughtBy }) => caughtBy !== null).length
  const kept = earlier.length > 0 ? `, ${earlier.length} of them in an earlier run` : ''
  console.log(`${caught} of ${results.length} breakages caught${kept}`)
  return caught === results.length
}

async function breakInTurn(chosen: Breakage[], minutes: string): Promise<MutationResult[]> {
  const timeoutMs = Number(minutes) * 60_000
  const copy = new ScratchCopy()
  process.once('exit', () => copy.remove())
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(130))

  const soundness = new Soundness(copy, timeoutMs * timesWithoutBreakage)
  await refuseUnfit(soundness, chosen)
  const results: MutationResult[] = []
  for (const breakage of chosen) {
    const result = await tryBreakage({ copy, soundness, timeoutMs }, breakage)
    console.log(describe(result))
    results.push(result)
    keep(result)
  }
  return results
}

function choose(names: string[] | undefined): Breakage[] {
  if (!names) return breakages
  return names
    .flatMap((text) => text.split(','))
    .map((name) => {
      const found = breakages.find((breakage) => breakage.name === name)
      if (!found) throw new Error(`No breakage ${name} exists.`)
      return found
    })
}

/** Without a breakage, a proof does not end early, and it runs for many breakages at once. */
const timesWithoutBreakage = 10

/** A proof that fails without a breakage proves nothing about one. */
class Soundness {
  readonly #copy: ScratchCopy
  readonly #timeoutMs: number
  readonly #known = new Map<string, PassedTest[]>()

  constructor(copy: ScratchCopy, timeoutMs: number) {
    this.#copy = copy
    this.#timeoutMs = timeoutMs
  }

  /** Runs a catcher on the unbroken copy, once for the same paths. Throws if it does not pass. */
  async require(catcher: Catcher, paths: MatrixPaths): Promise<PassedTest[]> {
    const key = JSON.stringify([catcher.name, paths])
    const known = this.#known.get(key)
    if (known) return known
    const bounds = { paths, timeoutMs: this.#timeoutMs }
    const finding = await runCatcher(this.#copy.folder, catcher, bounds)
    if (finding.state !== 'passed')
      throw new Error(`${catcher.name} fails without a breakage: ${JSON.stringify(finding)}`)
    console.log(`${catcher.name} passes without a breakage: ${finding.tests.length} tests`)
    this.#known.set(key, finding.tests)
    return finding.tests
  }
}

/** Runs the quick catchers for all breakages at once, and requires that each has its paths. */
async function refuseUnfit(soundness: Soundness, chosen: Breakage[]): Promise<void> {
  const all = chosen.map(({ paths }) => paths)
  const paths: MatrixPaths = {
    of: [...new Set(all.flatMap(({ of }) => of))],
    named: [...new Set(all.flatMap(({ named }) => named))],
  }
  const passed: PassedTest[] = []
  for (const catcher of catchers.filter(({ isSlow }) => !isSlow))
    passed.push(...(await soundness.require(catcher, paths)))
  for (const { name, paths } of chosen) {
    const own = passed.filter(({ file }) => paths.of.includes(file))
    const unknown = paths.named.filter((part) => !own.some((test) => test.name.includes(part)))
    if (unknown.length > 0) throw new Error(`${name}: the crash matrix has no path of ${unknown}.`)
  }
}

async function tryBreakage(
  run: { copy: ScratchCopy; soundness: Soundness; timeoutMs: number },
  breakage: Breakage,
): Promise<MutationResult> {
  const { name, why, edits, paths } = breakage
  const result: MutationResult = {
    name,
    why,
    files: [...new Set(edits.map(({ file }) => file))],
    digest: digestOf(breakage),
    measuredAt: new Date().toISOString(),
    caughtBy: null,
    proof: null,
    counterexample: null,
    unfinished: [],
    seconds: 0,
  }
  for (const catcher of catchers) {
    if (catcher.isSlow) await run.soundness.require(catcher, paths)
    const startedAt = performance.now()
    const finding = await runBroken(run.copy, breakage, catcher, {
      paths,
      timeoutMs: run.timeoutMs,
    })
    result.seconds += Math.round((performance.now() - startedAt) / 1_000)
    if (finding.state === 'unfinished') result.unfinished.push(`${catcher.name}: ${finding.reason}`)
    if (finding.state !== 'caught') continue
    const { proof, counterexample } = finding
    return { ...result, caughtBy: catcher.name, proof, counterexample }
  }
  return result
}

async function runBroken(
  copy: ScratchCopy,
  breakage: Breakage,
  catcher: Catcher,
  bounds: { paths: MatrixPaths; timeoutMs: number },
): Promise<Finding> {
  copy.break(breakage)
  try {
    return await runCatcher(copy.folder, catcher, bounds)
  } finally {
    copy.restore()
  }
}

function describe({ name, caughtBy, proof, counterexample, unfinished, seconds }: MutationResult) {
  const by = caughtBy ? `${caughtBy}: ${proof}` : 'MISSED'
  const lines = [`${caughtBy ? '✓' : '✗'} ${name} (${seconds} s) ${by}`]
  if (counterexample) lines.push(counterexample)
  lines.push(...unfinished.map((reason) => `unfinished: ${reason}`))
  return lines.join('\n    ')
}

function digestOf({ edits }: Breakage): string {
  return createHash('sha256').update(JSON.stringify(edits)).digest('hex').slice(0, 16)
}

/** The result of the same edits, unless the catchers that missed it did not all finish. */
function findEarlier(breakage: Breakage): MutationResult | undefined {
  const digest = digestOf(breakage)
  return readKept().find(
    (result) =>
      result.name === breakage.name &&
      result.digest === digest &&
      (result.caughtBy !== null || result.unfinished.length === 0),
  )
}

function readKept(): MutationResult[] {
  if (!existsSync(resultFile)) return []
  return (JSON.parse(readFileSync(resultFile, 'utf8')) as { breakages: MutationResult[] }).breakages
}

/** Keeps the last result of each breakage, so that some can be run again alone. */
function keep(result: MutationResult): void {
  const known = new Map(readKept().map((earlier) => [earlier.name, earlier]))
  known.set(result.name, result)
  const kept = breakages.flatMap(({ name }) => known.get(name) ?? [])
  mkdirSync(path.dirname(resultFile), { recursive: true })
  const content = { total: breakages.length, breakages: kept }
  writeFileSync(resultFile, `${JSON.stringify(content, null, 2)}\n`)
}
