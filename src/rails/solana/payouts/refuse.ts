import { Refusal } from '../../../base/refusal.js'
import type { Reason } from '../../../base/refusals.js'

/** When the rail refuses, it has signed and sent nothing. */
export function refuse(reason: Reason, message: string): Refusal {
  return new Refusal('crypto_transfer_failed', { reason, message })
}

export function isRefusal(value: unknown): value is Refusal {
  return value instanceof Refusal
}

export function railUnavailable(): Refusal {
  return refuse(
    'rail_unavailable',
    'The Solana network is not responding. Nothing was changed; retry later.',
  )
}
