import { newId } from '../../base/ids.js'
import { type LedgerAccountKey, owedName, pendingName, subaccountName } from '../../ledger/accounts.js'
import type { Book } from '../../ledger/book.js'
import type { Movement, MovementLine } from '../../ledger/movement.js'
import { spendable } from '../../ledger/accounts.js'
import { computeTakeBack } from '../splits/compute-take-back.js'
import type { Share, TakeBack } from './share.js'

/** A refund of a payment that was split. */
export type SplitRefund = {
  returnId: string
  /** What was accepted and not refunded before. */
  accepted: bigint
  amount: bigint
  shares: Share[]
  now: Date
}

/**
 * What each share gives back: in proportion to what is left of it. What was refunded before is no
 * longer part of either.
 */
export function sharesOfRefund({ shares, accepted, amount }: SplitRefund): Map<Share, bigint> {
  const left = shares.map((share) => share.amount - share.takenBack)
  const { lines } = computeTakeBack({ shares: left, accepted, refundedBefore: 0n, amount })
  return new Map(shares.map((share, index) => [share, lines[index]!]))
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
export function takeBack(
  book: Book,
  share: Share,
  { returnId, amount, now }: { returnId: string; amount: bigint; now: Date },
): { taken: TakeBack; movement: Movement } {
  const { environmentId, asset, subaccountId, status } = share
  const place = { environmentId, asset }
  const has = (name: LedgerAccountKey['name']) => spendable(book.find({ ...place, name })!)
  const pending = pendingName(subaccountId)
  const own = subaccountName(subaccountId)
  const takenPending = status === 'PENDING' ? smaller(amount, has(pending)) : 0n
  const taken = smaller(amount - takenPending, has(own))
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
      mode: share.mode,
      asset,
      taken,
      takenPending,
      owed,
      createdAt: now,
    },
    movement: { environmentId, asset, causeId: id, isHold: false, lines },
  }
}

function smaller(left: bigint, right: bigint): bigint {
  return left < right ? left : right
}
