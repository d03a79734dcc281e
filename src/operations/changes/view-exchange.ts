import type { Mode } from '../../base/environment.js'
import { inventoryOf, listPositions, type Position } from '../../conversions/positions.js'
import { sumConversionFees } from '../../conversions/store-conversions.js'
import { type Asset, isCoin } from '../../money/assets.js'
import { convert, type RatePair } from '../../money/rates.js'
import type { Queryable } from '../../postgres/transactions/tx.js'
import type { RateBook } from '../../rates/rate-book.js'

export type PositionView = Position & {
  inventory: bigint
  /** Earned by conversions, in this asset. */
  fees: bigint
  /** Net amount bought plus fees, in kobo; null: no rate is available. */
  worth: bigint | null
}

export type ExchangeView = {
  mode: Mode
  positions: PositionView[]
  /** In kobo, at the midpoint of the current rates; null: a coin has no rate. */
  profit: bigint | null
}

/** The operator's positions of a mode, and what conversions earned. */
export async function viewExchange(
  { db, rates }: { db: Queryable; rates: RateBook },
  mode: Mode,
  now: Date,
): Promise<ExchangeView> {
  const fees = await sumConversionFees(db, mode)
  const positions: PositionView[] = []
  for (const position of await listPositions(db, mode)) {
    const { asset, bought, sold } = position
    const earned = fees.get(asset) ?? 0n
    const rate = isCoin(asset) ? await rates.find({ mode }, asset, now) : undefined
    const worth = toNaira(asset, bought - sold + earned, rate)
    positions.push({ ...position, inventory: inventoryOf(position), fees: earned, worth })
  }
  return { mode, positions, profit: addUp(positions.map(({ worth }) => worth)) }
}

/** In kobo, at the midpoint of the rate. */
function toNaira(asset: Asset, amount: bigint, rate: RatePair | undefined): bigint | null {
  if (asset === 'NGN' || amount === 0n) return amount
  if (!rate) return null
  return convert({ source: asset, target: 'NGN' }, rate.buy + rate.sell, amount) / 2n
}

function addUp(sums: (bigint | null)[]): bigint | null {
  return sums.reduce((total, sum) => (total === null || sum === null ? null : total + sum), 0n)
}
