import { after } from '../base/clock.js'
import { type Outcome, Refusal } from '../base/refusal.js'
import { toWire } from '../money/amounts.js'
import { type NewPayout, toNewPayout } from '../payouts/create-payouts.js'
import { type Payout, referenceOf, returnKindOf } from '../payouts/payout.js'
import type { Inspected, PayoutRail, Target } from '../payouts/ports.js'
import type { Return } from './store-returns.js'

/** How far the environment of the money is ahead of the world. */
export type Wanted = Return & { clockOffsetMs: number }

/**
 * Asks the rail about every one, then has it fix what would be sent. Nothing leaves. `now` is the
 * time of the world.
 */
export async function requestReturns(
  rail: PayoutRail,
  now: Date,
  wanted: Wanted[],
): Promise<Outcome<NewPayout>[]> {
  const inspected = await rail.inspect(wanted.map(toTarget))
  const payouts = wanted.flatMap((one, index) => {
    const outcome = inspected[index]!
    if (outcome instanceof Refusal) return []
    return [toPayout(after(now, one.clockOffsetMs), one, { rail, inspected: outcome })]
  })
  const prepared = await rail.prepare(
    payouts.map((payout) => ({ ...toTarget(payout), reference: referenceOf(payout) })),
  )
  const orders = new Map(
    payouts.map((payout, index) => {
      const outcome = prepared[index]!
      return [payout.id, outcome instanceof Refusal ? outcome : toNewPayout(payout, outcome, now)]
    }),
  )
  return wanted.map(({ id }, index) => orders.get(id) ?? (inspected[index] as Refusal))
}

function toTarget({ asset, amount, destination }: Target): Target {
  return { asset, amount, destination }
}

/** A return is free: it takes the amount and nothing else. In the time of its environment. */
function toPayout(
  now: Date,
  { environmentId, id, asset, amount, takesFrom }: Return,
  { rail, inspected }: { rail: PayoutRail; inspected: Inspected },
): Payout {
  return {
    environmentId,
    id,
    kind: returnKindOf({ asset }),
    rail: rail.name,
    asset,
    amount,
    fee: 0n,
    takesFrom,
    requestedAmount: toWire(amount, asset).toString(),
    destination: inspected.destination,
    merchantReference: null,
    metadata: '{}',
    status: 'SUBMITTED',
    failureReason: null,
    isReviewRequired: false,
    eventSequence: 0,
    submittedAt: now,
    completedAt: null,
    failedAt: null,
    reversedAt: null,
    createdAt: now,
  }
}
