import { expect, test } from 'vitest'
import { isFinal } from '../../console/src/api/is-final.js'

// A form draws a new idempotency key after a final refusal. With a new key while the first request
// runs, or after an unknown outcome, the same payout could be made twice.
test.each([
  { status: 409, reason: 'idempotency_in_progress', ends: false },
  { status: 403, reason: 'step_up_required', ends: false },
  { status: 0, ends: false },
  { status: 503, reason: 'outcome_unknown', ends: false },
  { status: 402, ends: true },
  { status: 422, reason: 'invalid_account', ends: true },
])('$status $reason ends the request: $ends', ({ ends, ...refused }) => {
  expect(isFinal(refused)).toBe(ends)
})
