import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { performance } from 'node:perf_hooks'
import { parseArgs } from 'node:util'
import type { Breakage, MatrixPaths } from './breakage.js'
import { breakages } from './breakages.js'
import { type Catcher, catchers, type Finding, runCatcher } from './catchers.js'
import { ScratchCopy } from './scratch-copy.js'

const resultFile = path.resolve(import.meta.dirname, '../../../bench/results/proof-mutations.json')

type MutationResult = {
  name: string
  why: string
  files: string[]
  /** The catcher that failed. Null: a hole in the proofs. */
  caughtBy: string | null
  proof: string | null
  counterexample: string | null
  /** Catchers that did not end in time. They say nothing about the breakage. */
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
      unchecked: { type: 'boolean', default: false },
    },
  })
  const chosen = choose(values.only)
  const timeoutMs = Number(values.minutes) * 60_000
  const copy = new ScratchCopy()
  process.once('exit', () => copy.remove())
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(130))

  if (!values.unchecked) await refuseUnfit(copy, chosen, timeoutMs)
  const results: MutationResult[] = []
  for (const breakage of chosen) {
    const result = await tryBreakage(copy, breakage, timeoutMs)
    console.log(describe(result))
    results.push(result)
    keep(result)
  }
  const caught = results.filter(({ caughtBy }) => caughtBy !== null).length
  console.log(`${caught} of ${results.length} breakages caught`)
  return caught === results.length
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

/**
 * A proof that fails without a breakage proves nothing about one, nor does one that runs no test
 * of the path.
 */
async function refuseUnfit(
  copy: ScratchCopy,
  chosen: Breakage[],
  timeoutMs: number,
): Promise<void> {
  const all = chosen.map(({ paths }) => paths)
  const paths: MatrixPaths = {
    of: [...new Set(all.flatMap(({ of }) => of))],
    named: [...new Set(all.flatMap(({ named }) => named))],
  }
  const names: string[] = []
  for (const catcher of catchers.filter(({ isSlow }) => !isSlow)) {
    const finding = await runCatcher(copy.folder, catcher, { paths, timeoutMs: timeoutMs * 10 })
    if (finding.state !== 'passed')
      throw new Error(`${catcher.name} fails without a breakage: ${JSON.stringify(finding)}`)
    names.push(...finding.tests)
    console.log(`${catcher.name} passes without a breakage: ${finding.tests.length} tests`)
  }
  const unknown = paths.named.filter((part) => !names.some((name) => name.includes(part)))
  if (unknown.length > 0) throw new Error(`The crash matrix has no path of ${unknown}.`)
}

async function tryBreakage(
  copy: ScratchCopy,
  breakage: Breakage,
  timeoutMs: number,
): Promise<MutationResult> {
  const startedAt = performance.now()
  const { name, why, edits, paths } = breakage
  const files = [...new Set(edits.map(({ file }) => file))]
  const unfinished: string[] = []
  const seconds = () => Math.round((performance.now() - startedAt) / 100) / 10
  for (const catcher of catchers) {
    const finding = await runBroken(copy, breakage, catcher, { paths, timeoutMs })
    if (finding.state === 'unfinished') unfinished.push(catcher.name)
    if (finding.state !== 'caught') continue
    const { proof, counterexample } = finding
    const caughtBy = catcher.name
    return { name, why, files, caughtBy, proof, counterexample, unfinished, seconds: seconds() }
  }
  return {
    name,
    why,
    files,
    caughtBy: null,
    proof: null,
    counterexample: null,
    unfinished,
    seconds: seconds(),
  }
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
  const by = caughtBy
    ? `${caughtBy}: ${proof}`
    : `MISSED${unfinished.map((n) => `, ${n} unfinished`)}`
  const shown = counterexample ? `\n    ${counterexample}` : ''
  return `${caughtBy ? '✓' : '✗'} ${name} (${seconds} s) ${by}${shown}`
}

/** Keeps the last result of each breakage, so that some can be run again alone. */
function keep(result: MutationResult): void {
  const before = existsSync(resultFile)
    ? (JSON.parse(readFileSync(resultFile, 'utf8')) as { breakages: MutationResult[] }).breakages
    : []
  const known = new Map(before.map((earlier) => [earlier.name, earlier]))
  known.set(result.name, result)
  const kept = breakages.flatMap(({ name }) => known.get(name) ?? [])
  mkdirSync(path.dirname(resultFile), { recursive: true })
  writeFileSync(resultFile, `${JSON.stringify({ breakages: kept }, null, 2)}\n`)
}
