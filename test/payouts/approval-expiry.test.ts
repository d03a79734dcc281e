import { expect, test } from 'vitest'
import { after, day, hour } from '../../src/base/clock.js'
import { judgeExpiry } from '../../src/payouts/approvals/approval-expiry.js'

const waitsSince = new Date('2026-11-17T12:00:00Z')

test.each([
  { enough: 0, expires: 3 * day },
  { enough: 47, expires: 3 * day },
  { enough: 60, expires: 84 * hour },
  { enough: 72, expires: 96 * hour },
  { enough: 150, expires: 7 * day },
  { enough: undefined, expires: 7 * day },
])('a payout expires when its approvers had time, and after a week', ({ enough, expires }) => {
  const enoughFrom = enough === undefined ? undefined : after(waitsSince, enough * hour)
  expect(judgeExpiry({ waitsSince, enoughFrom })).toEqual(after(waitsSince, expires))
})
