import type { EnvironmentId } from '../base/environment.js'
import type { Asset } from '../money/assets.js'
import { int4, int8, named, orNull, Table, text, time, uuid } from '../postgres/table.js'

const price = {
  environmentId: int4<EnvironmentId>(),
  id: uuid(),
  source: named('source_asset', text<Asset>()),
  target: named('target_asset', text<Asset>()),
  sourceAmount: int8(),
  fee: int8(),
  targetAmount: int8(),
  /** Naira for one coin, in millionths. */
  rate: int8(),
  createdAt: time(),
}

/** A price that holds for a short time. */
export type ConversionQuote = typeof conversionQuotes.row

export const conversionQuotes = new Table('conversion_quotes', { ...price, expiresAt: time() })

export type Conversion = typeof conversions.row

export const conversions = new Table('conversions', {
  ...price,
  /** Null: priced and converted at once, for a transfer. */
  quoteId: orNull(uuid()),
  /** The transfer that it pays for. */
  payoutId: orNull(uuid()),
  createdByKey: orNull(uuid()),
  createdByUser: orNull(uuid()),
})
