import type { RealTime } from '../../base/clock.js'
import { toEnvironmentTime } from '../../base/clock.js'
import type { Mode } from '../../base/environment.js'
import { toJson } from '../../base/json-text.js'
import { emitAll, type NewEvent } from '../../events/emit.js'
import { pendingName, subaccountName } from '../../ledger/accounts.js'
import type { Book } from '../../ledger/book.js'
import { DecidedMovements } from '../../ledger/decided-movements.js'
import { lockLedgerAccounts } from '../../ledger/lock-accounts.js'
import type { Movement } from '../../ledger/movement.js'
import type { Database } from '../../postgres/database.js'
import { claimDue, type DueTable } from '../../postgres/due.js'
import type { Tx } from '../../postgres/transactions/tx.js'
import { shareLimits } from '../limits.js'
import { receivableAccounts } from '../receivables.js'
import { showShare } from './resource.js'
import { netOf, type Share } from './share.js'
import { recover } from './share-payment.js'
import { lockShares, markReleased } from './store-shares.js'

export const sharesDue: DueTable = {
  table: 'payment_shares',
  keyColumns: ['environment_id', 'id'],
  openCondition: "status = 'PENDING'",
  ownerColumn: 'mode',
  counterColumn: 'tries',
  returning: `job.environment_id, job.id,
    (select e.clock_offset_ms::float8 from environments e where e.id = job.environment_id)
      as clock_offset_ms`,
}

type Claimed = Pick<Share, 'environmentId' | 'id'> & { clockOffsetMs: number }

/** Credits shares whose time has come. Returns how many were due. */
export async function releaseShares(
  { db, mode }: { db: Database; mode: Mode },
  now: RealTime,
): Promise<number> {
  const limit = shareLimits.perBatchMax
  const claimed = await claimDue<Claimed>(db, sharesDue, { owner: mode, now, limit })
  if (claimed.length > 0) await db.transaction((tx) => releaseAll(tx, now, claimed))
  return claimed.length
}

async function releaseAll(tx: Tx, now: RealTime, claimed: Claimed[]): Promise<void> {
  const locked = (await lockShares(tx, claimed)).filter(({ status }) => status === 'PENDING')
  const offsets = new Map(claimed.map(({ id, clockOffsetMs }) => [id, clockOffsetMs]))
  const book = await lockForRelease(tx, locked)
  const movements = new DecidedMovements(tx, book)
  const released = locked.flatMap((share): Share[] => {
    const movement = toRelease(book, share)
    // The balance would be larger than the ledger can hold: it stays claimed, and is tried again.
    if (movement && !movements.move(movement).isMoved) return []
    const releasedAt = toEnvironmentTime(now, offsets.get(share.id)!)
    return [{ ...share, status: 'POSTED', releasedAt }]
  })
  movements.write(now)
  markReleased(tx, released)
  emitAll(tx, now, released.map(toEvent))
}

function lockForRelease(tx: Tx, shares: Share[]): Promise<Book> {
  return lockLedgerAccounts(
    tx,
    shares.flatMap(({ environmentId, asset, subaccountId }) =>
      (['available', pendingName(subaccountId), subaccountName(subaccountId)] as const).map(
        (name) => ({ environmentId, asset, name }),
      ),
    ),
    shares.flatMap((share) => receivableAccounts(share, [share.subaccountId])),
  )
}

/** Undefined: refunds have taken all of it back. */
function toRelease(book: Book, share: Share): Movement | undefined {
  const { environmentId, asset, id, subaccountId } = share
  const amount = netOf(share) - share.takenPending
  if (amount === 0n) return undefined
  const credit = {
    debit: pendingName(subaccountId),
    credit: subaccountName(subaccountId),
    amount,
    purpose: 'split_release',
  } as const
  const lines = [credit, ...recover(book, share, amount)]
  return { environmentId, asset, causeId: id, isHold: false, lines }
}

function toEvent(share: Share): NewEvent {
  const { environmentId, id } = share
  const data = toJson(showShare(share))
  return { environmentId, type: 'split.released', resourceId: id, causeId: id, sequence: 2, data }
}
