import { Refusal } from '../base/refusal.js'
import type { Reader } from '../postgres/tx.js'
import { readLiveAttempts } from './live-attempts.js'
import { kinds, type Payout, referenceOf } from './payout.js'
import type { SimulatedRail } from './ports.js'

/**
 * Tells the rail that simulates how a payout is to end. Nothing is written here: the payout changes
 * when the rail is asked about it, as it would in earnest. Said twice, it ends the same.
 */
export async function instructRail(
  { db, simulated }: { db: Reader; simulated: SimulatedRail[] },
  payout: Payout,
  outcome: string,
): Promise<void> {
  const rail = simulated.find(({ name }) => name === payout.rail)
  if (!rail) throw notSimulated(payout)
  const attempts = await readLiveAttempts(db, [payout])
  const order = { reference: referenceOf(payout), outcome, attempt: attempts[0] }
  const told = await rail.instruct(order)
  if (told === 'obeyed') return
  if (told === 'too_late' || attempts.length === 0) throw tooLate(payout, outcome)
  await rail.send(attempts)
  if ((await rail.instruct(order)) !== 'obeyed') throw tooLate(payout, outcome)
}

function tooLate(payout: Payout, outcome: string): Refusal {
  return new Refusal(kinds[payout.kind].refusal, {
    reason: 'invalid_state',
    message:
      `${outcome} comes too late: ${referenceOf(payout)} has ended, or is about to. ` +
      'Verify it to see how.',
  })
}

function notSimulated(payout: Payout): Refusal {
  return new Refusal(kinds[payout.kind].refusal, {
    reason: 'not_simulated',
    message:
      `${referenceOf(payout)} is carried by ${payout.rail}, which takes no instructions. ` +
      'Name a transfer of a bank or chain that simulates.',
  })
}
