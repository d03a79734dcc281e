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
import { owedBy } from '../receivables.js'
import { type Share, shareTakeBacks, type TakeBack } from './share.js'
import { addTakenBack, endGivingBack, lockShares } from './store-shares.js'

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
  const [share] = await lockShares(tx, [{ environmentId, id: shareId }])
  const [taken] = await tx.rows(sql<TakeBack>`
    select ${shareTakeBacks.of('t')} from share_take_backs t
    where environment_id = ${environmentId} and id = ${id} and state = 'GIVING_BACK'
    for no key update`)
  if (!taken) return
  const book = await lockLedgerAccounts(tx, accountsOf(taken))
  const [closed] = await tx.rows(sql`
    select from subaccounts where environment_id = ${environmentId}
      and id = ${taken.subaccountId} and status = 'CLOSED'`)
  // What a closed sub-account gave stays with the merchant.
  if (closed) return endGivingBack(tx, [{ environmentId, id, state: 'TAKEN' }])
  const movements = new DecidedMovements(tx, book)
  if (!movements.move(toMovement(book, taken, share!)).isMoved) return postpone(tx, now, claimed)
  movements.write(now)
  addTakenBack(tx, [
    {
      environmentId,
      id: shareId,
      takenBack: -(taken.taken + taken.takenPending + taken.owed),
      takenPending: -taken.takenPending,
    },
  ])
  endGivingBack(tx, [{ environmentId, id, state: 'GIVEN_BACK' }])
}

/** The merchant has spent the money that came back. */
function postpone(tx: Tx, now: RealTime, { environmentId, id }: Claimed): void {
  tx.write(sql`
    update share_take_backs set due_at = ${after(now, shareLimits.giveBackRetryMs)}
    where environment_id = ${environmentId} and id = ${id}`)
}

function accountsOf({ environmentId, asset, subaccountId }: TakeBack): LedgerAccountKey[] {
  const names = [
    'available' as const,
    'receivables' as const,
    subaccountName(subaccountId),
    pendingName(subaccountId),
    owedName(subaccountId),
  ]
  return names.map((name) => ({ environmentId, asset, name }))
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
