import type { EnvironmentId } from '../../base/environment.js'
import { fromReference, prefixes } from '../../base/ids.js'
import { notFound } from '../../base/refusal.js'
import type { StatementLine } from '../../ledger/statement.js'
import { sql } from '../../postgres/sql.js'
import { listStatement } from '../../postgres/statement.js'
import type { Queryable, Tx } from '../../postgres/tx.js'
import { type PayoutRow, payoutColumns, toPayout } from '../find-payouts.js'
import type { Payout } from '../payout.js'
import type { Settlement } from './settlement.js'

type Row = Omit<Settlement, 'lines'> & { lines: string }

const columns = `s.environment_id, s.id, s.payout_id, s.conversion_id, s.converted_amount,
  s.conversion_fee, s.scheduled_for, s.part, s.reserve, s.first_entry, s.last_entry, s.opening,
  s.closing, s.lines::text as lines, s.previous_at, s.created_at`

function toSettlement(row: Row): Settlement {
  const lines = JSON.parse(row.lines) as (Omit<StatementLine, 'change'> & { change: string })[]
  return { ...row, lines: lines.map((line) => ({ ...line, change: BigInt(line.change) })) }
}

export function insertSettlement(tx: Tx, settlement: Settlement): void {
  const { environmentId, id, payoutId, scheduledFor, part, reserve, createdAt } = settlement
  const { firstEntry, lastEntry, opening, closing, previousAt } = settlement
  const { conversionId, convertedAmount, conversionFee } = settlement
  // Sums are text, because a JSON number is not exact.
  const lines = settlement.lines.map((line) => ({ ...line, change: String(line.change) }))
  tx.write(sql`
    insert into settlements (environment_id, id, payout_id, scheduled_for, part, reserve,
      first_entry, last_entry, opening, closing, lines, previous_at, created_at, conversion_id,
      converted_amount, conversion_fee)
    values (${environmentId}, ${id}, ${payoutId}, ${scheduledFor}, ${part}, ${reserve},
      ${firstEntry}, ${lastEntry}, ${opening}, ${closing}, ${JSON.stringify(lines)}::json,
      ${previousAt}, ${createdAt}, ${conversionId}, ${convertedAmount}, ${conversionFee})`)
}

/** The latest settlement: the next one begins where it ends. */
export async function findLastSettlement(
  db: Queryable,
  environmentId: EnvironmentId,
): Promise<Settlement | undefined> {
  const [row] = await db.rows(sql<Row>`
    select ${sql.raw(columns)} from settlements s where s.environment_id = ${environmentId}
    order by s.last_entry desc limit 1`)
  return row && toSettlement(row)
}

export async function countParts(
  db: Queryable,
  { environmentId, scheduledFor }: Pick<Settlement, 'environmentId' | 'scheduledFor'>,
): Promise<number> {
  if (!scheduledFor) return 0
  const [row] = await db.rows(sql<{ parts: number }>`
    select count(*)::int as parts from settlements
    where environment_id = ${environmentId} and scheduled_for = ${scheduledFor}`)
  return row!.parts
}

const ofPayouts = { environmentId: 'int4', payoutId: 'uuid' } as const

const findOfPayouts = listStatement<typeof ofPayouts, Row>({
  name: 'find_settlements_of_payouts',
  columns: ofPayouts,
  text: (list) => `
    select ${columns} from ${list} join settlements s
      on s.environment_id = list.environment_id and s.payout_id = list.payout_id`,
})

/** The settlements of these payouts, by the id of the payout. */
export async function findSettlementsOf(
  tx: Tx,
  payouts: Pick<Payout, 'environmentId' | 'id'>[],
): Promise<Map<string, Settlement>> {
  const names = payouts.map(({ environmentId, id }) => ({
    environmentId,
    payoutId: id,
  }))
  const rows = await tx.rows(findOfPayouts(names))
  return new Map(rows.map((row) => [row.payoutId, toSettlement(row)]))
}

export type SettlementWithPayout = { settlement: Settlement; payout: Payout }

/** Newest first: those whose last entry is below the given one. */
export async function listSettlements(
  db: Queryable,
  { environmentId, below, limit }: { environmentId: EnvironmentId; below: bigint; limit: number },
): Promise<SettlementWithPayout[]> {
  const rows = await db.rows(sql<Row>`
    select ${sql.raw(columns)} from settlements s
    where s.environment_id = ${environmentId} and s.last_entry < ${below}
    order by s.last_entry desc limit ${limit}`)
  return withPayouts(db, rows.map(toSettlement))
}

export async function getSettlement(
  db: Queryable,
  { environmentId, reference }: { environmentId: EnvironmentId; reference: string },
): Promise<SettlementWithPayout> {
  const id = fromReference(prefixes.settlement, reference)
  const rows = id
    ? await db.rows(sql<Row>`
        select ${sql.raw(columns)} from settlements s
        where s.environment_id = ${environmentId} and s.id = ${id}`)
    : []
  const [found] = await withPayouts(db, rows.map(toSettlement))
  if (!found) throw notFound('settlement', reference)
  return found
}

async function withPayouts(
  db: Queryable,
  settlements: Settlement[],
): Promise<SettlementWithPayout[]> {
  if (settlements.length === 0) return []
  const rows = await db.rows(sql<PayoutRow>`
    select ${sql.raw(payoutColumns)} from payouts p
    where p.environment_id = ${settlements[0]!.environmentId}
      and p.id = any(${settlements.map(({ payoutId }) => payoutId)}::uuid[])`)
  const payouts = new Map(rows.map((row) => [row.id, toPayout(row)]))
  return settlements.map((settlement) => ({
    settlement,
    payout: payouts.get(settlement.payoutId)!,
  }))
}
