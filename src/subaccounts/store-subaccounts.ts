import type { EnvironmentId } from '../base/environment.js'
import { fromReference, prefixes } from '../base/ids.js'
import { notFound, Refusal } from '../base/refusal.js'
import {
  findPlannedSettlements,
  type PlannedSettlement,
} from '../merchants/settings/settlement-schedule.js'
import { type CommonFilter, joinRow, type List } from '../postgres/lists/list.js'
import { sql } from '../postgres/sql.js'
import type { Queryable, Tx } from '../postgres/transactions/tx.js'
import {
  type Subaccount,
  type SubaccountBalance,
  type SubaccountStatus,
  subaccountStatuses,
  subaccounts,
} from './subaccount.js'
import { findSubaccountBalances } from './subaccount-balances.js'

export type SubaccountKey = { environmentId: EnvironmentId; reference: string }

const selectAll = sql`select ${subaccounts.of('s')} from subaccounts s`

export async function getSubaccount(db: Queryable, key: SubaccountKey): Promise<Subaccount> {
  const id = fromReference(prefixes.subaccount, key.reference)
  const [row] = id
    ? await db.rows(sql<Subaccount>`
        ${selectAll} where environment_id = ${key.environmentId} and id = ${id}`)
    : []
  if (!row) throw unknownSubaccount(key.reference)
  return row
}

export async function getSubaccountById(
  db: Queryable,
  { environmentId, id }: { environmentId: EnvironmentId; id: string },
): Promise<Subaccount> {
  const [row] = await db.rows(sql<Subaccount>`
    ${selectAll} where environment_id = ${environmentId} and id = ${id}`)
  return row!
}

/** The id of the sub-account that a caller names; undefined if it names none. */
export async function findSubaccountId(
  db: Queryable,
  environmentId: EnvironmentId,
  reference: string | undefined,
): Promise<string | undefined> {
  return reference === undefined
    ? undefined
    : (await getSubaccount(db, { environmentId, reference })).id
}

export type NamedSubaccount = Pick<Subaccount, 'id' | 'status'>

/** The sub-accounts of these references, by reference. Unknown ones are left out. */
export async function findNamedSubaccounts(
  db: Queryable,
  environmentId: EnvironmentId,
  references: string[],
): Promise<Map<string, NamedSubaccount>> {
  const ids = new Map(
    references.map((reference) => [reference, fromReference(prefixes.subaccount, reference)]),
  )
  const known = [...new Set(ids.values())].filter((id) => id !== undefined)
  if (known.length === 0) return new Map()
  const rows = await db.rows(sql<NamedSubaccount>`
    select id, status from subaccounts
    where environment_id = ${environmentId} and id = any(${known}::uuid[])`)
  const byId = new Map(rows.map((row) => [row.id, row]))
  const found = [...ids].map(([reference, id]) => [reference, byId.get(id ?? '')] as const)
  return new Map(found.filter((entry): entry is [string, NamedSubaccount] => !!entry[1]))
}

/** Locks several, in the order of their ids, so that two transactions never deadlock. */
export async function lockSubaccounts(
  tx: Tx,
  environmentId: EnvironmentId,
  references: string[],
): Promise<Subaccount[]> {
  const ids = references.map((reference) => {
    const id = fromReference(prefixes.subaccount, reference)
    if (!id) throw unknownSubaccount(reference)
    return id
  })
  const rows = await lockSubaccountsById(tx, environmentId, ids)
  return ids.map((id, index) => {
    const row = rows.find((found) => found.id === id)
    if (!row) throw unknownSubaccount(references[index]!)
    return row
  })
}

export async function lockSubaccountsById(
  tx: Tx,
  environmentId: EnvironmentId,
  ids: string[],
): Promise<Subaccount[]> {
  return tx.rows(sql<Subaccount>`
    ${selectAll} where environment_id = ${environmentId} and id = any (${ids}::uuid[])
    order by id for no key update`)
}

function unknownSubaccount(reference: string): Refusal {
  return notFound('sub-account', reference)
}

/** Refuses an external reference that another sub-account has. */
export async function insertSubaccount(tx: Tx, subaccount: Subaccount): Promise<void> {
  await refuseUsedReference(tx, subaccount)
  tx.write(subaccounts.insert(subaccount))
}

export async function updateSubaccount(tx: Tx, subaccount: Subaccount): Promise<void> {
  await refuseUsedReference(tx, subaccount)
  const { environmentId, id, ...row } = subaccount
  tx.write(sql`
    update subaccounts set name = ${row.name}, email = ${row.email},
      external_reference = ${row.externalReference}, bank_code = ${row.bankCode},
      account_number = ${row.accountNumber}, account_name = ${row.accountName},
      wallet_address = ${row.walletAddress}, status = ${row.status}, closed_at = ${row.closedAt},
      settlement_schedule = ${row.settlementSchedule},
      settlement_reserve = ${row.settlementReserve},
      settlement_minimum = ${row.settlementMinimum}, chosen_by_key = ${row.chosenByKey},
      chosen_by_user = ${row.chosenByUser}, closing_payout_id = ${row.closingPayoutId},
      event_sequence = ${row.eventSequence}
    where environment_id = ${environmentId} and id = ${id}`)
}

async function refuseUsedReference(tx: Tx, subaccount: Subaccount): Promise<void> {
  const { environmentId, id, externalReference } = subaccount
  if (externalReference === null) return
  const used = await tx.rows(sql`
    select from subaccounts where environment_id = ${environmentId}
      and external_reference = ${externalReference} and id <> ${id}`)
  if (used.length > 0)
    throw new Refusal('validation_failed', {
      reason: 'duplicate_reference',
      message: `externalReference ${externalReference} belongs to another sub-account.`,
      details: [{ field: 'externalReference', issue: 'belongs to another sub-account' }],
    })
}

export type SubaccountFilter = CommonFilter & {
  status?: SubaccountStatus | undefined
  externalReference?: string | undefined
}

export type ShownSubaccount = Subaccount & {
  balances: SubaccountBalance[]
  /** Undefined: nothing is scheduled. */
  planned: PlannedSettlement | undefined
}

export const subaccountList: List<SubaccountFilter, ShownSubaccount> = {
  name: 'list_subaccounts',
  table: 'subaccounts',
  select: subaccounts.of('s'),
  rowsOf: joinRow('subaccounts', 's'),
  toRows: (db, rows: Subaccount[]) => withBalances(db, rows),
  keyOf: ({ id }) => id,
  columns: { status: { type: 'text', values: subaccountStatuses } },
  filters: {
    status: 'status',
    async externalReference(text, { db, environmentId }) {
      const rows = await db.rows(sql<{ id: string }>`
        select id from subaccounts
        where environment_id = ${environmentId} and external_reference = ${text}`)
      return [{ column: 'id', values: rows.map(({ id }) => id) }]
    },
  },
  indexes: [
    { index: 'subaccounts_by_status', serves: ['status'] },
    { index: 'subaccounts_pkey', serves: [] },
  ],
}

export async function withBalances(db: Queryable, rows: Subaccount[]): Promise<ShownSubaccount[]> {
  const scheduled = rows.filter(({ settlementSchedule }) => settlementSchedule !== 'off')
  // Sequential: a list may hold only one pool connection at a time.
  const balances = await findSubaccountBalances(db, rows)
  const planned = await findPlannedSettlements(db, scheduled)
  return rows.map((row) => ({
    ...row,
    balances: balances.get(row.id)!,
    planned: planned.get(row.id),
  }))
}
