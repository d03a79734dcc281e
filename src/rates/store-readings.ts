import type { RealTime } from '../base/clock.js'
import type { Coin } from '../money/assets.js'
import { sql } from '../postgres/sql.js'
import { column, Table, upsert } from '../postgres/table.js'
import type { Queryable, Tx } from '../postgres/transactions/tx.js'
import type { JudgedReading } from './combine-readings.js'

const rateReadings = new Table('rate_readings', {
  source: column.text(),
  asset: column.text<Coin>(),
  /** Null: the source gave no rate, or an old one. */
  buy: column.int8().orNull(),
  sell: column.int8().orNull(),
  readAt: column.time(),
  /** Why it is not used; null: it is. */
  problem: column.text().orNull(),
})

export type StoredReading = typeof rateReadings.row

/** What each source gave when it was last read. */
export async function listReadings(db: Queryable): Promise<StoredReading[]> {
  return db.rows(sql<StoredReading>`
    select ${rateReadings.columns} from rate_readings order by asset, source`)
}

export function storeReadings(tx: Tx, now: RealTime, asset: Coin, judged: JudgedReading[]): void {
  for (const { source, rate, problem } of judged)
    tx.write(
      upsert(
        'rate_readings',
        { source, asset },
        { buy: rate?.buy ?? null, sell: rate?.sell ?? null, readAt: now, problem },
      ),
    )
}

/** Judges stored readings again. One that a worker replaced meanwhile keeps its own verdict. */
export function rejudgeReadings(tx: Tx, readings: StoredReading[]): void {
  for (const { source, asset, readAt, problem } of readings)
    tx.write(sql`
      update rate_readings set problem = ${problem}
      where source = ${source} and asset = ${asset} and read_at = ${readAt}`)
}

/** Sources that are no longer configured have no readings. */
export function deleteOtherReadings(tx: Tx, sources: { name: string; asset: Coin }[]): void {
  const names = sources.map(({ name, asset }) => `${name}/${asset}`)
  tx.write(sql`delete from rate_readings where source || '/' || asset <> all (${names}::text[])`)
}
