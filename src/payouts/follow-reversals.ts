import { sql } from 'kysely'
import { after } from '../clock.js'
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

type Row = PayoutRow & { clockOffsetMs: number }

/**
 * True when a payout is not completed yet: it must be settled before it can be reversed, so the
 * place is kept and the rail says it again.
 */
async function reversePayouts(
  tx: Tx,
  now: Date,
  { rail, ids: named, follow }: { rail: string; ids: string[]; follow: FollowReturns | undefined },
): Promise<boolean> {
  const rows = await tx.rows(sql<Row>`
    select ${sql.raw(payoutColumns)}, e.clock_offset_ms::float8 as "clockOffsetMs"
    from payouts p join environments e on e.id = p.environment_id
    where p.rail = ${rail} and p.id = any(${named}::uuid[])
      and p.status in ('SUBMITTED', 'COMPLETED')
    order by p.environment_id, p.id for no key update of p`)
  const isEarly = rows.some(({ status }) => status === 'SUBMITTED')
  const completed = rows.filter(({ status }) => status === 'COMPLETED')
  if (completed.length === 0) return isEarly
  const reversed = completed.map((row) => reverse(now, row))
  const tellOwners = await findOwners(tx, reversed, follow)
  await moveAll(tx, now, reversed.map(toMovement))
  const [ids, times] = [reversed.map(({ id }) => id), reversed.map(({ reversedAt }) => reversedAt)]
  tx.write(sql`
    update payouts p set status = 'REVERSED', reversed_at = list.reversed_at,
      event_sequence = case when kind = 'bank_return' then 0 else event_sequence + 1 end
    from unnest(${ids}::uuid[], ${times}::timestamptz[]) list (id, reversed_at)
    where p.id = list.id and p.rail = ${rail} and p.status = 'COMPLETED'`)
  emitAll(tx, now, reversed.flatMap(toHappening))
  tellOwners(now, reversed)
  return isEarly
}

/** At the time of its environment, or it would end before it began. */
function reverse(now: Date, { clockOffsetMs, ...row }: Row): Payout {
  const payout = toPayout(row)
  const reversedAt = after(now, clockOffsetMs)
  return { ...payout, status: 'REVERSED', reversedAt, eventSequence: nextSequence(payout) }
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
