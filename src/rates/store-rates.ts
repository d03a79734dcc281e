import type { RealTime } from '../base/clock.js'
import { newId } from '../base/ids.js'
import type { Coin } from '../money/assets.js'
import type { RatePair } from '../money/rates.js'
import { sql } from '../postgres/sql.js'
import { column, Table } from '../postgres/table.js'
import type { Queryable, Tx } from '../postgres/transactions/tx.js'

const rates = new Table('rates', {
  id: column.uuid(),
  asset: column.text<Coin>(),
  buy: column.int8(),
  sell: column.int8(),
  origin: column.text<'operator' | 'sources'>(),
  /** The operator, or the names of the sources. */
  givenBy: column.text(),
  createdAt: column.time(),
  expiresAt: column.time().orNull(),
})

export type StoredRate = typeof rates.row

/** The rate that applied before one operator began to change it. */
export type RateBase = RatePair & { since: Date }

/**
 * The rate of each coin that holds now: the operator's while there is one, then the last one of the
 * sources.
 */
export async function findRates(db: Queryable, now: RealTime): Promise<StoredRate[]> {
  return db.rows(sql<StoredRate>`
    select distinct on (newest.asset) newest.* from unnest(array['USDC', 'USDT']) coin
    cross join unnest(array['operator', 'sources']) place
    cross join lateral (
      select ${rates.columns}, withdrawn_at from rates where asset = coin and origin = place
      order by created_at desc, id desc limit 1) newest
    where newest.withdrawn_at is null and (expires_at is null or expires_at > ${now})
    order by newest.asset, newest.origin`)
}

/** The last rate of the sources, however old: new readings are compared with it. */
export async function findLastOfSources(
  db: Queryable,
  asset: Coin,
): Promise<StoredRate | undefined> {
  const [row] = await db.rows(sql<StoredRate>`
    select ${rates.columns} from rates where asset = ${asset} and origin = 'sources'
    order by created_at desc, id desc limit 1`)
  return row
}

/** The base of the last rate that an operator set; a rate that was confirmed has none. */
export async function findBase(db: Queryable, asset: Coin): Promise<RateBase | undefined> {
  type Row = { buy: bigint | null; sell: bigint | null; since: Date | null }
  const [row] = await db.rows(sql<Row>`
    select base_buy as buy, base_sell as sell, base_since as since from rates
    where asset = ${asset} and origin = 'operator' order by created_at desc, id desc limit 1`)
  return row?.since ? (row as RateBase) : undefined
}

/** The last rate that an operator set, also if it was withdrawn or has expired. */
export async function findLastOfOperator(
  db: Queryable,
  asset: Coin,
): Promise<(StoredRate & { withdrawnAt: Date | null }) | undefined> {
  const [row] = await db.rows(sql<StoredRate & { withdrawnAt: Date | null }>`
    select ${rates.columns}, withdrawn_at from rates
    where asset = ${asset} and origin = 'operator' order by created_at desc, id desc limit 1`)
  return row
}

type RateToStore = Omit<StoredRate, 'id' | 'createdAt'> & { base?: RateBase | undefined }

export function insertRate(tx: Tx, now: RealTime, rate: RateToStore): void {
  const { base } = rate
  const before = base && { baseBuy: base.buy, baseSell: base.sell, baseSince: base.since }
  tx.write(rates.insert({ ...rate, id: newId(now), createdAt: now }, before))
}

/** Ends the operator's rate of a coin; the sources then apply. False: there was none. */
export async function withdrawRate(tx: Tx, now: RealTime, asset: Coin): Promise<boolean> {
  const count = await tx.count(sql`
    update rates set withdrawn_at = ${now} where id = (
      select id from rates where asset = ${asset} and origin = 'operator'
      order by created_at desc, id desc limit 1) and withdrawn_at is null`)
  return count > 0
}

/** Newest first, for operators. */
export async function listRates(
  db: Queryable,
  { asset, limit }: { asset: Coin; limit: number },
): Promise<(StoredRate & { withdrawnAt: Date | null })[]> {
  return db.rows(sql<StoredRate & { withdrawnAt: Date | null }>`
    select ${rates.columns}, withdrawn_at from rates where asset = ${asset}
    order by created_at desc, id desc limit ${limit}`)
}
