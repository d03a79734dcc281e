import { toEnvironmentTime } from '../../base/clock.js'
import { toJson } from '../../base/json-text.js'
import { type Outcome, Refusal } from '../../base/refusal.js'
import { toWire } from '../../money/amounts.js'
import { newPayout, type Payout, referenceOf, returnKindOf } from '../../payouts/payout.js'
import type { Inspected, InspectionPurpose, PayoutRail, Target } from '../../payouts/ports.js'
import { type NewPayout, toNewPayout } from '../../payouts/requests/create-payouts.js'
import type { DirectReturn } from './store-returns.js'

/** `clockOffsetMs`: how far the clock of the return's environment is ahead of real time. */
export type ReturnToSend = DirectReturn & { clockOffsetMs: number }

/**
 * Has the rail inspect every destination and prepare the payouts. Sends nothing. `now` is real
 * time.
 */
export async function prepareReturns(
  rail: PayoutRail,
  now: Date,
  returns: ReturnToSend[],
): Promise<Outcome<NewPayout>[]> {
  const inspected = await inspectReturns(rail, now, returns, 'pay')
  const payouts = inspected.filter((outcome) => !(outcome instanceof Refusal))
  const prepared = await rail.prepare(
    payouts.map((payout) => ({ ...toTarget(payout), reference: referenceOf(payout) })),
  )
  const newPayouts = new Map(
    payouts.map((payout, index) => {
      const outcome = prepared[index]!
      return [payout.id, outcome instanceof Refusal ? outcome : toNewPayout(payout, outcome, now)]
    }),
  )
  return returns.map(({ id }, index) => newPayouts.get(id) ?? (inspected[index] as Refusal))
}

/** The payouts of returns, with resolved destinations and unsigned. */
export async function inspectReturns(
  rail: PayoutRail,
  now: Date,
  returns: ReturnToSend[],
  purpose: InspectionPurpose,
): Promise<Outcome<Payout>[]> {
  const inspected = await rail.inspect(returns.map(toTarget), purpose)
  return returns.map((one, index) => {
    const outcome = inspected[index]!
    if (outcome instanceof Refusal) return outcome
    return toPayout(toEnvironmentTime(now, one.clockOffsetMs), one, { rail, inspected: outcome })
  })
}

function toTarget({ asset, amount, destination }: Target): Target {
  return { asset, amount, destination }
}

/** Returns have neither fee nor levy. */
function toPayout(
  now: Date,
  { environmentId, id, asset, amount, takesFrom }: DirectReturn,
  { rail, inspected }: { rail: PayoutRail; inspected: Inspected },
): Payout {
  return newPayout(now, {
    environmentId,
    id,
    kind: returnKindOf({ asset }),
    rail: rail.name,
    asset,
    amount,
    fee: 0n,
    levy: 0n,
    purpose: null,
    takesFrom,
    requestedAmount: toWire(amount, asset).toString(),
    destination: inspected.destination,
    recipientId: null,
    merchantReference: null,
    metadata: toJson({}),
    createdByKey: null,
    createdByUser: null,
    eventSequence: 0,
  })
}
