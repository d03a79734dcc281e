import { strict as assert } from 'node:assert'
import type { EnvironmentTime, RealTime } from '../base/clock.js'
import type { Environment } from '../base/environment.js'
import { newId } from '../base/ids.js'
import { toJson } from '../base/json-text.js'
import { Refusal } from '../base/refusal.js'
import { emitAll } from '../events/emit.js'
import type { Book } from '../ledger/book.js'
import { lockForAll, writeMovements } from '../ledger/move.js'
import type { Moved, Movement, MovementLine } from '../ledger/movement.js'
import { formatMoney } from '../money/amounts.js'
import { type Asset, isCoin } from '../money/assets.js'
import type { Tx } from '../postgres/transactions/tx.js'
import type { Conversion, ConversionQuote } from './conversion.js'
import type { BackCoins } from './ports.js'
import {
  changeStock,
  inventoryOf,
  lockPositions,
  moveInventory,
  type Position,
} from './positions.js'
import { showConversion } from './resource.js'
import { insertConversion } from './store-conversions.js'

type Creator = Pick<Conversion, 'createdByKey' | 'createdByUser' | 'payoutId'>

/** The conversion that a locked quote promises. Throws a refusal if it no longer holds. */
export function takeQuote(
  quote: ConversionQuote & { isUsed: boolean },
  environmentNow: EnvironmentTime,
  creator: Creator,
): Conversion {
  if (quote.isUsed)
    throw new Refusal('conversion_failed', {
      reason: 'quote_used',
      message: 'This quote was already used. Get a new one to convert again.',
    })
  if (environmentNow >= quote.expiresAt)
    throw new Refusal('conversion_failed', {
      reason: 'quote_expired',
      message: `This quote expired at ${quote.expiresAt.toISOString()}. Get a new one.`,
    })
  return toConversion(quote, environmentNow, { ...creator, quoteId: quote.id })
}

/** The conversion of a price, stored as a quote or not. */
export function toConversion(
  quote: ConversionQuote,
  environmentNow: EnvironmentTime,
  creator: Creator & Pick<Conversion, 'quoteId'>,
): Conversion {
  return {
    environmentId: quote.environmentId,
    id: newId(environmentNow),
    quoteId: creator.quoteId,
    source: quote.source,
    target: quote.target,
    sourceAmount: quote.sourceAmount,
    fee: quote.fee,
    targetAmount: quote.targetAmount,
    rate: quote.rate,
    payoutId: creator.payoutId,
    createdByKey: creator.createdByKey,
    createdByUser: creator.createdByUser,
    createdAt: environmentNow,
  }
}

/** The two movements of a conversion: out of one balance, into the other. */
export function toMovements(conversion: Conversion): Movement[] {
  const { environmentId, id, source, target, sourceAmount, fee, targetAmount } = conversion
  const sold: MovementLine[] = [
    {
      debit: 'available',
      credit: 'exchange',
      amount: sourceAmount - fee,
      purpose: 'conversion',
    },
  ]
  if (fee > 0n)
    sold.push({ debit: 'available', credit: 'fees', amount: fee, purpose: 'conversion_fee' })
  const bought: MovementLine = {
    debit: 'exchange',
    credit: 'available',
    amount: targetAmount,
    purpose: 'conversion_credit',
  }
  return [
    { environmentId, asset: source, causeId: id, isHold: false, lines: sold },
    { environmentId, asset: target, causeId: id, isHold: false, lines: [bought] },
  ]
}

type ConversionDependencies = {
  environment: Environment
  /** Test mode on the localnet: mints the coins that a conversion lacks. */
  backCoins: BackCoins | undefined
}

