import { expect, test } from 'vitest'
import { after, day, hour } from '../../src/base/clock.js'
import { judgeExpiry } from '../../src/payouts/approval-expiry.js'

const waitsSince = new Date('2026-11-17T12:00:00Z')
const approver = (hours: number) => ({
  id: 'bola',
  name: 'Bola',
  from: after(waitsSince, hours * hour),
  because: null,
})

test.each([
  { approvers: [approver(0)], missing: 1, expires: 3 * day },
  { approvers: [approver(47)], missing: 1, expires: 3 * day },
  { approvers: [approver(60)], missing: 1, expires: 84 * hour },
  { approvers: [approver(72)], missing: 1, expires: 96 * hour },
  { approvers: [approver(0), approver(72)], missing: 2, expires: 96 * hour },
  { approvers: [approver(0)], missing: 2, expires: 7 * day },
  { approvers: [approver(150)], missing: 1, expires: 7 * day },
  { approvers: [], missing: 1, expires: 7 * day },
])('a payout expires when its approvers had time, and after a week', (wait) => {
  expect(judgeExpiry({ waitsSince, ...wait })).toEqual(after(waitsSince, wait.expires))
})
