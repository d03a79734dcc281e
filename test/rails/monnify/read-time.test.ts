import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import * as written from '../../../emulators/monnify/times.js'
import { readTime, writeTime } from '../../../src/rails/monnify/read-time.js'

describe('times of Monnify', () => {
  test.each([
    ['2021-11-17 11:28:42.615', '2021-11-17T10:28:42.615Z'],
    ['2026-07-17 03:14:51.0', '2026-07-17T02:14:51.000Z'],
    ['2026-06-26 23:19:13.511864338', '2026-06-26T22:19:13.511Z'],
    ['2026-06-27T09:51:14', '2026-06-27T08:51:14.000Z'],
    ['25/07/2022 11:20:20 AM', '2022-07-25T10:20:20.000Z'],
    ['13/05/2023 9:18:16 PM', '2023-05-13T20:18:16.000Z'],
    ['01/01/2026 12:00:00 AM', '2025-12-31T23:00:00.000Z'],
    ['01/01/2026 12:00:00 PM', '2026-01-01T11:00:00.000Z'],
    ['2022-07-31T14:31:33.759+0000', '2022-07-31T14:31:33.759Z'],
    ['2026-06-27T08:08:11.000+00:00', '2026-06-27T08:08:11.000Z'],
    ['2026-06-27T08:08:11Z', '2026-06-27T08:08:11.000Z'],
  ])('%s is %s', (text, expected) => {
    expect(readTime(text)?.toISOString()).toBe(expected)
  })

  test.each([null, undefined, 0, '', 'soon', '2026-13-01 00:00:00', '31/31/2026 1:00:00 PM'])(
    '%s is no time',
    (text) => {
      expect(readTime(text)).toBeUndefined()
    },
  )

  test('every format is read as it was written, to the second', () => {
    const seconds = fc.integer({ min: 1_500_000_000, max: 2_500_000_000 })
    fc.assert(
      fc.property(seconds, (second) => {
        const atMs = second * 1_000
        const texts = [
          written.toSpacedTime(atMs),
          written.toFractionalTime(atMs),
          written.toZonelessTime(atMs),
          written.toSlashedTime(atMs, 1),
          written.toSlashedTime(atMs, 2),
          written.toListedTime(atMs),
          written.toOffsetTime(atMs),
          writeTime(new Date(atMs)),
        ]
        for (const text of texts) expect(readTime(text)?.getTime()).toBe(atMs)
      }),
    )
  })
})
