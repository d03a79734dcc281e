import { Unknown } from './provider-client.js'

/** Reads fields of a provider's answer, in which every number is a text. */

export type Fields = Record<string, unknown>

export function asFields(value: unknown): Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Fields)
    : {}
}

export function asList(value: unknown): Fields[] {
  return Array.isArray(value) ? value.map(asFields) : []
}

/** Undefined if it is missing, null or empty. */
export function readText(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined
}

/** For required fields: throws `Unknown` if it is missing. */
export function needText(value: unknown, name: string): string {
  const text = readText(value)
  if (text === undefined) throw new Unknown(`the answer has no ${name}`)
  return text
}

export function needTime(value: unknown, name: string): Date {
  const time = new Date(needText(value, name))
  if (Number.isNaN(time.getTime())) throw new Unknown(`${name} is not a time`)
  return time
}
