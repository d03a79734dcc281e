import { Refusal } from '../../base/refusal.js'

/** A full queue refuses at once: that is better than an answer after the caller's timeout. */
export function overloaded(): Refusal {
  return new Refusal('internal_error', {
    reason: 'unavailable',
    message: 'The service is at capacity. Nothing was done; retry soon.',
  })
}
