import { Refusal } from '../base/refusal.js'

/**
 * Queues are bounded: beyond that, an honest "not now" is better than an answer that comes too
 * late.
 */
export function overloaded(): Refusal {
  return new Refusal('internal_error', {
    reason: 'unavailable',
    message: 'The service cannot take more work right now. Nothing was done; retry soon.',
  })
}
