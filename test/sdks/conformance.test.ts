import { createInterface } from 'node:readline'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Answered } from './conformance/compare.js'
import { listEveryEvent, listEveryOperation } from './conformance/every-operation.js'
import { parseExactly, printExactly } from './conformance/exact-json.js'
import { apiKey, judge } from './conformance/judge.js'
import { readScenarios, type Scenario } from './conformance/scenarios.js'
import { openScenarioServer, type Play } from './conformance/server.js'
import { findSdks, type Sdk, startProgram } from './drivers.js'

/** Every SDK against the scenarios of test/sdks/conformance. */

const scenarios = readScenarios()
const everyShape = [...listEveryOperation(), ...listEveryEvent()]
const all = [...scenarios, ...everyShape]
const server = await openScenarioServer()
const { present, missing } = findSdks()

/** Compiling Go for the first time takes most of it. */
const driverMaxMs = 180_000

type Run = { problems: Map<string, string[]>; output: string }
const runs = new Map(present.map((sdk) => [sdk.language, run(sdk)]))
// Awaited by the tests of its language.
for (const started of runs.values()) started.catch(() => {})

async function run(sdk: Sdk): Promise<Run> {
  const driver = startProgram(sdk, sdk.driver)
  const timer = setTimeout(() => driver.kill('SIGKILL'), driverMaxMs)
  const played = all.filter(({ notFor }) => !notFor[sdk.language])
  const plays = new Map(played.map((scenario, index) => [scenario.id, start(scenario, sdk, index)]))
  const answers = new Map<string, Answered>()
  let output = ''
  driver.stderr.on('data', (chunk) => {
    output += chunk
  })
  const closed = new Promise<number | null>((resolve) => driver.on('close', resolve))
  driver.stdin.on('error', () => {})
  driver.stdin.end(played.map(({ id }) => `${plays.get(id)!.line}\n`).join(''))
  for await (const line of createInterface({ input: driver.stdout })) {
    const { id, ...answered } = parseLine(line)
    if (answers.has(id)) answered.crash = `There are two answers to ${id}.`
    answers.set(id, answered)
  }
  const code = await closed
  clearTimeout(timer)
  if (code !== 0) throw new Error(`The driver ended with ${code}: ${output}`)
  const problems = played.map((scenario): [string, string[]] => [
    scenario.id,
    judge(scenario, plays.get(scenario.id)!.play, answers.get(scenario.id)),
  ])
  return { problems: new Map([...problems, checkKeys(plays)]), output }
}

function start(scenario: Scenario, { language }: Sdk, index: number): { line: string; play: Play } {
  const { id, call, steps } = scenario
  const { baseUrl, play } = server.play(`${language}-${index}`, steps)
  const isTimed = steps.some(({ expect }) => expect.afterMs !== undefined)
  const line = {
    kind: 'call',
    key: apiKey,
    ...call,
    id,
    ...(call.kind !== 'webhook' && call.kind !== 'sign' && { baseUrl: baseUrlOf(call, baseUrl) }),
    ...(!isTimed && { options: { firstWaitMs: 1, ...call.options } }),
  }
  return { line: printExactly(line), play }
}

/** `baseUrl` of a scenario may continue the server's, or replace it. */
function baseUrlOf({ baseUrl }: Scenario['call'], serverUrl: string): unknown {
  if (typeof baseUrl !== 'string') return baseUrl ?? serverUrl
  return baseUrl.replace('<server>', serverUrl).replace('<closed>', server.closedUrl)
}

function parseLine(line: string): Answered & { id: string } {
  try {
    return parseExactly(line) as Answered & { id: string }
  } catch {
    throw new Error(`This is not a JSON line: ${line}`)
  }
}

const keysScenario = 'all/new-keys'

/** Two calls never share a generated key. */
function checkKeys(plays: Map<string, { play: Play }>): [string, string[]] {
  const generated = [...plays].flatMap(([id, { play }]) => {
    const own = all.find((scenario) => scenario.id === id)?.call.options?.idempotencyKey
    const key = play.seen[0]?.headers['idempotency-key']
    return key !== undefined && own === undefined ? [key] : []
  })
  const repeated = generated.filter((key, index) => generated.indexOf(key) !== index)
  return [keysScenario, [...repeated, ...(generated.length > 10 ? [] : ['too few keys'])]]
}

afterAll(async () => {
  await printTable()
  server.close()
})

/** The table of scenarios and languages. */
async function printTable() {
  const settled = await Promise.all(
    present.map(async ({ language }) => {
      const run = await runs.get(language)!.catch(() => undefined)
      return { language, run }
    }),
  )
  const width = Math.max(...scenarios.map(({ id }) => id.length)) + 2
  const head = [''.padEnd(width), ...settled.map(({ language }) => language)].join(' ')
  const rows = scenarios.map(({ id, notFor }) => {
    const cells = settled.map(({ language, run }) => {
      const cell = notFor[language] ? '–' : run?.problems.get(id)?.length === 0 ? '✓' : '✗'
      return cell.padEnd(language.length)
    })
    return [id.padEnd(width), ...cells].join(' ')
  })
  const counts = settled.map(({ language, run }) => {
    const right = everyShape.filter(({ id }) => run?.problems.get(id)?.length === 0)
    return `${language}: ${right.length}`
  })
  const total = `Of ${everyShape.length} calls and events with every field are right: ${counts.join(', ')}.`
  const notes = scenarios.flatMap(({ id, notFor }) =>
    Object.entries(notFor).map(([language, why]) => `– ${id}, ${language}: ${why}`),
  )
  const absent = missing.map((language) => `Not installed, so not tested: ${language}.`)
  process.stdout.write(`${[head, ...rows, total, ...notes, ...absent].join('\n')}\n`)
}

test('scenarios have names of their own and say what they expect', () => {
  const ids = scenarios.map(({ id }) => id)
  expect(ids.filter((id, index) => ids.indexOf(id) !== index)).toEqual([])
  expect(scenarios.filter(({ result }) => Object.keys(result).length === 0)).toEqual([])
  expect(scenarios.length).toBeGreaterThanOrEqual(60)
})

describe.each(present.map(({ language }) => [language]))('%s', (language) => {
  let problems: Map<string, string[]>
  beforeAll(async () => {
    problems = (await runs.get(language)!).problems
  }, driverMaxMs)

  const own = scenarios.filter(({ notFor }) => !notFor[language])
  test.each(own.map(({ id, title }) => [id, title]))('%s: %s', (id) => {
    expect(problems.get(id)).toEqual([])
  })

  test('every operation and event keeps every field', () => {
    const wrong = everyShape.flatMap(({ id }) =>
      problems.get(id)!.map((problem) => `${id}: ${problem.slice(0, 300)}`),
    )
    expect(wrong).toEqual([])
  })

  test('every call has an idempotency key of its own', () => {
    expect(problems.get(keysScenario)).toEqual([])
  })
})