/** Converts in one transaction: both balances change, or none does. Throws refusals. */
export async function createConversion(
  tx: Tx,
  now: RealTime,
  conversion: Conversion,
  dependencies: ConversionDependencies,
): Promise<void> {
  const inventory = await takeInventory(tx, now, conversion, dependencies)
  const movements = toMovements(conversion)
  const book = await lockForAll(tx, movements)
  const outcomes = decideConversion(book, conversion, inventory)
  writeMovements(tx, now, book, { movements, outcomes })
  recordConversion(tx, now, conversion)
  inventory.write()
}

type Inventory = {
  /** What the positions cannot convert; undefined: they cover it. */
  lacking: Asset | undefined
  /** Writes the new positions. */
  write(): void
}

/**
 * Locks the operator's positions and finds whether they cover the conversion. Comes before the
 * ledger accounts are locked.
 */
export async function takeInventory(
  tx: Tx,
  now: RealTime,
  conversion: Conversion,
  { environment: { mode }, backCoins }: ConversionDependencies,
): Promise<Inventory> {
  const { source, target, sourceAmount, fee, targetAmount } = conversion
  const positions = await lockPositions(tx, mode, [source, target])
  const bought = { asset: source, amount: sourceAmount - fee }
  const sold = { asset: target, amount: targetAmount }
  const missing = sold.amount - inventoryOf(getPosition(positions, target))
  const isSimulated = mode === 'test' && (!isCoin(target) || backCoins !== undefined)
  const { ceiling } = getPosition(positions, source)
  const isFull =
    ceiling !== null && inventoryOf(getPosition(positions, source)) + bought.amount > ceiling
  return {
    lacking: missing > 0n && !isSimulated ? target : isFull ? source : undefined,
    write() {
      if (missing > 0n) {
        const { environmentId, id } = conversion
        const added = { mode, asset: target, amount: missing, givenBy: 'test mode' }
        changeStock(tx, now, { ...added, note: 'Added for a test conversion' })
        if (isCoin(target))
          backCoins!(tx, now, { environmentId, id, asset: target, amount: missing })
      }
      moveInventory(tx, mode, { bought, sold })
    },
  }
}

/**
 * Decides a conversion in locked accounts. Writes nothing, so it may throw refusals: the merchant's
 * balance first, so that only merchants who could pay learn what the operator can convert.
 */
export function decideConversion(
  book: Book,
  conversion: Conversion,
  { lacking }: Pick<Inventory, 'lacking'>,
): Moved[] {
  const { target } = conversion
  const [sold, bought] = toMovements(conversion).map((movement) => book.move(movement))
  if (!sold!.isMoved && sold!.why === 'not_covered')
    throw notConvertible(conversion, sold!.available)
  if (lacking) throw noCapacity(lacking)
  if (!sold!.isMoved || !bought!.isMoved)
    throw new Refusal('conversion_failed', {
      reason: 'balance_limit',
      message: `The conversion would exceed the largest balance in ${target}. Convert less.`,
    })
  return [sold!, bought!]
}

/** Records a conversion with its event. */
export function recordConversion(tx: Tx, now: RealTime, conversion: Conversion): void {
  insertConversion(tx, conversion)
  const { environmentId, id } = conversion
  const data = toJson(showConversion(conversion))
  emitAll(tx, now, [
    { environmentId, type: 'conversion.completed', resourceId: id, causeId: id, sequence: 1, data },
  ])
}

function getPosition(positions: Map<Asset, Position>, asset: Asset): Position {
  const position = positions.get(asset)
  assert(position, `the position in ${asset} exists`)
  return position
}

export function notConvertible(
  { source, sourceAmount }: Pick<Conversion, 'source' | 'sourceAmount'>,
  available: bigint,
): Refusal {
  const [needed, has] = [sourceAmount, available].map((sum) => formatMoney(sum, source))
  return new Refusal('insufficient_balance', {
    message: `The conversion needs ${needed}; ${has} is available. Convert less.`,
  })
}

function noCapacity(asset: Asset): Refusal {
  return new Refusal('conversion_failed', {
    reason: 'capacity',
    message: `The operator cannot convert this much ${asset} now.`,
  })
}
