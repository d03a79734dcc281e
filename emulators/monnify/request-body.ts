import type { ProviderAnswer } from '../http-server.js'
import { refuse } from './answers.js'

/** The fields of a JSON object; anything else has none. */
export function readBody(body: string): Record<string, unknown> {
  try {
    const read: unknown = JSON.parse(body)
    return typeof read === 'object' && read !== null ? (read as Record<string, unknown>) : {}
  } catch {
    return {}
  }
}

export function textOf(value: unknown): string {
  return typeof value === 'string' ? value : ''
}

/** Refuses a call that lacks required texts, in the provider's words. */
export function missingTexts(
  given: Record<string, unknown>,
  names: string[],
): ProviderAnswer | undefined {
  const missing = names.find((name) => textOf(given[name]).trim() === '')
  return missing === undefined ? undefined : refuse(400, '99', `${missing} must not be blank`)
}
