import { createHmac } from 'node:crypto'
import type { Clock } from '../../base/clock.js'
import type { ScreeningConfig } from '../../base/config.js'
import { newId } from '../../base/ids.js'
import { screeningLimits } from '../../screening/limits.js'
import type { ScreeningSubject, ScreeningVerdict } from '../../screening/ports.js'
import { measureRailCall } from '../rail-calls.js'
import { readBounded } from '../read-bounded.js'
import { isText } from './parse-list.js'

type HookConfig = NonNullable<ScreeningConfig['provider']>

type HookDependencies = { clock: Clock; timeoutMs?: number }

/**
 * Queries a provider over HTTP. Anything but a complete answer makes every subject of the request
 * unknown. After a failure it is not queried for some seconds: callers wait for one timeout, not
 * for one after the other.
 */
export function createScreeningHook(config: HookConfig, dependencies: HookDependencies) {
  const { clock, timeoutMs = screeningLimits.timeoutMs } = dependencies
  let pausedUntilMs = Number.NEGATIVE_INFINITY

  async function screenGroup(subjects: ScreeningSubject[]): Promise<ScreeningVerdict[]> {
    const unknown = (why: string): ScreeningVerdict[] =>
      subjects.map(() => ({ verdict: 'unknown', why }))
    if (clock.elapsedMs() < pausedUntilMs) return unknown('the provider failed moments ago')
    try {
      return await measureRailCall('screening', () => ask(config, subjects, { clock, timeoutMs }))
    } catch (error) {
      pausedUntilMs = clock.elapsedMs() + screeningLimits.pauseAfterFailureMs
      return unknown(describe(error))
    }
  }

  return async (subjects: ScreeningSubject[]): Promise<ScreeningVerdict[]> => {
    const { subjectsPerRequestMax } = screeningLimits
    const verdicts: ScreeningVerdict[] = []
    for (let start = 0; start < subjects.length; start += subjectsPerRequestMax)
      verdicts.push(...(await screenGroup(subjects.slice(start, start + subjectsPerRequestMax))))
    return verdicts
  }
}

class HookProblem extends Error {}

async function ask(
  { url, secret }: HookConfig,
  subjects: ScreeningSubject[],
  { clock, timeoutMs }: { clock: Clock; timeoutMs: number },
): Promise<ScreeningVerdict[]> {
  const now = clock.now()
  const id = newId(now)
  const timestamp = Math.floor(now.getTime() / 1_000)
  const body = JSON.stringify({
    subjects: subjects.map(({ kind, value, mode }) => ({ kind, value, mode })),
  })
  const signature = createHmac('sha256', secret.reveal())
    .update(`${id}.${timestamp}.${body}`)
    .digest('base64')
  const response = await fetch(url, {
    method: 'POST',
    headers: {
      accept: 'application/json',
      'content-type': 'application/json',
      'webhook-id': id,
      'webhook-timestamp': String(timestamp),
      'webhook-signature': `v1,${signature}`,
    },
    body,
    // A redirect could carry names to another host.
    redirect: 'manual',
    signal: AbortSignal.timeout(timeoutMs),
  })
  if (response.status !== 200) {
    await response.body?.cancel()
    throw new HookProblem(`the provider answers with status ${response.status}`)
  }
  const text = await readBounded(response, screeningLimits.answerBytesMax)
  if (text === undefined) throw new HookProblem('the answer of the provider is too long')
  return readAnswer(text, subjects.length)
}

function readAnswer(text: string, count: number): ScreeningVerdict[] {
  const answer = parse(text)
  const { list, version, verdicts } = answer
  if (!isText(list) || !isText(version))
    throw new HookProblem('the answer of the provider lacks `list` or `version`')
  if (!Array.isArray(verdicts) || verdicts.length !== count)
    throw new HookProblem('the answer of the provider lacks a verdict for each subject')
  return verdicts.map((given: unknown): ScreeningVerdict => {
    const { verdict, entry } = isObject(given) ? given : {}
    if (verdict === 'clear') return { verdict, list, version }
    if (verdict === 'hit' && isText(entry)) return { verdict, list, version, entry }
    return { verdict: 'unknown', why: 'the provider has no verdict' }
  })
}

function parse(text: string): Record<string, unknown> {
  let answer: unknown
  try {
    answer = JSON.parse(text)
  } catch {
    throw new HookProblem('the answer of the provider is not JSON')
  }
  if (!isObject(answer)) throw new HookProblem('the answer of the provider is not an object')
  return answer
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null
}

/** Leaves out the URL, which `fetch` may put into messages. */
function describe(error: unknown): string {
  if (error instanceof HookProblem) return error.message
  if ((error as Error).name === 'TimeoutError') return 'the provider did not answer in time'
  return 'the provider cannot be reached'
}
