import type { EnvironmentId } from '../../base/environment.js'
import { firstIdAt, fromReference, prefixes } from '../../base/ids.js'
import { limits } from '../../base/limits.js'
import { notFound } from '../../base/refusal.js'
import { findVatRates, vatInSql } from '../../ledger/vat-rates.js'
import { listLimits } from '../../postgres/limits.js'
import { findRows } from '../../postgres/lists/find-rows.js'
import { type TimeRange, toIdRange, withinRange } from '../../postgres/lists/key-range.js'
import type {
  FilterLookup,
  ListTable,
  Page,
  Restriction,
  RowPage,
} from '../../postgres/lists/list.js'
import { type Sql, sql } from '../../postgres/sql.js'
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
    lines: lines.map((line) => ({
      ...line,
      change: BigInt(line.change),
      vat: BigInt(line.vat ?? 0),
    })),
  }
}

export function insertSettlement(tx: Tx, settlement: Settlement): void {
  const lines = settlement.lines.map((line) => ({
    ...line,
    change: String(line.change),
    vat: line.vat === 0n ? undefined : String(line.vat),
  }))
  tx.write(settlements.insert({ ...settlement, lines }))
}

/** The merchant, or one of its sub-accounts. */
export type SettlementOwner = Pick<Settlement, 'environmentId' | 'subaccountId'>

function ofOwner({ environmentId, subaccountId }: SettlementOwner): Sql {
  const owner =
    subaccountId === null ? sql`subaccount_id is null` : sql`subaccount_id = ${subaccountId}`
  return sql`environment_id = ${environmentId} and ${owner}`
}

/** The latest settlement: the next one begins where it ends. */
export async function findLastSettlement(
  db: Queryable,
  owner: SettlementOwner,
): Promise<Settlement | undefined> {
  const [row] = await db.rows(sql<Row>`
    select ${columns} from settlements s where ${ofOwner(owner)}
    order by s.last_entry desc limit 1`)
  return row && toSettlement(row)
}

export async function countParts(
  db: Queryable,
  { scheduledFor, ...owner }: SettlementOwner & Pick<Settlement, 'scheduledFor'>,
): Promise<number> {
  if (!scheduledFor) return 0
  const [row] = await db.rows(sql<{ parts: number }>`
    select count(*)::int as parts from settlements
    where ${ofOwner(owner)} and scheduled_for = ${scheduledFor}`)
  return row!.parts
}

const payoutKeyColumns = { environmentId: 'int4', payoutId: 'uuid' } as const

const findOfPayouts = listStatement<typeof payoutKeyColumns, Row>({
  name: 'find_settlements_of_payouts',
  columns: payoutKeyColumns,
  text: (list) => `
    select ${columns} from ${list} join settlements s
      on s.environment_id = list.environment_id and s.payout_id = list.payout_id`,
})

/** The settlements of these payouts, by the id of the payout. */
export async function findSettlementsOf(
  db: Queryable,
  payouts: Pick<Payout, 'environmentId' | 'id'>[],
): Promise<Map<string, Settlement>> {
  const names = payouts.map(({ environmentId, id }) => ({
    environmentId,
    payoutId: id,
  }))
  const rows = await db.rows(findOfPayouts(names))
  return new Map(rows.map((row) => [row.payoutId, toSettlement(row)]))
}

export type SettlementWithPayout = { settlement: Settlement; payout: Payout }

export type SettlementFilter = {
  /** Absent: settlements of the merchant. */
  subaccountId?: string | undefined
  status?: PayoutStatus | undefined
  period?: TimeRange | undefined
}

