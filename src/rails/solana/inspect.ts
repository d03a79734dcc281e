import type { Clock } from '../../base/clock.js'
import { limits } from '../../base/limits.js'
import type { Outcome, Refusal } from '../../base/refusal.js'
import type { Inspected, Target } from '../../payouts/ports.js'
import { gather } from '../../postgres/gather.js'
import { BoundedMap } from './bounded-map.js'
import { checkDestinations, type VerifiedDestination } from './check-destinations.js'
import type { CoverTreasury } from './cover-treasury.js'
import { isRefusal, type Reserved, type ResolvedTarget, resolveTarget } from './destinations.js'
import { type Endpoints, Unavailable } from './endpoints.js'
import type { Mints } from './programs.js'
import type { Recipients } from './recipients.js'
import { railUnavailable } from './refuse.js'
import type { Templates } from './template.js'

type InspectParts = {
  endpoints: Endpoints
  clock: Clock
  recipients: Recipients
  templates: Templates
  mints: Mints
  reserved: Reserved
  cover: CoverTreasury
  mintPending: () => Promise<void>
}

/**
 * Refuses transfers that would fail and reports fees beyond the base fee. Concurrent calls share
 * RPC requests; a destination whose token account exists is trusted for some seconds.
 */
export function createInspect(parts: InspectParts) {
  const { clock, recipients, reserved, cover, mintPending } = parts
  const verifiedAt = new BoundedMap<string, number>(limits.solana.checkedRecipientsCachedMax)
  const check = gather((targets: ResolvedTarget[]) => checkDestinations(parts, targets))

  async function verify(target: ResolvedTarget | Refusal): Promise<VerifiedDestination | Refusal> {
    if (isRefusal(target)) return target
    const key = target.recipient.tokenAccount.address
    const verified = verifiedAt.find(key)
    if (verified !== undefined && clock.elapsedMs() - verified < limits.solana.recipientCacheMs)
      return { needsTokenAccount: false }
    const outcome = await checkAfterMints(target)
    if (!isRefusal(outcome) && !outcome.needsTokenAccount) verifiedAt.set(key, clock.elapsedMs())
    return outcome
  }

  /** Mints pending test funds and checks again before it refuses for a short treasury. */
  async function checkAfterMints(target: ResolvedTarget): Promise<VerifiedDestination | Refusal> {
    const outcome = await check(target)
    if (!isRefusal(outcome) || outcome.reason !== 'treasury_short') return outcome
    await mintPending()
    return check(target)
  }

  async function verifyAll(targets: Target[]): Promise<(VerifiedDestination | Refusal)[]> {
    const resolved = targets.map((target) => resolveTarget(target, recipients, reserved))
    return cover(targets, await Promise.all(resolved.map(verify)))
  }

  return async (targets: Target[]): Promise<Outcome<Inspected>[]> => {
    const verified = await verifyAll(targets).catch((error) => {
      if (!(error instanceof Unavailable)) throw error
      return targets.map(railUnavailable)
    })
    return verified.map((outcome, index) => {
      if (isRefusal(outcome)) return outcome
      const { destination } = targets[index]!
      return {
        destination,
        extraFees: outcome.needsTokenAccount ? ['crypto_account_creation'] : [],
      }
    })
  }
}
