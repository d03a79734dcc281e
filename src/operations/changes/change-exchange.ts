import { strict as assert } from 'node:assert'
import { createHash } from 'node:crypto'
import type { RealTime } from '../../base/clock.js'
import type { Mode } from '../../base/environment.js'
import { toUuid } from '../../base/ids.js'
import { Refusal } from '../../base/refusal.js'
import {
  changeStock,
  hasStockChange,
  inventoryOf,
  listPositions,
  lockPositions,
  type Position,
  setCeiling,
} from '../../conversions/positions.js'
import { formatMoney } from '../../money/amounts.js'
import { type Asset, isCoin } from '../../money/assets.js'
import { readTreasuryBooks } from '../../payouts/reconciliation/treasury-books.js'
import type { Database } from '../../postgres/database.js'
import type { Queryable, Tx } from '../../postgres/transactions/tx.js'
import type { SolanaRail } from '../../rails/solana/rail.js'
import { sumLiveSweeps } from '../../wallets/store-sweeps.js'
import { auditOperator, nameOf, type Operator } from './audit-operator.js'

export type StockRequest = { mode: Mode; asset: Asset; amount: bigint; note: string }

export type StockAddition = StockRequest & {
  /** The reference of the transfer: a second addition with it is refused. */
  once?: string | undefined
}

/** A chain that reports what its treasury holds. */
export type TreasuryChain = Pick<SolanaRail, 'name' | 'isChainKnown' | 'treasuryBalances'>

/** What was checked before the transaction; naira cannot be. */
export type CheckedStock = { stockBefore: bigint }

/**
 * Checks that the treasury holds the coins that are to be added, beyond everything that the books
 * explain. Naira are not checked: no bank reports whose money it holds.
 */
export async function checkStock(
  db: Database,
  { mode, asset, amount, once }: StockAddition,
  rail: TreasuryChain | undefined,
): Promise<CheckedStock> {
  await refuseRepeated(db, mode, once)
  const { stock: stockBefore } = await getPosition(db, mode, asset)
  if (!isCoin(asset)) return { stockBefore }
  if (!rail) {
    if (mode === 'test') return { stockBefore }
    throw refuse('No chain is configured in live mode, so no treasury holds coins.')
  }
  if (!(await rail.isChainKnown()))
    throw refuse('The chain does not respond. Nothing was added; try again later.')
  const before = await readTreasuryBooks(db, { mode, asset })
  const { [asset]: held } = await rail.treasuryBalances()
  const arriving = await sumLiveSweeps(db, rail.name, asset)
  const after = await readTreasuryBooks(db, { mode, asset })
  // The most that the books explain, as in compare-treasury.ts.
  const surplus = held - (after.received + arriving - before.sent)
  if (surplus >= amount) return { stockBefore }
  const unexplained = formatMoney(surplus > 0n ? surplus : 0n, asset)
  throw refuse(
    `The treasury holds ${formatMoney(held, asset)}, which is ${unexplained} more than the ledger ` +
      `explains. First send ${formatMoney(amount, asset)} to it and wait until that is final.`,
  )
}

/** Adds money of the operator that conversions may sell. */
export async function addStock(
  tx: Tx,
  now: RealTime,
  addition: StockAddition & { checked: CheckedStock },
  operator: Operator,
): Promise<Position> {
  const { mode, asset, amount, note, once, checked } = addition
  const position = await lockPosition(tx, mode, asset)
  await refuseRepeated(tx, mode, once)
  // Another addition may have used the same coins.
  if (position.stock !== checked.stockBefore)
    throw refuse('The stock changed meanwhile. Nothing was added; try again.')
  return writeStock(tx, now, { position, amount, note, once }, operator)
}

async function refuseRepeated(db: Queryable, mode: Mode, once: string | undefined): Promise<void> {
  if (once !== undefined && (await hasStockChange(db, toStockId(mode, once))))
    throw refuse('An addition with this reference already exists. Nothing was changed.')
}

/** The same reference gives the same row, whatever its asset and amount. */
function toStockId(mode: Mode, once: string): string {
  return toUuid(createHash('sha256').update(`stock/${mode}/${once}`).digest('hex').slice(0, 32))
}

/** Checks that conversions have not sold what is to be taken, before another operator is asked. */
export async function checkTake(
  db: Database,
  { mode, asset, amount }: Omit<StockRequest, 'note'>,
): Promise<void> {
  refuseBeyondInventory(await getPosition(db, mode, asset), amount)
}

/** Takes money out that conversions have not sold. */
export async function takeStock(
  tx: Tx,
  now: RealTime,
  { mode, asset, amount, note }: StockRequest,
  operator: Operator,
): Promise<Position> {
  const position = await lockPosition(tx, mode, asset)
  refuseBeyondInventory(position, amount)
  return writeStock(tx, now, { position, amount: -amount, note }, operator)
}

function refuseBeyondInventory(position: Position, amount: bigint): void {
  const { asset } = position
  const inventory = inventoryOf(position)
  if (amount <= inventory) return
  throw refuse(
    `Only ${formatMoney(inventory, asset)} can be taken, less than ${formatMoney(amount, asset)}.`,
  )
}

/** Sets how large conversions may make a position. Null: no limit. */
export async function limitPosition(
  tx: Tx,
  now: RealTime,
  { mode, asset, ceiling }: Pick<Position, 'mode' | 'asset' | 'ceiling'>,
  operator: Operator,
): Promise<Position> {
  const position = await lockPosition(tx, mode, asset)
  await setCeiling(tx, { mode, asset, ceiling })
  const limit = ceiling === null ? 'none' : formatMoney(ceiling, asset)
  auditOperator(tx, now, operator, {
    action: 'exchange_limit.set',
    details: { mode, asset, limit },
  })
  return { ...position, ceiling }
}

function writeStock(
  tx: Tx,
  now: RealTime,
  { position, amount, note, once }: Pick<StockAddition, 'amount' | 'note' | 'once'> & Located,
  operator: Operator,
): Position {
  const { mode, asset } = position
  const id = once === undefined ? undefined : toStockId(mode, once)
  changeStock(tx, now, { id, mode, asset, amount, note, givenBy: nameOf(operator) })
  const size = formatMoney(amount < 0n ? -amount : amount, asset)
  auditOperator(tx, now, operator, {
    action: amount < 0n ? 'exchange_stock.take' : 'exchange_stock.add',
    details: { mode, asset, amount: size, note, once },
  })
  return { ...position, stock: position.stock + amount }
}

type Located = { position: Position }

async function lockPosition(tx: Tx, mode: Mode, asset: Asset): Promise<Position> {
  const position = (await lockPositions(tx, mode, [asset])).get(asset)
  assert(position, 'every asset has a position')
  return position
}

async function getPosition(db: Database, mode: Mode, asset: Asset): Promise<Position> {
  const position = (await listPositions(db, mode)).find((candidate) => candidate.asset === asset)
  assert(position, 'every asset has a position')
  return position
}

function refuse(message: string): Refusal {
  return new Refusal('validation_failed', { message })
}
