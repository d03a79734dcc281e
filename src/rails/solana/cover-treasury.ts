import type { Refusal } from '../../base/refusal.js'
import type { Coin } from '../../money/assets.js'
import type { Target } from '../../payouts/ports.js'
import type { OpenCommitments } from '../../payouts/treasury-books.js'
import type { VerifiedDestination } from './check-destinations.js'
import { isRefusal } from './destinations.js'
import { treasuryShort } from './simulate.js'
import { unitsFor } from './template.js'
import type { Balances, SolanaTreasury } from './treasury.js'

export type CoverTreasury = (
  targets: Target[],
  examined: (VerifiedDestination | Refusal)[],
) => Promise<(VerifiedDestination | Refusal)[]>

const lamportsPerSignature = 5_000n
const microLamports = 1_000_000n

type Parts = {
  treasury: SolanaTreasury
  price: bigint
  promised: OpenCommitments
  fill: () => Promise<void>
}

/** The most that a transaction costs: fees are taken for the units that it may use. */
function feeFor(bump: number, price: bigint): bigint {
  return (
    lamportsPerSignature + (BigInt(unitsFor(bump)) * price + microLamports - 1n) / microLamports
  )
}

/** Four in a billion wallets have a lower one. */
const lowBump = 227

/**
 * Refuses what the hot wallet cannot pay besides all that is open. The first look is cheap and on
 * the safe side. "Short" is only said after an exact one, when all coins are there that are known
 * to be coming.
 */
export function createCoverTreasury({ treasury, price, promised, fill }: Parts): CoverTreasury {
  const fee = feeFor(lowBump, price)

  async function findFreeAtLeast(assets: Coin[]): Promise<Balances> {
    const free = { ...(await treasury.findRecent()) }
    for (const asset of assets) free[asset] -= await promised.sum(asset)
    return free
  }

  async function findFree(assets: Coin[]): Promise<Balances> {
    await fill()
    const open = assets.map(async (asset) => [asset, await promised.list(asset)] as const)
    return treasury.readFree(Object.fromEntries(await Promise.all(open)))
  }

  return async (targets, examined) => {
    if (examined.every(isRefusal)) return examined
    const rent = examined.some((each) => !isRefusal(each) && each.isCreated)
      ? await treasury.rentOfTokenAccount()
      : 0n
    const costs = { fee, rent }
    const assets = [...new Set(targets.map((target) => target.asset as Coin))]
    const first = spend(await findFreeAtLeast(assets), costs, targets, examined)
    const isShort = first.some((each, index) => each !== examined[index])
    return isShort ? spend(await findFree(assets), costs, targets, examined) : first
  }
}

/** One after the other, each from what the ones before have left. */
function spend(
  free: Balances,
  { fee, rent }: { fee: bigint; rent: bigint },
  targets: Target[],
  examined: (VerifiedDestination | Refusal)[],
): (VerifiedDestination | Refusal)[] {
  return examined.map((each, index) => {
    if (isRefusal(each)) return each
    const { asset, amount } = targets[index]!
    const coin = asset as Coin
    const lamports = each.isCreated ? fee + rent : fee
    if (free[coin] < amount || free.SOL < lamports) return treasuryShort()
    free[coin] -= amount
    free.SOL -= lamports
    return each
  })
}
