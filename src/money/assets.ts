/**
 * The assets of the ledger. Amounts are whole numbers of the smallest unit. `holder` is the ledger
 * account of what a bank or the treasury holds.
 */
export const assets = {
  NGN: { decimals: 2, holder: 'clearing' },
  USDC: { decimals: 6, holder: 'treasury' },
  USDT: { decimals: 6, holder: 'treasury' },
} as const

export type Asset = keyof typeof assets

/** Assets on a chain. */
export type Coin = Exclude<Asset, 'NGN'>

export const coins = ['USDC', 'USDT'] as const satisfies Coin[]

export function isCoin(asset: string): asset is Coin {
  return coins.some((coin) => coin === asset)
}

export const assetNames = Object.keys(assets) as Asset[]
