import type { Coin } from '../money/assets.js'
import { sql } from '../postgres/sql.js'
import type { Queryable, Tx } from '../postgres/transactions/tx.js'
import type { JudgedReading } from './combine-readings.js'

export type StoredReading = {
  source: string
  asset: Coin
  /** Null: the source gave no rate, or an old one. */
  buy: bigint | null
  sell: bigint | null
  readAt: Date
  /** Why it is not used; null: it is. */
  problem: string | null
}

/** What each source gave when it was last read. */
export async function listReadings(db: Queryable): Promise<StoredReading[]> {
  return db.rows(sql<StoredReading>`
    select source, asset, buy, sell, read_at, problem
    from rate_readings order by asset, source`)
}

export function storeReadings(tx: Tx, now: Date, asset: Coin, judged: JudgedReading[]): void {
  for (const { source, rate, problem } of judged)
    tx.write(sql`
      insert into rate_readings (source, asset, buy, sell, read_at, problem)
      values (${source}, ${asset}, ${rate?.buy ?? null}, ${rate?.sell ?? null}, ${now}, ${problem})
      on conflict (source, asset) do update set buy = excluded.buy, sell = excluded.sell,
        read_at = excluded.read_at, problem = excluded.problem`)
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
