import { isDeepStrictEqual } from 'node:util'
import { printExactly } from './exact-json.js'
import type { Result } from './scenarios.js'

/** What a driver answered, without the id. */
export type Answered = Result & { crash?: string }

/** Differences between what a driver should answer and what it answered. */
export function compareResult(
  expected: Result,
  answered: Answered,
  sentKey: string | undefined,
): string[] {
  const { error } = expected
  if (answered.crash !== undefined) return [`The driver crashed: ${answered.crash}`]
  const names = new Set([...Object.keys(expected), ...Object.keys(answered)]) as Set<keyof Result>
  const wrong = [...names]
    .filter((name) => name !== 'error' && !isSame(expected[name], answered[name]))
    .map((name) => `${name} is ${show(answered[name])} instead of ${show(expected[name])}`)
  if (!error) return answered.error ? [...wrong, `error: ${show(answered.error)}`] : wrong
  if (!answered.error) return [...wrong, `there is no error, but ${show(answered)}`]
  return [...wrong, ...compareErrors(error, answered.error, sentKey)]
}

function compareErrors(
  expected: Record<string, unknown>,
  answered: Record<string, unknown>,
  sentKey: string | undefined,
): string[] {
  return Object.entries(expected).flatMap(([name, value]) => {
    const wanted = value === '<sent>' ? sentKey : value
    const part = /^(.*)Contains$/.exec(name)?.[1]
    if (!part) {
      const isRight = isSame(wanted, answered[name])
      return isRight ? [] : [`error.${name} is ${show(answered[name])} instead of ${show(wanted)}`]
    }
    const isRight = typeof wanted === 'string' && String(answered[part]).includes(wanted)
    return isRight ? [] : [`error.${part} is ${show(answered[part])}, without ${show(wanted)}`]
  })
}

/** Equal as JSON, where null and absent are the same, and `*` is any text. */
function isSame(expected: unknown, answered: unknown): boolean {
  if (expected === '*') return typeof answered === 'string' && answered !== ''
  return isDeepStrictEqual(withoutNulls(expected), withoutNulls(answered))
}

function withoutNulls(value: unknown): unknown {
  if (value === null) return undefined
  if (Array.isArray(value)) return value.map(withoutNulls)
  if (typeof value !== 'object') return value
  const kept = Object.entries(value).filter(([, inner]) => inner !== null)
  return Object.fromEntries(kept.map(([name, inner]) => [name, withoutNulls(inner)]))
}

export function show(value: unknown): string {
  return value === undefined ? 'nothing' : printExactly(value)
}
