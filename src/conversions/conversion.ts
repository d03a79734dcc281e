import type { EnvironmentId } from '../base/environment.js'
import type { Asset } from '../money/assets.js'
import type { ConversionPrice } from './price-conversion.js'

/** A price that holds for a short time. */
export type ConversionQuote = ConversionPrice & {
  environmentId: EnvironmentId
  id: string
  source: Asset
  target: Asset
  /** Naira for one coin, in millionths. */
  rate: bigint
  createdAt: Date
  expiresAt: Date
}

export type Conversion = ConversionPrice & {
  environmentId: EnvironmentId
  id: string
  /** Null: priced and converted at once, for a transfer. */
  quoteId: string | null
  source: Asset
  target: Asset
  rate: bigint
  /** The transfer that it pays for. */
  payoutId: string | null
  createdByKey: string | null
  createdByUser: string | null
  createdAt: Date
}
