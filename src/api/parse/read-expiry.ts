import { after } from '../../base/clock.js'
import { invalidField, type Refusal } from '../../base/refusal.js'
import { collectionLimits } from '../../collections/limits.js'
import { readTime, timeIn } from './read-time.js'

export const expiryIn = timeIn('In the future, at most 24 hours ahead.')

export function readExpiry(now: Date, text: string | undefined): Date {
  const { expiryDefaultMs, expiryMaxMs } = collectionLimits
  if (text === undefined) return after(now, expiryDefaultMs)
  const expiresAt = readTime('expiresAt', text)
  if (expiresAt <= now) throw wrong('must be in the future')
  if (expiresAt > after(now, expiryMaxMs)) throw wrong('must be at most 24 hours ahead')
  return expiresAt
}

function wrong(issue: string): Refusal {
  return invalidField('expiresAt', issue)
}
