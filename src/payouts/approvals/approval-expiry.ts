import { after } from '../../base/clock.js'
import { payoutLimits } from '../limits.js'

type Wait = {
  waitsSince: Date
  /** From when on enough members may approve it; undefined if there are too few. */
  enoughFrom: Date | undefined
}

/**
 * Decides when a payout, a batch or a looser rule expires: not before its approvers had a fair
 * time, and after a week at the latest, also if no member may approve it.
 */
export function judgeExpiry({ waitsSince, enoughFrom }: Wait): Date {
  const { approveWithinMs, approverTimeMs, approveWithinMaxMs } = payoutLimits
  const latest = after(waitsSince, approveWithinMaxMs)
  if (!enoughFrom) return latest
  const fair = after(enoughFrom, approverTimeMs)
  if (fair > latest) return latest
  const usual = after(waitsSince, approveWithinMs)
  return fair > usual ? fair : usual
}
