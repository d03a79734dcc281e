import { strict as assert } from 'node:assert'
import type { RealTime } from '../../base/clock.js'
import { newId } from '../../base/ids.js'
import {
  type LedgerAccountKey,
  owedName,
  pendingName,
  spendable,
  subaccountName,
} from '../../ledger/accounts.js'
import type { Book } from '../../ledger/book.js'
import type { DecidedMovements } from '../../ledger/decided-movements.js'
import type { Movement, MovementLine } from '../../ledger/movement.js'
import { smallerOf } from '../../money/amounts.js'
import type { Tx } from '../../postgres/transactions/tx.js'
import { emitReceivables } from '../emit-receivables.js'
import type { Subaccount } from '../subaccount.js'
import { type NamedTakeBack, takeBackAsNamed } from './named-take-back.js'
import { type Proportion, takeBackInProportion } from './proportions.js'
import { netOf, type Share, type TakeBack } from './share.js'
import { addTakenBack, insertTakeBacks, writeProportions } from './store-shares.js'

/** A refund of a payment that was split. */
export type SplitRefund = {
  returnId: string
  /** What was accepted and not refunded before. */
  accepted: bigint
  amount: bigint
  shares: Share[]
  /** Those of the shares, locked. */
  subaccounts: Subaccount[]
  /** Null: in proportion. */
  named: NamedTakeBack[] | null
  now: Date
}

/** Every ledger account that taking back may change. */
export function accountsOfTakeBack(shares: Share[]): LedgerAccountKey[] {
  return shares.flatMap(({ environmentId, asset, subaccountId, status }) => {
    const names = [
      'available' as const,
      'receivables' as const,
      subaccountName(subaccountId),
      owedName(subaccountId),
      ...(status === 'PENDING' ? [pendingName(subaccountId)] : []),
    ]
    return names.map((name) => ({ environmentId, asset, name }))
  })
}

/**
 * Takes back from the pending money of the share first, then from what the sub-account has; it owes
 * the rest. Decides in the book, in the order of the shares.
 */
function takeBack(
  book: Book,
  share: Share,
  { returnId, amount, now }: { returnId: string; amount: bigint; now: Date },
): { taken: TakeBack; movement: Movement } {
  const { environmentId, asset, subaccountId, status } = share
  const place = { environmentId, asset }
  const has = (name: LedgerAccountKey['name']) => spendable(book.find({ ...place, name })!)
  const pending = pendingName(subaccountId)
  const own = subaccountName(subaccountId)
  const ownPending = status === 'PENDING' ? netOf(share) - share.takenPending : 0n
  const takenPending = smallerOf(amount, ownPending)
  const taken = smallerOf(amount - takenPending, has(own))
  const owed = amount - takenPending - taken
  const id = newId(now)
  const lines: MovementLine[] = []
  if (takenPending > 0n)
    lines.push({
      debit: pending,
      credit: 'available',
      amount: takenPending,
      purpose: 'split_refund_pending',
    })
  if (taken > 0n)
    lines.push({ debit: own, credit: 'available', amount: taken, purpose: 'split_refund' })
  if (owed > 0n)
    lines.push({
      debit: owedName(subaccountId),
      credit: 'receivables',
      amount: owed,
      purpose: 'receivable',
    })
  return {
    taken: {
      environmentId,
      id,
      returnId,
      shareId: share.id,
      subaccountId,
      asset,
      taken,
      takenPending,
      owed,
      createdAt: now,
    },
    movement: { environmentId, asset, causeId: id, isHold: false, lines },
  }
}

/** What refunds take back, decided and not written yet. */
export type TakenBack = {
  takeBacks: TakeBack[]
  proportions: ({ share: Share } & Proportion)[]
  movements: DecidedMovements
}

/** Takes back from each share in proportion, or as the refund names. Refuses before it decides. */
export function takeBackShares(movements: DecidedMovements, refund: SplitRefund): TakenBack {
  const { returnId, now } = refund
  const { parts, proportions } = divideRefund(refund)
  const takeBacks = parts
    .filter(({ amount }) => amount > 0n)
    .map(({ share, amount }) => {
      const { taken, movement } = takeBack(movements.book, share, { returnId, amount, now })
      const { isMoved } = movements.move(movement)
      assert(isMoved, 'only what the sub-account has is taken')
      return taken
    })
  return { takeBacks, proportions, movements }
}

type DividedRefund = {
  parts: { share: Share; amount: bigint }[]
  proportions: TakenBack['proportions']
}

/** A closed sub-account can neither give nor owe: the merchant gives its part. */
function divideRefund(refund: SplitRefund): DividedRefund {
  const { shares, subaccounts, named, accepted, amount } = refund
  if (named !== null) {
    const amounts = takeBackAsNamed(shares, named, { amount, subaccounts })
    const parts = shares.map((share, index) => ({ share, amount: amounts[index]! }))
    return { parts, proportions: [] }
  }
  const closed = new Set(
    subaccounts.filter(({ status }) => status === 'CLOSED').map(({ id }) => id),
  )
  const open = shares.filter(({ subaccountId }) => !closed.has(subaccountId))
  const { amounts, proportions } = takeBackInProportion(open, { accepted, amount })
  return {
    parts: open.map((share, index) => ({ share, amount: amounts[index]! })),
    proportions: open.map((share, index) => ({ share, ...proportions[index]! })),
  }
}

/** Writes the transfers and rows; the caller writes the book. */
export async function writeTakenBack(
  tx: Tx,
  now: RealTime,
  { takeBacks, proportions, movements }: TakenBack,
  /** Those of the shares, locked. */
  subaccounts: Subaccount[],
): Promise<void> {
  movements.writeTransfers(now)
  insertTakeBacks(tx, takeBacks)
  writeProportions(tx, proportions)
  addTakenBack(
    tx,
    takeBacks.map(({ environmentId, shareId, taken, takenPending, owed }) => ({
      environmentId,
      id: shareId,
      takenBack: taken + takenPending + owed,
      takenPending,
    })),
  )
  await emitReceivables(
    tx,
    now,
    { book: movements.book, subaccounts },
    takeBacks.filter(({ owed }) => owed > 0n),
  )
}
