import { Refusal } from '../../base/refusal.js'
import type { Queryable } from '../../postgres/transactions/tx.js'
import { readLiveAttempts } from '../attempts/live-attempts.js'
import { type Payout, payoutKinds, referenceOf } from '../payout.js'
import type { SimulatedRail } from '../ports.js'

/**
 * Sets how a simulated rail ends a payout; returns the reason if it cannot. The payout itself
 * changes when the rail is polled, as on a real rail. Repeating it changes nothing.
 */
export async function instructRail(
  { db, simulated }: { db: Queryable; simulated: SimulatedRail[] },
  payout: Payout,
  outcome: string,
): Promise<Refusal | undefined> {
  const rail = simulated.find(({ name }) => name === payout.rail)
  if (!rail) return notSimulated(payout)
  if (payout.status === 'PENDING') return waitsForApproval(payout, outcome)
  const attempts = await readLiveAttempts(db, [payout])
  const instruction = { reference: referenceOf(payout), outcome, attempt: attempts[0] }
  const first = await rail.instruct(instruction)
  if (first === 'obeyed') return undefined
  if (first === 'too_late' || attempts.length === 0) return tooLate(payout, outcome)
  await rail.send(attempts)
  const second = await rail.instruct(instruction)
  return second === 'obeyed' ? undefined : tooLate(payout, outcome)
}

function waitsForApproval(payout: Payout, outcome: string): Refusal {
  return new Refusal(payoutKinds[payout.kind].refusal, {
    reason: 'invalid_state',
    message: `${referenceOf(payout)} waits for approval, so ${outcome} cannot be set. Approve it in the console first.`,
  })
}

function tooLate(payout: Payout, outcome: string): Refusal {
  return new Refusal(payoutKinds[payout.kind].refusal, {
    reason: 'invalid_state',
    message:
      `${referenceOf(payout)} has ended or is about to, so ${outcome} cannot be set. ` +
      'Verify it to see its status.',
  })
}

function notSimulated(payout: Payout): Refusal {
  return new Refusal(payoutKinds[payout.kind].refusal, {
    reason: 'not_simulated',
    message:
      `${referenceOf(payout)} is sent by ${payout.rail}, which is not simulated. ` +
      'Use a transfer of the sandbox bank or the localnet.',
  })
}
