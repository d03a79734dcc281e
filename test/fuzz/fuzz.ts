import fc from 'fast-check'
import { createJudge } from './judge.js'
import { type Document, listOperations, type Operation } from './operations.js'
import { allowedDrafts, type Draft, drafts } from './requests.js'
import {
  type Answer,
  type Keys,
  type Memory,
  remember,
  type Sent,
  send,
  toCurl,
  toSent,
} from './send.js'

export type Target = { url: string; keys: Keys; document: Document }
export type Bounds = { cases: number; seed: number; ms: number }
export type Report = {
  cases: number
  seed: number
  /** Counts by operation and status. */
  met: Map<string, Map<number, number>>
  troubles: string[]
}

/** Interesting values by field name, such as magic values of test mode. */
export type Dictionary = Record<string, string[]>

const sequenceLength = 6
/** Limits the time spent on shrinking one finding. */
const sequencesAtOnce = 50
const patienceMs = 20_000
const meanLength = (1 + sequenceLength) / 2

/**
 * Sends valid and invalid requests in short sequences that use references from earlier answers. Each
 * finding is shrunk, reported once with a command that reproduces it, and the run goes on.
 */
export async function fuzz(
  target: Target,
  bounds: Bounds,
  dictionary: Dictionary,
): Promise<Report> {
  const sequences = listSequences(listOperations(target.document))
  const judge = createJudge(target.document)
  const memory: Memory = new Map(Object.entries(dictionary).map(([kind, all]) => [kind, [...all]]))
  const report: Report = { cases: 0, seed: bounds.seed, met: new Map(), troubles: [] }
  const known = new Set<string>()
  const until = Date.now() + bounds.ms
  let latest = ''

  async function ask(draft: Draft): Promise<void> {
    const sent = toSent(draft, target.keys, memory)
    const answer = await send(target.url, sent).catch((error: Error) => error)
    report.cases += 1
    try {
      if (answer instanceof Error) throw answer
      count(report, draft, answer)
      judge(sent, answer)
      learn(memory, draft, sent, answer)
    } catch (error) {
      const name = `${draft.method} ${draft.template}: ${kindOf((error as Error).message)}`
      if (known.has(name)) return
      latest = name
      throw new Error(`${(error as Error).message}\n${toCurl(target.url, sent)}`)
    }
  }

  for (let round = 0; report.cases < bounds.cases && Date.now() < until; round += 1) {
    const property = fc.asyncProperty(sequences, async (sequence) => {
      for (const draft of sequence) await ask(draft)
    })
    const left = Math.ceil((bounds.cases - report.cases) / meanLength)
    const leftMs = Math.max(until - Date.now(), 1)
    const checked = await fc.check(property, {
      seed: bounds.seed + round,
      numRuns: Math.min(left, sequencesAtOnce),
      interruptAfterTimeLimit: Math.min(leftMs, patienceMs),
      markInterruptAsFailure: false,
    })
    // On a busy machine the time may be over before the first sequence.
    if (!checked.failed || (checked.interrupted && checked.numRuns === 0)) continue
    known.add(latest)
    const shrunk = `after ${checked.numShrinks} shrinks`
    report.troubles.push(`${latest} (${shrunk})\n${(checked.errorInstance as Error).message}`)
  }
  return report
}

/** Sends requests of every operation that the document allows; returns what should not have happened. */
export async function sendAllowed(
  target: Target,
  { perOperation, seed }: { perOperation: number; seed: number },
): Promise<{ met: Report['met']; troubles: string[] }> {
  const judge = createJudge(target.document)
  const memory: Memory = new Map()
  const report: Report = { cases: 0, seed, met: new Map(), troubles: [] }
  for (const operation of listOperations(target.document)) {
    const samples = fc.sample(allowedDrafts(operation), { numRuns: perOperation, seed })
    await Promise.all(
      samples.map(async (draft) => {
        const sent = toSent(draft, target.keys, memory)
        try {
          const answer = await send(target.url, sent)
          count(report, draft, answer)
          judge(sent, answer)
          learn(memory, draft, sent, answer)
        } catch (error) {
          report.troubles.push(`${(error as Error).message}\n${toCurl(target.url, sent)}`)
        }
      }),
    )
  }
  return report
}

function listSequences(operations: Operation[]) {
  return fc.array(fc.oneof(...operations.map(drafts)), { minLength: 1, maxLength: sequenceLength })
}

/** Normalizes details that differ between cases of the same finding. */
function kindOf(message: string): string {
  return message
    .split('\n', 1)[0]!
    .replace(/"[^"]*"|\b\w*\d\w*\b/g, '…')
    .slice(0, 160)
}

function count({ met }: Report, { method, template }: Draft, { status }: Answer): void {
  const name = `${method} ${template}`
  const statuses = met.get(name) ?? new Map<number, number>()
  met.set(name, statuses.set(status, (statuses.get(status) ?? 0) + 1))
}

/** References by prefix, other values by field name. */
export function learn(memory: Memory, { who }: Draft, { headers }: Sent, { json }: Answer): void {
  const key = headers[headers.indexOf('Idempotency-Key') + 1]
  if (headers.includes('Idempotency-Key')) remember(memory, 'Idempotency-Key', key!)
  if (who !== 'secret') return
  JSON.stringify(json, (name, value) => {
    if (typeof value !== 'string' || value.length > 500) return value
    const [, prefix] = /^([a-z]+_)[0-9a-z]{16,}$/.exec(value) ?? []
    if (prefix || learned.has(name)) remember(memory, prefix ?? name, value)
    return value
  })
}

const learned = new Set([
  'accountNumber',
  'address',
  'merchantReference',
  'externalReference',
  'nextCursor',
])
