import type { Logger } from '../../log.js'
import type { Asset } from '../../money/assets.js'
import type { Target } from '../../payouts/ports.js'
import type { Refusal } from '../../refusal.js'
import { isRefusal } from './destinations.js'
import type { Sound } from './look-at-destinations.js'
import type { Coin } from './programs.js'
import { treasuryShort } from './simulate.js'
import { unitsFor } from './template.js'
import type { Balances, Treasury } from './treasury.js'

/** What was promised and has not been settled yet, in the smallest unit. */
export type OpenAmount = (asset: Asset) => Promise<bigint>

export type CoverTreasury = (
  targets: Target[],
  examined: (Sound | Refusal)[],
) => Promise<(Sound | Refusal)[]>

const lamportsPerSignature = 5_000n
const microLamports = 1_000_000n

type Parts = { treasury: Treasury; price: bigint; openAmount: OpenAmount; logger: Logger }

/** The most that a transaction costs: fees are taken for the units that it may use. */
function feeFor(bump: number, price: bigint): bigint {
  return (
    lamportsPerSignature + (BigInt(unitsFor(bump)) * price + microLamports - 1n) / microLamports
  )
}

/** Four in a billion wallets have a lower one. */
const lowBump = 227

/**
 * Refuses what the hot wallet cannot pay besides all that is open. "Short" is only said after a
 * fresh look: a balance from before a top-up must not turn anybody away.
 */
export function createCoverTreasury({ treasury, price, openAmount, logger }: Parts): CoverTreasury {
  const fee = feeFor(lowBump, price)

  async function findFree(targets: Target[], isFresh: boolean): Promise<Balances> {
    const free = { ...(await treasury.findSpendable(isFresh)) }
    for (const asset of new Set(targets.map((target) => target.asset as Coin)))
      free[asset] -= await openAmount(asset)
    return free
  }

  return async (targets, examined) => {
    if (examined.every(isRefusal)) return examined
    const rent = examined.some((each) => !isRefusal(each) && each.isCreated)
      ? await treasury.rentOfTokenAccount()
      : 0n
    const costs = { fee, rent }
    const first = spend(await findFree(targets, false), costs, targets, examined)
    const isShort = first.some((each, index) => each !== examined[index])
    if (!isShort) return first
    const last = spend(await findFree(targets, true), costs, targets, examined)
    reportShort(logger, targets, (index) => last[index] !== examined[index])
    return last
  }
}

/** Somebody is turned away who has the money: the operator must fill the wallet. */
function reportShort(
  logger: Logger,
  targets: Target[],
  isShortOf: (index: number) => boolean,
): void {
  const short = new Set(targets.filter((_, index) => isShortOf(index)).map(({ asset }) => asset))
  for (const asset of short)
    logger.error({ asset }, 'the hot wallet is short: a transfer was refused')
}

/** One after the other, each from what the ones before have left. */
function spend(
  free: Balances,
  { fee, rent }: { fee: bigint; rent: bigint },
  targets: Target[],
  examined: (Sound | Refusal)[],
): (Sound | Refusal)[] {
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
