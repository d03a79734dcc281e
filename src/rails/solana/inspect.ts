import type { Clock } from '../../base/clock.js'
import { limits } from '../../base/limits.js'
import type { Outcome, Refusal } from '../../base/refusal.js'
import type { Inspected, Target } from '../../payouts/ports.js'
import { gather } from '../../postgres/gather.js'
import { BoundedMap } from './bounded-map.js'
import { checkDestinations, type VerifiedDestination } from './check-destinations.js'
import type { CoverTreasury } from './cover-treasury.js'
import { type Addressed, addressTarget, isRefusal, type Reserved } from './destinations.js'
import { type Endpoints, Unavailable } from './endpoints.js'
import type { Mints } from './programs.js'
import type { Recipients } from './recipients.js'
import { railUnavailable } from './refuse.js'
import type { Templates } from './template.js'

export type InspectParts = {
  endpoints: Endpoints
  clock: Clock
  recipients: Recipients
  templates: Templates
  mints: Mints
  reserved: Reserved
  cover: CoverTreasury
  fill: () => Promise<void>
}

/**
 * Says what can be known not to work, and what must be paid for beyond the transfer. Calls of one
 * moment ask the chain together; wallets found well are not asked about again for some seconds.
 */
export function createInspect(parts: InspectParts) {
  const { clock, recipients, reserved, cover, fill } = parts
  const sound = new BoundedMap<string, number>(limits.solana.soundRecipients)
  const look = gather((targets: Addressed[]) => checkDestinations(parts, targets))

  async function examine(target: Addressed | Refusal): Promise<VerifiedDestination | Refusal> {
    if (isRefusal(target)) return target
    const key = target.recipient.tokenAccount.address
    const knownAt = sound.find(key)
    if (knownAt !== undefined && clock.elapsedMs() - knownAt < limits.solana.soundMs)
      return { isCreated: false }
    const seen = await lookTwice(target)
    if (!isRefusal(seen) && !seen.isCreated) sound.set(key, clock.elapsedMs())
    return seen
  }

  /** What the chain ran short of may be coins that are coming: then it is asked once more. */
  async function lookTwice(target: Addressed): Promise<VerifiedDestination | Refusal> {
    const seen = await look(target)
    if (!isRefusal(seen) || seen.reason !== 'treasury_short') return seen
    await fill()
    return look(target)
  }

  async function examineAll(targets: Target[]): Promise<(VerifiedDestination | Refusal)[]> {
    const addressed = targets.map((target) => addressTarget(target, recipients, reserved))
    const examined = await Promise.all(addressed.map(examine))
    return cover(targets, examined)
  }

  return async (targets: Target[]): Promise<Outcome<Inspected>[]> => {
    const examined = await examineAll(targets).catch((error) => {
      if (!(error instanceof Unavailable)) throw error
      return targets.map(railUnavailable)
    })
    return examined.map((each, index) => {
      if (isRefusal(each)) return each
      const { destination } = targets[index]!
      return { destination, extraFees: each.isCreated ? ['crypto_account_creation'] : [] }
    })
  }
}
