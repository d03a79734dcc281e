import type { Refusal } from '../../../base/refusal.js'
import type { Coin } from '../../../money/assets.js'
import type { Target } from '../../../payouts/ports.js'
import type { OpenPayoutTotals } from '../../../payouts/reconciliation/treasury-books.js'
import type { VerifiedDestination } from './check-destinations.js'
import { isRefusal } from './refuse.js'
import { treasuryShort } from './simulate.js'
import { unitsFor } from './template.js'
import type { Balances, SolanaTreasury } from './treasury.js'

export type CoverTreasury = (
  targets: Target[],
  verified: (VerifiedDestination | Refusal)[],
) => Promise<(VerifiedDestination | Refusal)[]>

const lamportsPerSignature = 5_000n
const microLamportsPerLamport = 1_000_000n

type CoverDependencies = {
  treasury: SolanaTreasury
  computeUnitPrice: bigint
  openPayouts: OpenPayoutTotals
  mintPending: () => Promise<void>
}

/** The maximum fee of a payout: the chain charges for the compute unit limit, not for usage. */
function feeFor(bump: number, computeUnitPrice: bigint): bigint {
  const priority = BigInt(unitsFor(bump)) * computeUnitPrice
  return lamportsPerSignature + (priority + microLamportsPerLamport - 1n) / microLamportsPerLamport
}

/** Only four in a billion token accounts have a lower bump. */
const bumpMin = 227

/**
 * Refuses payouts that the treasury cannot cover on top of all open ones. The first estimate is
 * cheap and conservative. `treasury_short` requires an exact balance, after pending test funds were
 * minted.
 */
export function createCoverTreasury(dependencies: CoverDependencies): CoverTreasury {
  const { treasury, computeUnitPrice, openPayouts, mintPending } = dependencies
  const fee = feeFor(bumpMin, computeUnitPrice)

  async function estimateFree(assets: Coin[]): Promise<Balances> {
    const free = { ...(await treasury.readRecentBalances()) }
    for (const asset of assets) free[asset] -= await openPayouts.sum(asset)
    return free
  }

  async function readFree(assets: Coin[]): Promise<Balances> {
    await mintPending()
    const open = assets.map(async (asset) => [asset, await openPayouts.list(asset)] as const)
    return treasury.readFree(Object.fromEntries(await Promise.all(open)))
  }

  return async (targets, verified) => {
    if (verified.every(isRefusal)) return verified
    const rent = verified.some(
      (destination) => !isRefusal(destination) && destination.needsTokenAccount,
    )
      ? await treasury.rentOfTokenAccount()
      : 0n
    const costs = { fee, rent }
    const assets = [...new Set(targets.map((target) => target.asset as Coin))]
    const estimated = spend(await estimateFree(assets), costs, targets, verified)
    if (!estimated.isShort) return estimated.outcomes
    return spend(await readFree(assets), costs, targets, verified).outcomes
  }
}

/** Covers the targets one after the other. `isShort`: the treasury cannot cover all of them. */
function spend(
  free: Balances,
  { fee, rent }: { fee: bigint; rent: bigint },
  targets: Target[],
  verified: (VerifiedDestination | Refusal)[],
): { outcomes: (VerifiedDestination | Refusal)[]; isShort: boolean } {
  let isShort = false
  const outcomes = verified.map((destination, index) => {
    if (isRefusal(destination)) return destination
    const { asset, amount } = targets[index]!
    const coin = asset as Coin
    const lamports = destination.needsTokenAccount ? fee + rent : fee
    if (free[coin] < amount || free.SOL < lamports) {
      isShort = true
      return treasuryShort()
    }
    free[coin] -= amount
    free.SOL -= lamports
    return destination
  })
  return { outcomes, isShort }
}
