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

/** Basis points as a percentage without trailing zeros: 1250 is 12.5. */
export function formatPercent(basisPoints: number): string {
  const digits = String(basisPoints).padStart(3, '0')
  const fraction = digits.slice(-2).replace(/0+$/, '')
  return digits.slice(0, -2) + (fraction && `.${fraction}`)
}
