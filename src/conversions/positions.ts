import { strict as assert } from 'node:assert'
import type { RealTime } from '../base/clock.js'
import type { Mode } from '../base/environment.js'
import { newId } from '../base/ids.js'
import type { Asset } from '../money/assets.js'
import { sql } from '../postgres/sql.js'
import { column, insertInto, Table } from '../postgres/table.js'
import type { Queryable, Tx } from '../postgres/transactions/tx.js'

const positions = new Table('exchange_positions', {
  mode: column.text<Mode>(),
  asset: column.text<Asset>(),
  /** Added by the operator, less what was taken out. */
  stock: column.int8(),
  /** Bought from merchants and sold to them, without fees. */
  bought: column.int8(),
  sold: column.int8(),
  /** The most that the operator wants to hold; null: no limit. */
  ceiling: column.int8().orNull(),
})

/** The operator's own money in one mode and asset, which conversions buy and sell. */
export type Position = typeof positions.row

/** How much conversions can sell. */
export function inventoryOf({ stock, bought, sold }: Position): bigint {
  return stock + bought - sold
}

const select = sql`select ${positions.columns} from exchange_positions`

export async function listPositions(db: Queryable, mode: Mode): Promise<Position[]> {
  return db.rows(sql<Position>`${select} where mode = ${mode} order by asset`)
}

/**
 * Locked before any ledger account, so that two conversions never deadlock and never sell the same
 * money twice.
 */
export async function lockPositions(
  tx: Tx,
  mode: Mode,
  assets: Asset[],
): Promise<Map<Asset, Position>> {
  const rows = await tx.rows(sql<Position>`
    ${select} where mode = ${mode} and asset = any (${assets}::text[])
    order by asset for no key update`)
  return new Map(rows.map((row) => [row.asset, row]))
}

export function moveInventory(
  tx: Tx,
  mode: Mode,
  { bought, sold }: { bought: Sum; sold: Sum },
): void {
  tx.write(sql`
    update exchange_positions set bought = bought + ${bought.amount}
    where mode = ${mode} and asset = ${bought.asset}`)
  tx.write(sql`
    update exchange_positions set sold = sold + ${sold.amount}
    where mode = ${mode} and asset = ${sold.asset}`)
}

type Sum = { asset: Asset; amount: bigint }

export type StockChange = {
  /** The primary key lets a change happen once; without it, a new one. */
  id?: string | undefined
  mode: Mode
  asset: Asset
  /** Negative: taken out. */
  amount: bigint
  givenBy: string
  note: string
}

/** The position must be locked. What is taken out must be there. */
export function changeStock(tx: Tx, now: RealTime, change: StockChange): void {
  const { id = newId(now), mode, asset, amount, givenBy, note } = change
  assert(amount !== 0n, 'stock changes by an amount')
  tx.write(insertInto('exchange_stock', { id, mode, asset, amount, givenBy, note, createdAt: now }))
  tx.write(sql`
    update exchange_positions set stock = stock + ${amount}
    where mode = ${mode} and asset = ${asset}`)
}

export async function hasStockChange(db: Queryable, id: string): Promise<boolean> {
  return (await db.rows(sql`select from exchange_stock where id = ${id}`)).length > 0
}

export async function setCeiling(
  tx: Tx,
  { mode, asset, ceiling }: Pick<Position, 'mode' | 'asset' | 'ceiling'>,
): Promise<void> {
  await tx.count(sql`
    update exchange_positions set ceiling = ${ceiling}
    where mode = ${mode} and asset = ${asset}`)
}
