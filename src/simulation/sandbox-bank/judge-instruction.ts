import { after } from '../../base/clock.js'
import { limits } from '../../base/limits.js'
import {
  type Plan,
  type SandboxTransfer,
  stateOf,
  type TransferState,
  unknownForEver,
} from './transfer.js'

/** What a tester can have the bank do. */
export const instructions = ['complete', 'fail', 'reverse', 'stay_unknown', 'lose'] as const
export type TestInstruction = (typeof instructions)[number]

const already: Partial<Record<TestInstruction, TransferState>> = {
  complete: 'completed',
  fail: 'failed',
  reverse: 'reversed',
  lose: 'lost',
}

/**
 * Decides what a transfer does from now on, or that it is too late: a bank never takes back how a
 * transfer ended. An order that was lost counts as open, for it may turn up at any time.
 */
export function judgeInstruction(
  transfer: SandboxTransfer,
  now: Date,
  instruction: TestInstruction,
): Plan | 'too_late' {
  const state = stateOf(transfer, now)
  if (state === already[instruction]) return transfer
  if (state === 'completed' && instruction === 'reverse')
    return { ...transfer, reversesAt: latest(now, transfer.endsAt!) }
  if (state !== 'processing' && state !== 'lost') return 'too_late'
  return planOpen(instruction, latest(now, transfer.receivedAt))
}

/** The clocks of two processes may differ a little; what follows must not come before. */
function latest(now: Date, before: Date): Date {
  return now > before ? now : before
}

function planOpen(instruction: TestInstruction, now: Date): Plan {
  const completed: Plan = { ...unknownForEver, ending: 'completed', endsAt: now }
  const plans: Record<TestInstruction, Plan> = {
    complete: completed,
    fail: { ...completed, ending: 'failed', failureReason: 'bank_declined' },
    reverse: { ...completed, reversesAt: after(now, limits.sandboxBank.reversesAfterMs) },
    stay_unknown: unknownForEver,
    lose: { ...unknownForEver, isLost: true },
  }
  return plans[instruction]
}
