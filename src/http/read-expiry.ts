import { after } from '../clock.js'
import { limits } from '../limits.js'
import { Refusal } from '../refusal.js'
import { readTime } from './read-time.js'

/** When a request to pay ends: in the future, and at most a day after it was received. */
export function readExpiry(now: Date, text: string | undefined): Date {
  const { defaultExpiryMs, longestExpiryMs } = limits.collections
  if (text === undefined) return after(now, defaultExpiryMs)
  const expiresAt = readTime('expiresAt', text)
  if (expiresAt <= now) throw wrong('must be in the future')
  if (expiresAt > after(now, longestExpiryMs)) throw wrong('must be at most 24 hours ahead')
  return expiresAt
}

function wrong(issue: string): Refusal {
  return new Refusal('validation_failed', {
    message: `expiresAt ${issue}.`,
    details: [{ field: 'expiresAt', issue }],
  })
}
