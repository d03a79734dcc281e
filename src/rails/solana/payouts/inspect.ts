import type { Clock } from '../../../base/clock.js'
import { limits } from '../../../base/limits.js'
import type { Outcome, Refusal } from '../../../base/refusal.js'
import type { Inspected, InspectionPurpose, Target } from '../../../payouts/ports.js'
import { gather } from '../../../postgres/transactions/gather.js'
import { BoundedMap } from '../../bounded-map.js'
import type { Mints } from '../programs.js'
import { type RpcNodes, Unavailable } from '../rpc/nodes.js'
import { checkDestinations, type VerifiedDestination } from './check-destinations.js'
import type { CoverTreasury } from './cover-treasury.js'
import type { Recipients } from './recipients.js'
import { isRefusal, railUnavailable } from './refuse.js'
import { type Reserved, type ResolvedTarget, resolveTarget } from './resolve-target.js'
import { treasuryShort } from './simulate.js'
import type { Templates } from './template.js'

type InspectDependencies = {
  nodes: RpcNodes
  clock: Clock
  recipients: Recipients
  templates: Templates
  mints: Mints
  reserved: Reserved
  cover: CoverTreasury
  mintPending: () => Promise<void>
  findOurAddresses: (addresses: string[]) => Promise<Set<string>>
}

/**
 * Refuses transfers that would fail and reports fees beyond the base fee. In this order:
 *
 * 1. `resolve-target.ts` checks the address offline and derives the token account, which
 *    `recipients.ts` caches.
 * 2. `check-destinations.ts` reads the accounts from the chain and simulates the transfers;
 *    `judge-destination.ts` has the rules. Concurrent calls share RPC requests. A destination whose
 *    token account exists is trusted for some seconds.
 * 3. To pay, `cover-treasury.ts` checks that the treasury covers all of them together. To price,
 *    the treasury does not matter, also not to the simulation.
 */
export function createInspect(dependencies: InspectDependencies) {
  const { clock, recipients, reserved, cover, mintPending } = dependencies
  const verifiedAt = new BoundedMap<string, number>(limits.solana.checkedRecipientsCachedMax)
  const checkOnChain = gather((targets: ResolvedTarget[]) =>
    checkDestinations(dependencies, targets),
  )

  async function verifyUnlessCached(
    target: ResolvedTarget | Refusal,
    purpose: InspectionPurpose,
  ): Promise<VerifiedDestination | Refusal> {
    if (isRefusal(target)) return target
    const key = target.recipient.tokenAccount.address
    const verified = verifiedAt.find(key)
    if (verified !== undefined && clock.elapsedMs() - verified < limits.solana.recipientCacheMs)
      return { needsTokenAccount: false }
    const outcome = await check(target, purpose)
    if (!isRefusal(outcome) && !outcome.needsTokenAccount && !outcome.isShort)
      verifiedAt.set(key, clock.elapsedMs())
    return outcome
  }

  /**
   * In test mode the treasury may be short only because funded coins are not minted yet: then the
   * simulation fails. Mints them and checks again. (`cover-treasury.ts` does the same when its sums
   * are short, for destinations that are cached here and not simulated.)
   */
  async function check(
    target: ResolvedTarget,
    purpose: InspectionPurpose,
  ): Promise<VerifiedDestination | Refusal> {
    const outcome = await checkOnChain(target)
    if (isRefusal(outcome) || !outcome.isShort || purpose === 'price') return outcome
    await mintPending()
    const again = await checkOnChain(target)
    return !isRefusal(again) && again.isShort ? treasuryShort() : again
  }

  async function verify(
    targets: Target[],
    purpose: InspectionPurpose,
  ): Promise<(VerifiedDestination | Refusal)[]> {
    const verified = await Promise.all(
      targets.map((target) =>
        verifyUnlessCached(resolveTarget(target, recipients, reserved), purpose),
      ),
    )
    return purpose === 'pay' ? cover(targets, verified) : verified
  }

  return async (
    targets: Target[],
    purpose: InspectionPurpose = 'pay',
  ): Promise<Outcome<Inspected>[]> => {
    const verified = await verify(targets, purpose).catch((error) => {
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
