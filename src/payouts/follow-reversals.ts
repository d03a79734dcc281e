import { sql } from 'kysely'
import { emitAll } from '../events/emit.js'
import { fromReference } from '../ids.js'
import { moveAll } from '../ledger/move.js'
import type { Movement } from '../ledger/movement.js'
import { assets } from '../money/assets.js'
import type { Database } from '../postgres/database.js'
import type { Tx } from '../postgres/tx.js'
import { type PayoutRow, payoutColumns, toPayout } from './find-payouts.js'
import { type FollowReturns, findOwners } from './follow-returns.js'
import { bankKinds, kinds, nextSequence, type Payout, purposesOf } from './payout.js'
import type { ReversingRail } from './ports.js'
import { showPayout } from './show-payout.js'

/**
 * Gives back what a rail has sent back after completion, amount and fee, once each. The place up to
 * which it was read moves in the same transaction. Says how many there were.
 */
export async function followReversals(
  { db, rail, follow }: { db: Database; rail: ReversingRail; follow?: FollowReturns },
  now: Date,
): Promise<number> {
  const { cursor, references } = await rail.findReversed(await readCursor(db, rail.name))
  if (references.length === 0) return 0
  const known = references
    .flatMap((reference) => bankKinds.map((kind) => fromReference(kinds[kind].prefix, reference)))
    .filter((id) => id !== undefined)
  return db.transaction(async (tx) => {
    const isEarly = await reversePayouts(tx, now, { rail: rail.name, ids: known, follow })
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
  { rail, ids, follow }: { rail: string; ids: string[]; follow: FollowReturns | undefined },
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
  const tellOwners = await findOwners(tx, reversed, follow)
  await moveAll(tx, now, reversed.map(toMovement))
  tx.write(sql`
    update payouts p set status = 'REVERSED', reversed_at = ${now},
      event_sequence = case when kind = 'bank_return' then 0 else event_sequence + 1 end
    where p.id = any(${reversed.map(({ id }) => id)}::uuid[]) and p.rail = ${rail}
      and p.status = 'COMPLETED'`)
  emitAll(tx, now, reversed.flatMap(toHappening))
  tellOwners(now, reversed)
  return isEarly
}

function reverse(now: Date, payout: Payout): Payout {
  const eventSequence = nextSequence(payout)
  return { ...payout, status: 'REVERSED', reversedAt: now, eventSequence }
}

function toMovement(payout: Payout): Movement {
  const { environmentId, asset, id, amount, fee, takesFrom: credit } = payout
  const purposes = purposesOf(payout)
  const lines = [
    { debit: assets[asset].holder, credit, amount, purpose: purposes.amountBack },
    { debit: 'fees' as const, credit, amount: fee, purpose: purposes.feeBack },
  ]
  const charged = lines.filter((line) => line.amount > 0n)
  return { environmentId, asset, causeId: id, isHold: false, lines: charged }
}

function toHappening(payout: Payout) {
  const { environmentId, id, kind, eventSequence: sequence } = payout
  if (kind !== 'bank_transfer') return []
  const type = kinds[kind].events.reversed
  const data = showPayout(payout, [])
  return [{ environmentId, type, resourceId: id, causeId: id, sequence, data }]
}
