import type { EnvironmentId } from '../base/environment.js'
import type { Asset } from '../money/assets.js'
import { column, Table } from '../postgres/table.js'

const price = {
  environmentId: column.int4<EnvironmentId>(),
  id: column.uuid(),
  source: column.text<Asset>().named('source_asset'),
  target: column.text<Asset>().named('target_asset'),
  sourceAmount: column.int8(),
  fee: column.int8(),
  targetAmount: column.int8(),
  /** Naira for one coin, in millionths. */
  rate: column.int8(),
  createdAt: column.time(),
}

/** A price that holds for a short time. */
export type ConversionQuote = typeof conversionQuotes.row

export const conversionQuotes = new Table('conversion_quotes', {
  ...price,
  expiresAt: column.time(),
})

export type Conversion = typeof conversions.row

export const conversions = new Table('conversions', {
  ...price,
  /** Null: priced and converted at once, for a transfer. */
  quoteId: column.uuid().orNull(),
  /** The transfer that it pays for. */
  payoutId: column.uuid().orNull(),
  createdByKey: column.uuid().orNull(),
  createdByUser: column.uuid().orNull(),
})
