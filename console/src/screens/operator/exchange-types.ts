import type { Mode } from '../../api/scope'
import type { Asset } from '../../parts/money-format'

/** Answers of /operator/v1/rates and /operator/v1/exchange. */

export type Coin = 'USDC' | 'USDT'

export type Pair = { buy: string; sell: string }

export type CurrentRate = Pair & {
  origin: 'operator' | 'sources'
  givenBy: string
  createdAt: string
  expiresAt: string | null
}

export type Source = {
  source: string
  buy: string | null
  sell: string | null
  readAt: string | null
  problem: string | null
}

export type CoinRate = {
  asset: Coin
  rate: CurrentRate | null
  isMissing: boolean
  /** What accepting would store. */
  median: Pair | null
  sources: Source[]
}

export type Rates = { items: CoinRate[]; maxAgeSeconds: number; maxDeviationPercent: number }

export type PastRate = CurrentRate & { withdrawnAt: string | null }

/** Amounts are texts for people. */
export type Position = {
  asset: Asset
  stock: string
  bought: string
  sold: string
  inventory: string
  ceiling: string | null
  fees: string
  worth: string | null
}

export type ModeExchange = { mode: Mode; profit: string | null; positions: Position[] }
