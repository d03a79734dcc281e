import { sql } from 'kysely'
import { emitAll } from '../events/emit.js'
import { fromReference } from '../ids.js'
import { moveAll } from '../ledger/move.js'
import type { Movement } from '../ledger/movement.js'
import { assets } from '../money/assets.js'
import type { Database } from '../postgres/database.js'
import type { Tx } from '../postgres/tx.js'
import { type PayoutRow, payoutColumns, toPayout } from './find-payouts.js'
import { kinds, type Payout } from './payout.js'
import type { ReversingRail } from './ports.js'
import { showPayout } from './show-payout.js'

/**
 * Gives back what a rail has sent back after completion, amount and fee, once each. The place up to
 * which it was read moves in the same transaction. Says how many there were.
 */
export async function followReversals(
  { db, rail }: { db: Database; rail: ReversingRail },
  now: Date,
): Promise<number> {
  const { cursor, references } = await rail.findReversed(await readCursor(db, rail.name))
  if (references.length === 0) return 0
  const ids = references.map((reference) => fromReference(kinds.bank_transfer.prefix, reference))
  const known = ids.filter((id) => id !== undefined)
  return db.transaction(async (tx) => {
    const isEarly = await reversePayouts(tx, now, { rail: rail.name, ids: known })
    if (isEarly) return 0
    tx.write(sql`
      insert into rail_cursors values (${rail.name}, 'reversals', ${cursor})
      on conflict (rail, subject) do update set position = excluded.position
      where rail_cursors.position < excluded.position`)
    return references.length
  })
}

async function readCursor(db: Database, rail: string): Promise<bigint> {
  const [row] = await db.rows(sql<{ position: bigint }>`
    select position from rail_cursors where rail = ${rail} and subject = 'reversals'`)
  return row?.position ?? 0n
}

/**
 * True when a payout is not completed yet: it must be settled before it can be reversed, so the
 * place is kept and the rail says it again.
 */
async function reversePayouts(
  tx: Tx,
  now: Date,
  { rail, ids }: { rail: string; ids: string[] },
): Promise<boolean> {
  const rows = await tx.rows(sql<PayoutRow>`
    select ${sql.raw(payoutColumns)} from payouts p
    where p.rail = ${rail} and p.id = any(${ids}::uuid[])
      and p.status in ('SUBMITTED', 'COMPLETED')
    order by p.environment_id, p.id for no key update`)
  const isEarly = rows.some(({ status }) => status === 'SUBMITTED')
  const completed = rows.filter(({ status }) => status === 'COMPLETED')
  if (completed.length === 0) return isEarly
  const reversed = completed.map(toPayout).map((payout) => reverse(now, payout))
  await moveAll(tx, now, reversed.map(toMovement))
  tx.write(sql`
    update payouts p set status = 'REVERSED', reversed_at = ${now},
      event_sequence = event_sequence + 1
    where p.id = any(${reversed.map(({ id }) => id)}::uuid[]) and p.rail = ${rail}
      and p.status = 'COMPLETED'`)
  emitAll(tx, now, reversed.map(toHappening))
  return isEarly
}

function reverse(now: Date, payout: Payout): Payout {
  const eventSequence = payout.eventSequence + 1
  return { ...payout, status: 'REVERSED', reversedAt: now, eventSequence }
}

function toMovement({ environmentId, asset, id, amount, fee }: Payout): Movement {
  const credit = 'available' as const
  const lines = [
    { debit: assets[asset].holder, credit, amount, purpose: 'bank_payout_reversal' as const },
    { debit: 'fees' as const, credit, amount: fee, purpose: 'bank_payout_fee_reversal' as const },
  ]
  const charged = lines.filter((line) => line.amount > 0n)
  return { environmentId, asset, causeId: id, isHold: false, lines: charged }
}

function toHappening(payout: Payout) {
  return {
    environmentId: payout.environmentId,
    type: 'bank_transfer.reversed' as const,
    resourceId: payout.id,
    causeId: payout.id,
    sequence: payout.eventSequence,
    data: showPayout(payout, []),
  }
}
