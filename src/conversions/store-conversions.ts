import { after, type RealTime } from '../base/clock.js'
import type { EnvironmentId, Mode } from '../base/environment.js'
import { fromReference, prefixes } from '../base/ids.js'
import { notFound } from '../base/refusal.js'
import type { Asset } from '../money/assets.js'
import { joinRow, type List } from '../postgres/lists/list.js'
import { sql } from '../postgres/sql.js'
import type { Queryable, Tx } from '../postgres/transactions/tx.js'
import {
  type Conversion,
  type ConversionQuote,
  conversionQuotes,
  conversions,
} from './conversion.js'
import { conversionLimits } from './limits.js'

export async function insertQuote(db: Queryable, quote: ConversionQuote): Promise<void> {
  await db.rows(conversionQuotes.insert(quote))
}

/** Locked until the end of the transaction, so that it is used once. Throws refusals. */
export async function lockQuote(
  tx: Tx,
  { environmentId, reference }: { environmentId: EnvironmentId; reference: string },
): Promise<ConversionQuote & { isUsed: boolean }> {
  const id = fromReference(prefixes.conversionQuote, reference)
  const [quote] = id
    ? await tx.rows(sql<ConversionQuote>`
        select ${conversionQuotes.of('q')} from conversion_quotes q
        where environment_id = ${environmentId} and id = ${id} for no key update`)
    : []
  if (!quote) throw notFound('quote', reference)
  // Read after the lock: a conversion that had it has committed by now.
  const used = await tx.rows(sql`
    select from conversions where environment_id = ${environmentId} and quote_id = ${id}`)
  return { ...quote, isUsed: used.length > 0 }
}

/** Returns how many were deleted. A conversion has a copy of what its quote said. */
export async function deleteOldQuotes(db: Queryable, now: RealTime): Promise<number> {
  const { quoteRetentionMs, quotesDeletedPerBatchMax } = conversionLimits
  const rows = await db.rows(sql<{ id: string }>`
    delete from conversion_quotes q using (
      select environment_id, id from conversion_quotes
      where expires_at < ${after(now, -quoteRetentionMs)}
      order by expires_at limit ${quotesDeletedPerBatchMax} for update skip locked) old
    where q.environment_id = old.environment_id and q.id = old.id returning q.id`)
  return rows.length
}

export function insertConversion(tx: Tx, conversion: Conversion): void {
  tx.write(conversions.insert(conversion))
}

const selectConversions = sql`select ${conversions.of('c')} from conversions c`

export async function getConversion(
  db: Queryable,
  { environmentId, reference }: { environmentId: EnvironmentId; reference: string },
): Promise<Conversion> {
  const id = fromReference(prefixes.conversion, reference)
  const [row] = id
    ? await db.rows(sql<Conversion>`
        ${selectConversions} where environment_id = ${environmentId} and id = ${id}`)
    : []
  if (!row) throw notFound('conversion', reference)
  return row
}

export const conversionList: List<object, Conversion> = {
  name: 'list_conversions',
  table: 'conversions',
  select: conversions.of('c'),
  rowsOf: joinRow('conversions', 'c'),
  toRows: (_db, rows: Conversion[]) => rows,
  keyOf: ({ id }) => id,
  columns: {},
  filters: {},
  indexes: [{ index: 'conversions_pkey', serves: [] }],
}

/** What conversions of a mode earned, by asset, over all environments: for the operator. */
export async function sumConversionFees(db: Queryable, mode: Mode): Promise<Map<Asset, bigint>> {
  const rows = await db.rows(sql<{ asset: Asset; fees: bigint }>`
    select c.source_asset as asset, sum(c.fee)::bigint as fees
    from conversions c join environments e on e.id = c.environment_id
    where e.mode = ${mode} group by c.source_asset`)
  return new Map(rows.map(({ asset, fees }) => [asset, fees]))
}
