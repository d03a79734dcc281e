import { after } from '../base/clock.js'
import { limits } from '../base/limits.js'
import type { Approver } from '../team/approvers.js'

type Wait = {
  waitsSince: Date
  /** Those who may approve, the first who may first. */
  approvers: Approver[]
  /** How many more must approve. */
  missing: number
}

/**
 * Decides when a payout, a batch or a looser rule expires: not before its approvers had a fair
 * time, and after a week at the latest, also if nobody may approve it.
 */
export function judgeExpiry({ waitsSince, approvers, missing }: Wait): Date {
  const { approveWithinMs, approverTimeMs, approveWithinMaxMs } = limits.payouts
  const latest = after(waitsSince, approveWithinMaxMs)
  const last = approvers[missing - 1]
  if (!last) return latest
  const fair = after(last.from, approverTimeMs)
  if (fair > latest) return latest
  const usual = after(waitsSince, approveWithinMs)
  return fair > usual ? fair : usual
}
