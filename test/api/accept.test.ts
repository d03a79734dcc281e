import { expect, test } from 'vitest'
import { prefersCsv, refusesJson, takesGzip } from '../../src/api/server/accept.js'

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

test.each([
  [undefined, false],
  ['*/*', false],
  ['application/json', false],
  ['text/html,application/xhtml+xml,*/*;q=0.8', false],
  ['text/html', false],
  ['text/csv', true],
  ['Text/CSV; charset=utf-8', true],
  ['text/csv, application/json;q=0', true],
  ['text/csv, text/html', true],
  ['text/csv, application/json;q=0.1', false],
  ['text/csv, application/*;q=0.1', false],
  ['text/csv, */*;q=0.1', false],
  ['text/csv;q=0', false],
])('Accept %s: only CSV, where there is none, is 406: %s', (accept, expected) => {
  expect(refusesJson(accept)).toBe(expected)
})

test.each([
  [undefined, false],
  ['', false],
  ['gzip', true],
  ['GZIP', true],
  ['deflate, gzip;q=1.0, *;q=0.5', true],
  ['gzip;q=0.001', true],
  ['gzip;q=0', false],
  ['gzip; q=0.000, identity', false],
  ['identity', false],
  ['x-gzip-like', false],
])('Accept-Encoding %s: gzip is accepted: %s', (accept, expected) => {
  expect(takesGzip(accept)).toBe(expected)
})
