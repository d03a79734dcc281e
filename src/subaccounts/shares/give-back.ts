import { after, type RealTime } from '../../base/clock.js'
import type { Mode } from '../../base/environment.js'
import {
  type LedgerAccountKey,
  owedName,
  pendingName,
  subaccountName,
} from '../../ledger/accounts.js'
import type { Book } from '../../ledger/book.js'
import { DecidedMovements } from '../../ledger/decided-movements.js'
import { lockLedgerAccounts } from '../../ledger/lock-accounts.js'
import type { Movement, MovementLine } from '../../ledger/movement.js'
import { smallerOf } from '../../money/amounts.js'
import type { Database } from '../../postgres/database.js'
import { claimDue, type DueTable } from '../../postgres/due.js'
import { sql } from '../../postgres/sql.js'
import type { Tx } from '../../postgres/transactions/tx.js'
import { shareLimits } from '../limits.js'
import { owedBy, recoverFirst } from '../receivables.js'
import type { Share, TakeBack } from './share.js'
import { addTakenBack, endGivingBack, lockGivingBack, lockShares } from './store-shares.js'

export const takeBacksDue: DueTable = {
  table: 'share_take_backs',
  keyColumns: ['environment_id', 'id'],
  openCondition: "state = 'GIVING_BACK'",
  ownerColumn: 'mode',
  counterColumn: 'tries',
  returning: 'job.environment_id, job.id, job.share_id',
}

type Claimed = Pick<TakeBack, 'environmentId' | 'id' | 'shareId'>

/**
 * Gives sub-accounts back what refunds took that failed or came back: first what they still owe for
 * it ends. Returns how many were due.
 */
export async function giveBack(
  { db, mode }: { db: Database; mode: Mode },
  now: RealTime,
): Promise<number> {
  const limit = shareLimits.perBatchMax
  const claimed = await claimDue<Claimed>(db, takeBacksDue, { owner: mode, now, limit })
  // Each alone: one that the merchant's balance does not cover must not keep the others back.
  for (const one of claimed) await db.transaction((tx) => giveOneBack(tx, now, one))
  return claimed.length
}

async function giveOneBack(tx: Tx, now: RealTime, claimed: Claimed): Promise<void> {
  const { environmentId, id, shareId } = claimed
  const shares = await lockShares(tx, [{ environmentId, id: shareId }])
  const takeBacks = (await lockGivingBack(tx, shares)).filter((taken) => taken.id === id)
  const [taken] = takeBacks
  if (!taken) return
  const book = await lockLedgerAccounts(tx, accountsOfGivingBack(takeBacks))
  const closed = await tx.rows(sql<{ id: string }>`
    select id from subaccounts where environment_id = ${environmentId}
      and id = ${taken.subaccountId} and status = 'CLOSED'`)
  const closedIds = new Set(closed.map((subaccount) => subaccount.id))
  const movements = new DecidedMovements(tx, book)
  const given = decideGivingBack(movements, { shares, takeBacks, closedIds })
  if (!given) return postpone(tx, now, claimed)
  if (given.returned.length > 0) movements.write(now)
  writeGivenBack(tx, given)
}

/** Take-backs that end: their money is returned, or stays with the merchant. */
export type GivenBack = {
  returned: TakeBack[]
  kept: TakeBack[]
  /** Afterwards. */
  shares: Share[]
}

/**
 * Decides all of them in the book; undefined if the merchant's balance does not cover them. What a
 * closed sub-account gave stays with the merchant.
 */
export function decideGivingBack(
  movements: DecidedMovements,
  {
    shares,
    takeBacks,
    closedIds,
  }: { shares: Share[]; takeBacks: TakeBack[]; closedIds: ReadonlySet<string> },
): GivenBack | undefined {
  const isClosed = ({ subaccountId }: TakeBack) => closedIds.has(subaccountId)
  const returned = takeBacks.filter((taken) => !isClosed(taken))
  const after = new Map(shares.map((share) => [share.id, share]))
  for (const taken of returned) {
    const share = after.get(taken.shareId)!
    if (!movements.move(toMovement(movements.book, taken, share)).isMoved) return undefined
    after.set(share.id, {
      ...share,
      takenBack: share.takenBack - totalOf(taken),
      takenPending: share.takenPending - taken.takenPending,
    })
  }
  return { returned, kept: takeBacks.filter(isClosed), shares: [...after.values()] }
}

/** The caller writes the movements. */
export function writeGivenBack(tx: Tx, { returned, kept }: GivenBack): void {
  addTakenBack(
    tx,
    returned.map((taken) => ({
      environmentId: taken.environmentId,
      id: taken.shareId,
      takenBack: -totalOf(taken),
      takenPending: -taken.takenPending,
    })),
  )
  endGivingBack(tx, [
    ...returned.map((taken) => ({ ...taken, state: 'GIVEN_BACK' as const })),
    ...kept.map((taken) => ({ ...taken, state: 'TAKEN' as const })),
  ])
}

function totalOf({ taken, takenPending, owed }: TakeBack): bigint {
  return taken + takenPending + owed
}

/** The merchant has spent the money that came back. */
function postpone(tx: Tx, now: RealTime, { environmentId, id }: Claimed): void {
  tx.write(sql`
    update share_take_backs set due_at = ${after(now, shareLimits.giveBackRetryMs)}
    where environment_id = ${environmentId} and id = ${id}`)
}

export function accountsOfGivingBack(takeBacks: TakeBack[]): LedgerAccountKey[] {
  return takeBacks.flatMap(({ environmentId, asset, subaccountId }) => {
    const names = [
      'available' as const,
      'receivables' as const,
      subaccountName(subaccountId),
      pendingName(subaccountId),
      owedName(subaccountId),
    ]
    return names.map((name) => ({ environmentId, asset, name }))
  })
}

function toMovement(book: Book, taken: TakeBack, { status }: Share): Movement {
  const { environmentId, asset, id, subaccountId } = taken
  const stillOwed = owedBy(book, { environmentId, asset }, subaccountId)
  const forgiven = smallerOf(stillOwed, taken.owed)
  const isPending = status === 'PENDING'
  const money = taken.taken + (taken.owed - forgiven) + (isPending ? 0n : taken.takenPending)
  const lines: MovementLine[] = [
    {
      debit: 'receivables',
      credit: owedName(subaccountId),
      amount: forgiven,
      purpose: 'receivable_reversal',
    },
    {
      debit: 'available',
      credit: subaccountName(subaccountId),
      amount: money,
      purpose: 'split_refund_reversal',
    },
    ...recoverFirst(
      { subaccountId, amount: money, owed: stillOwed - forgiven },
      { money: 'take_back_recovered', debt: 'take_back_receivable_ended' },
    ),
    {
      debit: 'available',
      credit: pendingName(subaccountId),
      amount: isPending ? taken.takenPending : 0n,
      purpose: 'split_refund_pending_reversal',
    },
  ]
  const nonZero = lines.filter(({ amount }) => amount > 0n)
  return { environmentId, asset, causeId: id, isHold: false, lines: nonZero }
}
