import { after } from '../../base/clock.js'
import { sandboxBankLimits } from './limits.js'
import {
  type Plan,
  type SandboxTransfer,
  stateOf,
  staysUnknown,
  type TransferState,
} from './transfer.js'

/** Outcomes that a tester can request for a transfer. */
export const instructions = ['complete', 'fail', 'reverse', 'stay_unknown', 'lose'] as const
export type TestInstruction = (typeof instructions)[number]

const stateAfter: Partial<Record<TestInstruction, TransferState>> = {
  complete: 'completed',
  fail: 'failed',
  reverse: 'reversed',
  lose: 'lost',
}

/**
 * Decides the new plan of a transfer, or that it is too late: a bank never changes how a transfer
 * ended. A lost order counts as open, because it may still arrive.
 */
export function judgeInstruction(
  transfer: SandboxTransfer,
  now: Date,
  instruction: TestInstruction,
): Plan | 'too_late' {
  const state = stateOf(transfer, now)
  if (state === stateAfter[instruction]) return transfer
  if (state === 'completed' && instruction === 'reverse')
    return { ...transfer, reversesAt: latest(now, transfer.endsAt!) }
  if (state !== 'processing' && state !== 'lost') return 'too_late'
  return planOpen(instruction, latest(now, transfer.receivedAt))
}

/** Process clocks differ a little, but an effect must not precede its cause. */
function latest(now: Date, before: Date): Date {
  return now > before ? now : before
}

function planOpen(instruction: TestInstruction, now: Date): Plan {
  const completed: Plan = { ...staysUnknown, ending: 'completed', endsAt: now }
  const plans: Record<TestInstruction, Plan> = {
    complete: completed,
    fail: { ...completed, ending: 'failed', failureReason: 'bank_declined' },
    reverse: { ...completed, reversesAt: after(now, sandboxBankLimits.reversesAfterMs) },
    stay_unknown: staysUnknown,
    lose: { ...staysUnknown, isLost: true },
  }
  return plans[instruction]
}
