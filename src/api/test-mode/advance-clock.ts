import Type from 'typebox'
import { type RealTime, second, toEnvironmentTime } from '../../base/clock.js'
import { limits } from '../../base/limits.js'
import { resource, timestamp } from '../../base/shapes.js'
import { advanceCases } from '../../cases/announce-overdue.js'
import { advanceAccounts } from '../../collections/accounts/advance-accounts.js'
import { wakeNewestPages } from '../../collections/sessions/wake-pages.js'
import { advanceDeadlines } from '../../customers/invoices/deadlines.js'
import { advanceSchedules } from '../../customers/schedules/store-schedules.js'
import { type Advance, lockClock, moveClock } from '../../merchants/environment-clock.js'
import { advanceSettlements } from '../../merchants/settings/settlement-schedule.js'
import type { Tx } from '../../postgres/transactions/tx.js'
import { advanceShares } from '../../subaccounts/shares/store-shares.js'
import { withReasons } from '../openapi/refusals-of.js'
import { closed } from '../parse/schemas.js'
import type { ApiParts } from '../pipeline/api-parts.js'
import { success } from '../server/envelope.js'
import { route } from '../server/route.js'

const body = closed({
  seconds: Type.Integer({
    minimum: 1,
    maximum: limits.testClock.advanceMaxMs / second,
    description: 'Seconds to advance. The clock cannot be moved back.',
    examples: [1_800],
  }),
})

const answer = resource('TestClock', {
  now: timestamp('Time of the environment after the change.'),
  advancedBySeconds: Type.Integer({
    description: 'Seconds advanced by this request.',
    examples: [1_800],
  }),
  aheadBySeconds: Type.Integer({
    description: 'Seconds ahead of real time in total.',
    examples: [3_600],
  }),
})

type Advanced = { now: Date; offsetMs: number }

export const advanceClock = (api: ApiParts) =>
  route({
    method: 'POST',
    path: '/v1/test/clock/advance',
    access: 'secret',
    isTestOnly: true,
    permission: 'collect.create',
    operation: 'advanceTestClock',
    summary: 'Advance the test clock',
    description:
      'Moves the time of this environment forward, so that everything due by then happens now. Send an `Idempotency-Key`; without one, a retry advances the clock again.',
    tag: 'Test mode',
    body,
    answers: { 200: answer },
    refusals: withReasons('clock_advance_failed', 'invalid_state'),
    async handle(request) {
      const { seconds } = request.body
      const change = { environmentId: request.environment.id, byMs: seconds * second }
      const answered = await api.change(
        request,
        (tx, now) => advance(tx, now, change),
        (advanced) => show(seconds, advanced),
      )
      await api.afterAdvance(change.environmentId)
      return answered
    },
  })

/** Both `lockClock` and `advanceAccounts` refuse before anything is written. */
async function advance(tx: Tx, now: RealTime, change: Advance): Promise<Advanced> {
  const offsetMs = await lockClock(tx, change)
  await advanceAccounts(tx, change)
  advanceSettlements(tx, change)
  advanceShares(tx, change)
  advanceDeadlines(tx, change)
  advanceSchedules(tx, change)
  advanceCases(tx, change)
  moveClock(tx, now, change)
  wakeNewestPages(tx, change.environmentId)
  return { now: toEnvironmentTime(now, offsetMs), offsetMs }
}

function show(seconds: number, { now, offsetMs }: Advanced) {
  return success(200, 'Clock advanced', {
    now: now.toISOString(),
    advancedBySeconds: seconds,
    aheadBySeconds: offsetMs / second,
  })
}
