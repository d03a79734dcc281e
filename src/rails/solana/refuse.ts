import { Refusal } from '../../base/refusal.js'
import type { Reason } from '../../base/refusals.js'

/** Nothing left: every "no" of this rail is said before anything is promised. */
export function refuse(reason: Reason, message: string): Refusal {
  return new Refusal('crypto_transfer_failed', { reason, message })
}

export function railUnavailable(): Refusal {
  return refuse(
    'rail_unavailable',
    'The Solana network does not answer. Nothing was done; retry later.',
  )
}
