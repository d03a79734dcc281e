import { strict as assert } from 'node:assert'

/** More than 0 and at most 100, with at most two digits after the point. */
export const percentPattern =
  '^(?:100(?:\\.0{1,2})?|[1-9]\\d?(?:\\.\\d{1,2})?|0\\.(?:[1-9]\\d?|0[1-9]))$'

const percent = new RegExp(percentPattern)

/** A percentage that the pattern accepts, in basis points. */
export function parsePercent(text: string): number {
  assert(percent.test(text), 'the schema accepts only percentages')
  const [whole = '', fraction = ''] = text.split('.')
  return Number(whole + fraction.padEnd(2, '0'))
}
