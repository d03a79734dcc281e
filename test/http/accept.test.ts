import { expect, test } from 'vitest'
import { prefersCsv } from '../../src/http/accept.js'

test.each([
  [undefined, false],
  ['*/*', false],
  ['application/json', false],
  ['text/csv', true],
  ['TEXT/CSV', true],
  ['text/csv;q=0', false],
  ['application/json, text/csv;q=0.5', false],
  ['application/json;q=0.5, text/csv', true],
  ['text/csv;header=present', true],
])('Accept %s: CSV is preferred: %s', (accept, expected) => {
  expect(prefersCsv(accept)).toBe(expected)
})
