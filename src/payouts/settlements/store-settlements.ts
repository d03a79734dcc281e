import type { EnvironmentId } from '../../base/environment.js'
import { firstIdAt, fromReference, prefixes } from '../../base/ids.js'
import { limits } from '../../base/limits.js'
import { notFound } from '../../base/refusal.js'
import { listLimits } from '../../postgres/limits.js'
import { type TimeRange, toIdRange, withinRange } from '../../postgres/lists/filtered-ids.js'
import { sql } from '../../postgres/sql.js'
import { listStatement } from '../../postgres/statement.js'
import type { Queryable, Tx } from '../../postgres/transactions/tx.js'
import { settlementLimits } from '../limits.js'
import type { Payout, PayoutStatus } from '../payout.js'
import { type PayoutRow, payoutColumns, toPayout } from '../records/find-payouts.js'
import { type Settlement, settlements } from './settlement.js'

type Row = typeof settlements.readRow

const columns = settlements.of('s')

function toSettlement(row: Row): Settlement {
  const { lines, ...settlement } = settlements.read(row)
  return {
    ...settlement,
    lines: lines.map((line) => ({ ...line, change: BigInt(line.change) })),
  }
}

export function insertSettlement(tx: Tx, settlement: Settlement): void {
  const lines = settlement.lines.map((line) => ({ ...line, change: String(line.change) }))
  tx.write(settlements.insert({ ...settlement, lines }))
}

/** The latest settlement: the next one begins where it ends. */
export async function findLastSettlement(
  db: Queryable,
  environmentId: EnvironmentId,
): Promise<Settlement | undefined> {
  const [row] = await db.rows(sql<Row>`
    select ${columns} from settlements s where s.environment_id = ${environmentId}
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

export type SettlementFilter = TimeRange & { status: PayoutStatus | undefined }

type Page = { below: bigint; limit: number }

/**
 * Newest first: those whose last entry is below the given one. Of a status, one page searches a
 * bounded number of settlements, so it may be short and still have a next one.
 */
export async function listSettlements(
  db: Queryable,
  environmentId: EnvironmentId,
  { status, ...range }: SettlementFilter,
  { below, limit }: Page,
): Promise<{ settlements: SettlementWithPayout[]; next: bigint | undefined }> {
  const entries = await findEntriesOf(db, environmentId, range)
  const rowsRead = status ? Math.max(listLimits.rowsPerScan, limit + 1) : limit + 1
  const scanned = await db.rows(sql<{ lastEntry: bigint; status: PayoutStatus }>`
    select s.last_entry, (select p.status from payouts p
      where p.environment_id = s.environment_id and p.id = s.payout_id) as status
    from settlements s where s.environment_id = ${environmentId} and s.last_entry < ${below}
      and s.last_entry between ${entries.first} and ${entries.last}
    order by s.last_entry desc limit ${rowsRead}`)
  const found = scanned.filter((one) => status === undefined || one.status === status)
  const shown = found.slice(0, limit).map(({ lastEntry }) => lastEntry)
  const rows = await db.rows(sql<Row>`
    select ${columns} from settlements s
    where s.environment_id = ${environmentId} and s.last_entry = any(${shown}::int8[])
    order by s.last_entry desc`)
  const end = scanned.length < rowsRead ? undefined : scanned.at(-1)!.lastEntry
  return {
    settlements: await withPayouts(db, rows.map(toSettlement)),
    next: found.length > limit ? shown.at(-1) : end,
  }
}

/**
 * The last entries of the settlements of a period. Ids hold the time, but those of one moment are
 * in no order, and clocks of processes differ: so several settlements at each end are read.
 */
async function findEntriesOf(
  db: Queryable,
  environmentId: EnvironmentId,
  { from, to }: TimeRange,
): Promise<{ first: bigint; last: bigint }> {
  const { ledgerMax } = limits.money
  if (!from && !to) return { first: 0n, last: ledgerMax }
  const { settlementsAtOnceMax: most } = settlementLimits
  const [found] = await db.rows(sql<{ first: bigint | null; last: bigint | null }>`
    select (select min(last_entry) from (
        select last_entry from settlements
        where environment_id = ${environmentId} and id >= ${firstIdAt(from ?? new Date(0))}
        order by id limit ${most}) earliest) as first,
      (select max(last_entry) from (
        select last_entry from settlements
        where environment_id = ${environmentId} ${to ? sql`and id < ${firstIdAt(to)}` : sql``}
        order by id desc limit ${most}) latest) as last`)
  return { first: found!.first ?? ledgerMax, last: found!.last ?? 0n }
}

export type SettlementSums = { status: PayoutStatus; count: number; amount: bigint; fee: bigint }

/** Sums of settlements by status. Undefined if there are too many to add up. */
export async function sumSettlements(
  db: Queryable,
  environmentId: EnvironmentId,
  range: TimeRange,
): Promise<SettlementSums[] | undefined> {
  const { settlementsSummedMax } = listLimits
  const sums = await db.rows(sql<SettlementSums>`
    select p.status, count(*)::int as count, sum(coalesce(s.conversion_fee, p.fee))::int8 as fee,
      sum(coalesce(s.converted_amount - s.conversion_fee, p.amount))::int8 as amount
    from (
      select * from settlements
      where environment_id = ${environmentId} ${withinRange(toIdRange(range, undefined))}
      order by id desc limit ${settlementsSummedMax + 1}) s
    join payouts p on p.environment_id = s.environment_id and p.id = s.payout_id
    group by p.status`)
  const summed = sums.reduce((total, { count }) => total + count, 0)
  return summed > settlementsSummedMax ? undefined : sums
}

export async function getSettlement(
  db: Queryable,
  { environmentId, reference }: { environmentId: EnvironmentId; reference: string },
): Promise<SettlementWithPayout> {
  const id = fromReference(prefixes.settlement, reference)
  const rows = id
    ? await db.rows(sql<Row>`
        select ${columns} from settlements s
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
    select ${payoutColumns} from payouts p
    where p.environment_id = ${settlements[0]!.environmentId}
      and p.id = any(${settlements.map(({ payoutId }) => payoutId)}::uuid[])`)
  const payouts = new Map(rows.map((row) => [row.id, toPayout(row)]))
  return settlements.map((settlement) => ({
    settlement,
    payout: payouts.get(settlement.payoutId)!,
  }))
}
