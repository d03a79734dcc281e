import type { Coin } from '../../money/assets.js'
import type { ChosenSplit, ReleasedLine } from './split.js'

/** What a session costs in both, and the id of a split that has to be made. */
type Price = { id: string; asset: Coin; coins: bigint; kobo: bigint }

/**
 * The split of a checkout session for its wallet: fixed amounts of kobo become the same part of the
 * price in coins, rounded down. A split without amounts fits as it is.
 */
export function toCoins(chosen: ChosenSplit, { id, asset, coins, kobo }: Price): ChosenSplit {
  const { split } = chosen
  const hasAmounts = split.lines.some(({ flat, min, max }) => flat ?? min ?? max)
  if (!hasAmounts && split.asset === null) return chosen
  const scale = (amount: bigint | null) => {
    if (amount === null) return null
    const scaled = (amount * coins) / kobo
    return scaled > 0n ? scaled : 1n
  }
  const lines = split.lines.map(
    (line): ReleasedLine => ({
      ...line,
      flat: scale(line.flat),
      min: scale(line.min),
      max: scale(line.max),
    }),
  )
  return { split: { ...split, id, rule: null, asset, lines }, isNew: true }
}
