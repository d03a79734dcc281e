import { Refusal } from '../../base/refusal.js'
import type { Reason } from '../../base/refusals.js'

/** This rail refuses before anything is committed or sent. */
export function refuse(reason: Reason, message: string): Refusal {
  return new Refusal('crypto_transfer_failed', { reason, message })
}

export function railUnavailable(): Refusal {
  return refuse(
    'rail_unavailable',
    'The Solana network is not responding. Nothing was sent; retry later.',
  )
}