/** In the order of their entries: clocks of processes differ. */
const settlementList: ListTable<SettlementFilter> = {
  name: 'list_settlements',
  table: 'settlements',
  key: { name: 'last_entry', type: 'int8' },
  columns: { subaccount_id: { type: 'uuid' } },
  filters: {
    subaccountId: 'subaccount_id',
    status: (status) => [
      {
        condition: sql`(
          select p.status from payouts p
          where p.environment_id = t.environment_id and p.id = t.payout_id) = ${status}`,
      },
    ],
    period: restrictPeriod,
  },
  indexes: [
    {
      index: 'subaccount_settlement_ends_once',
      serves: ['subaccount_id'],
      where: sql`subaccount_id is not null`,
    },
    { index: 'settlement_ends_once', serves: [], where: sql`subaccount_id is null` },
  ],
}

/** Newest first. */
export async function listSettlements(
  db: Queryable,
  environmentId: EnvironmentId,
  filter: SettlementFilter,
  page: Page,
): Promise<RowPage<SettlementWithPayout>> {
  type Position = Pick<Settlement, 'lastEntry'>
  const asked = { environmentId, filter }
  const found = await findRows<Position, SettlementFilter>(db, settlementList, asked, page, {
    columns: sql`t.last_entry`,
    keyOf: ({ lastEntry }) => String(lastEntry),
  })
  const entries = found.rows.map(({ lastEntry }) => lastEntry)
  const rows = await db.rows(sql<Row>`
    select ${columns} from settlements s
    where ${ofOwner(toOwner(environmentId, filter))} and s.last_entry = any(${entries}::int8[])
    order by s.last_entry desc`)
  return { rows: await attachPayouts(db, rows.map(toSettlement)), next: found.next }
}

function toOwner(
  environmentId: EnvironmentId,
  { subaccountId = null }: { subaccountId?: string | null | undefined },
): SettlementOwner {
  return { environmentId, subaccountId }
}

/**
 * The last entries of the settlements of a period. Ids hold the time, but those of one moment are
 * in no order, and clocks of processes differ: so several settlements at each end are read.
 */
async function restrictPeriod(
  { from, to }: TimeRange,
  { db, environmentId, filter }: FilterLookup<SettlementFilter>,
): Promise<Restriction[]> {
  if (!from && !to) return []
  const { settlementsAtOnceMax: most } = settlementLimits
  const own = ofOwner(toOwner(environmentId, filter))
  const [found] = await db.rows(sql<{ first: bigint | null; last: bigint | null }>`
    select (select min(last_entry) from (
        select last_entry from settlements
        where ${own} and id >= ${firstIdAt(from ?? new Date(0))}
        order by id limit ${most}) earliest) as first,
      (select max(last_entry) from (
        select last_entry from settlements
        where ${own} ${to ? sql`and id < ${firstIdAt(to)}` : sql``}
        order by id desc limit ${most}) latest) as last`)
  return [
    { column: 'last_entry', min: found!.first ?? limits.money.ledgerMax, max: found!.last ?? 0n },
  ]
}

export type SettlementSums = {
  status: PayoutStatus
  count: number
  amount: bigint
  fee: bigint
  levy: bigint
  feeVat: bigint
}

/** Sums of settlements by status. Undefined if there are too many to add up. */
export async function sumSettlements(
  db: Queryable,
  owner: SettlementOwner,
  range: TimeRange,
): Promise<SettlementSums[] | undefined> {
  const { settlementsSummedMax } = listLimits
  const feeVat = vatInSql(await findVatRates(db, owner.environmentId), {
    fee: sql`coalesce(s.conversion_fee, p.fee)`,
    causeId: sql`coalesce(s.conversion_id, p.id)`,
  })
  const sums = await db.rows(sql<SettlementSums>`
    select p.status, count(*)::int as count, sum(coalesce(s.conversion_fee, p.fee))::int8 as fee,
      sum(p.levy)::int8 as levy,
      sum(coalesce(s.converted_amount - s.conversion_fee, p.amount))::int8 as amount,
      sum(${feeVat})::int8 as fee_vat
    from (
      select * from settlements
      where ${ofOwner(owner)} ${withinRange(toIdRange(range, undefined))}
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
  const [found] = await attachPayouts(db, rows.map(toSettlement))
  if (!found) throw notFound('settlement', reference)
  return found
}

async function attachPayouts(
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
