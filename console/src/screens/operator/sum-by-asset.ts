import { type Amount, type Asset, toUnits } from '../../parts/money-format'

/** Adds up columns of amounts, apart for each asset: assets are never summed. */
export function sumByAsset<Name extends string>(
  rows: (Record<Name, Amount> & { asset: Asset })[],
  names: Name[],
): (Record<Name, bigint> & { asset: Asset })[] {
  const assets = [...new Set(rows.map(({ asset }) => asset))]
  return assets.map((asset) => {
    const own = rows.filter((row) => row.asset === asset)
    const sums = names.map((name) => [
      name,
      own.reduce((sum, row) => sum + toUnits(row[name], asset), 0n),
    ])
    return { asset, ...(Object.fromEntries(sums) as Record<Name, bigint>) }
  })
}
