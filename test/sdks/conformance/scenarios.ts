import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { parseExactly } from './exact-json.js'

/** What a driver is asked; README.md has the fields. */
type Call = {
  kind?: string
  resource?: string
  operation?: string
  body?: unknown
  csv?: string
  options?: { idempotencyKey?: string; [name: string]: unknown }
  [name: string]: unknown
}

export type Expected = {
  method: string
  path: string
  query?: Record<string, string>
  headers?: Record<string, string | null>
  body?: unknown
  csv?: string
  afterMs?: number
}

type Fault = 'drop' | 'close' | 'half-body' | 'late' | 'late-body'

export type Step = {
  expect: Expected
  status?: number
  headers?: Record<string, string>
  data?: unknown
  refusal?: Record<string, unknown>
  text?: string
  base64?: string
  fault?: Fault
}

export type Result = {
  value?: unknown
  items?: unknown[]
  page?: unknown
  event?: unknown
  headers?: Record<string, string>
  printed?: string
  error?: Record<string, unknown>
}

export type Scenario = {
  /** With the name of the file: `retries/408`. */
  id: string
  group: string
  title: string
  call: Call
  steps: Step[]
  result: Result
  notFor: Record<string, string>
}

type File = { about: string; scenarios: (Omit<Scenario, 'group'> & { steps?: Step[] })[] }

const folder = path.join(import.meta.dirname, 'scenarios')

/** Every scenario, in the order of the files. */
export function readScenarios(): Scenario[] {
  return readdirSync(folder)
    .filter((name) => name.endsWith('.json'))
    .flatMap((name) => {
      const file = parseExactly(readFileSync(path.join(folder, name), 'utf8')) as File
      return file.scenarios.map((scenario) => ({
        ...scenario,
        id: `${path.basename(name, '.json')}/${scenario.id}`,
        group: file.about,
        steps: scenario.steps ?? [],
        notFor: scenario.notFor ?? {},
      }))
    })
}
