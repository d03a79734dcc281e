import Type from 'typebox'
import { after, second } from '../../base/clock.js'
import { limits } from '../../base/limits.js'
import { advanceAccounts } from '../../collections/advance-accounts.js'
import { wakeNewestPages } from '../../collections/notify-sessions.js'
import { type Advance, lockClock, moveClock } from '../../merchants/environment-clock.js'
import type { Tx } from '../../postgres/tx.js'
import { resource, time } from '../../resources/shapes.js'
import type { ApiParts } from '../api-parts.js'
import { success } from '../edge/envelope.js'
import { toLateCall } from '../edge/keyed-lane.js'
import { route } from '../edge/route.js'
import { closed } from '../edge/schemas.js'

const body = closed({
  seconds: Type.Integer({
    minimum: 1,
    maximum: limits.testClock.advanceMs / second,
    description: 'How far; there is no way back.',
    examples: [1_800],
  }),
})

const answer = resource('TestClock', {
  now: time,
  advancedBySeconds: Type.Integer({ description: 'By this request.', examples: [1_800] }),
  aheadBySeconds: Type.Integer({ description: 'Of the world, in all.', examples: [3_600] }),
})

type Advanced = { now: Date; offsetMs: number }

export const advanceClock = (rooms: ApiParts) =>
  route({
    method: 'POST',
    path: '/v1/test/clock/advance',
    access: 'secret',
    isTestOnly: true,
    operation: 'advanceTestClock',
    summary: 'Move the clock of test mode ahead',
    description:
      'Time passes for this environment: what falls due by then is due now. Send an `Idempotency-Key`, or a retry moves the clock again.',
    tag: 'Test mode',
    body,
    answers: { 200: answer },
    async handle(ask) {
      const { seconds } = ask.body
      const order = { environmentId: ask.environment.id, byMs: seconds * second }
      const answered = await rooms.change(
        toLateCall(
          ask,
          (tx, now) => advance(tx, now, order),
          (advanced) => show(seconds, advanced as Advanced),
        ),
      )
      await rooms.afterAdvance(order.environmentId)
      return answered
    },
  })

/** The clock and what is due by it, in one transaction. Both refuse before either writes. */
async function advance(tx: Tx, now: Date, order: Advance): Promise<Advanced> {
  const offsetMs = await lockClock(tx, order)
  await advanceAccounts(tx, order)
  moveClock(tx, now, order)
  wakeNewestPages(tx, order.environmentId)
  return { now: after(now, offsetMs), offsetMs }
}

function show(seconds: number, { now, offsetMs }: Advanced) {
  return success(200, 'Clock moved', {
    now: now.toISOString(),
    advancedBySeconds: seconds,
    aheadBySeconds: offsetMs / second,
  })
}
