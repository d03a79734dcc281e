import type { EnvironmentId } from '../base/environment.js'
import type { Coin } from '../money/assets.js'
import { sql } from '../postgres/sql.js'
import { listStatement } from '../postgres/statement.js'
import { column, Table } from '../postgres/table.js'
import type { Queryable, Tx } from '../postgres/transactions/tx.js'

const allocations = new Table('payment_allocations', {
  environmentId: column.int4<EnvironmentId>(),
  id: column.uuid(),
  paymentId: column.uuid(),
  /** Null: credit of the customer. */
  invoiceId: column.uuid().orNull(),
  /** Among those of the same moment: a refund takes back the last one first. */
  place: column.int2(),
  /** In the asset of the invoice; of credit, in that of the payment. */
  amount: column.int8(),
  /** What coins paid an invoice in naira; both null if it is in the asset of the payment. */
  paidAsset: column.text<Coin>().orNull(),
  paidAmount: column.int8().orNull(),
  createdAt: column.time(),
  /** Set if a member or an API key made it. */
  reallocationId: column.uuid().orNull(),
})

/** What became of accepted money of a payment of a customer. */
export type Allocation = typeof allocations.row

const refunds = new Table('allocation_refunds', {
  environmentId: column.int4<EnvironmentId>(),
  id: column.uuid(),
  returnId: column.uuid(),
  allocationId: column.uuid(),
  /** The invoice that was paid with the credit of the allocation; null: that of the allocation. */
  otherInvoiceId: column.uuid().orNull(),
  /** In the asset of the invoice. */
  ofInvoice: column.int8(),
  ofCredit: column.int8(),
  /** Coins that it took of the payment; null if that is the same as the two above. */
  paidAmount: column.int8().orNull(),
  state: column.text<'TAKEN' | 'GIVEN_BACK'>(),
  createdAt: column.time(),
})

/** What a refund took back of an allocation. */
export type AllocationRefund = typeof refunds.row

const reallocations = new Table('reallocations', {
  environmentId: column.int4<EnvironmentId>(),
  id: column.uuid(),
  paymentId: column.uuid(),
  reason: column.text().orNull(),
  createdByKey: column.uuid().orNull(),
  createdByUser: column.uuid().orNull(),
  createdAt: column.time(),
})

/** A change of what a payment paid. */
export type Reallocation = typeof reallocations.row

export function insertReallocation(tx: Tx, row: Reallocation): void {
  tx.write(reallocations.insert(row))
}

const moves = new Table('allocation_moves', {
  environmentId: column.int4<EnvironmentId>(),
  id: column.uuid(),
  reallocationId: column.uuid(),
  allocationId: column.uuid(),
  amount: column.int8(),
  createdAt: column.time(),
})

/** What a reallocation took of an allocation. */
export type AllocationMove = typeof moves.row

const insertMoved = listStatement({
  name: 'insert_allocation_moves',
  columns: moves.typesWithout(),
  text: (list, _parameter, names, values) => `
    insert into allocation_moves (${names}) select ${values} from ${list}`,
})

export function insertMoves(tx: Tx, rows: AllocationMove[]): void {
  if (rows.length > 0) tx.write(insertMoved(rows))
}

const insert = listStatement({
  name: 'insert_payment_allocations',
  columns: allocations.typesWithout(),
  text: (list, _parameter, names, values) => `
    insert into payment_allocations (${names}) select ${values} from ${list}`,
})

export function insertAllocations(tx: Tx, rows: Allocation[]): void {
  if (rows.length > 0) tx.write(insert(rows))
}

const insertTaken = listStatement({
  name: 'insert_allocation_refunds',
  columns: refunds.typesWithout(),
  text: (list, _parameter, names, values) => `
    insert into allocation_refunds (${names}) select ${values} from ${list}`,
})

export function insertRefunds(tx: Tx, rows: AllocationRefund[]): void {
  if (rows.length > 0) tx.write(insertTaken(rows))
}

const named = { environmentId: 'int4', id: 'uuid' } as const

const giveBack = listStatement({
  name: 'give_back_allocation_refunds',
  columns: named,
  text: (list) => `
    update allocation_refunds r set state = 'GIVEN_BACK' from ${list}
    where r.environment_id = list.environment_id and r.id = list.id and r.state = 'TAKEN'`,
})

export function markGivenBack(tx: Tx, rows: AllocationRefund[]): void {
  if (rows.length > 0) tx.write(giveBack(rows))
}

type Named = { environmentId: EnvironmentId; id: string }

/** With what refunds and reallocations left of it. */
export type UsedAllocation = Allocation & {
  /** In the asset of the invoice. */
  remaining: bigint
  /** In the asset of the payment. */
  remainingPaid: bigint
}

const findOfPayments = listStatement<typeof named, UsedAllocation>({
  name: 'find_payment_allocations',
  columns: named,
  text: (list) => `
    select ${allocations.of('a')},
      (a.amount - coalesce(taken.amount, 0) - coalesce(moved.amount, 0))::int8 as remaining,
      (coalesce(a.paid_amount, a.amount) - coalesce(taken.paid, 0)
        - coalesce(moved.amount, 0))::int8 as remaining_paid
    from ${list}
    join payment_allocations a
      on a.environment_id = list.environment_id and a.payment_id = list.id
    left join lateral (
      select sum(r.of_invoice + r.of_credit) as amount,
        sum(coalesce(r.paid_amount, r.of_invoice + r.of_credit)) as paid
      from allocation_refunds r
      where r.environment_id = a.environment_id and r.allocation_id = a.id and r.state = 'TAKEN'
    ) taken on true
    left join lateral (
      select sum(m.amount) as amount from allocation_moves m
      where m.environment_id = a.environment_id and m.allocation_id = a.id
    ) moved on true
    order by a.environment_id, a.created_at, a.place`,
})

/** Oldest first. The row of the customer protects them. */
export async function findAllocations(db: Queryable, payments: Named[]): Promise<UsedAllocation[]> {
  return payments.length === 0 ? [] : db.rows(findOfPayments(payments))
}

const findById = listStatement<typeof named, Allocation>({
  name: 'find_allocations',
  columns: named,
  text: (list) => `
    select ${allocations.of('a')} from ${list}
    join payment_allocations a on a.environment_id = list.environment_id and a.id = list.id`,
})

export async function findAllocationsById(tx: Tx, names: Named[]): Promise<Allocation[]> {
  return names.length === 0 ? [] : tx.rows(findById(names))
}

/** Something of an allocation `a` was not moved to another invoice or to credit. */
export const isNotMoved = sql.raw(`a.amount > (
  select coalesce(sum(m.amount), 0) from allocation_moves m
  where m.environment_id = a.environment_id and m.allocation_id = a.id)`)

/** Whether a payment paid something of an invoice that was not moved to another. */
export async function isPaidByPayment(
  tx: Tx,
  { environmentId, id }: { environmentId: EnvironmentId; id: string },
): Promise<boolean> {
  const rows = await tx.rows(sql`
    select from payment_allocations a
    where environment_id = ${environmentId} and invoice_id = ${id} and ${isNotMoved}
    limit 1`)
  return rows.length > 0
}

const findOfReturns = listStatement<typeof named, AllocationRefund>({
  name: 'find_allocation_refunds',
  columns: named,
  text: (list) => `
    select ${refunds.of('r')} from ${list}
    join allocation_refunds r on r.environment_id = list.environment_id and r.return_id = list.id
    where r.state = 'TAKEN'`,
})

export async function findTaken(tx: Tx, returns: Named[]): Promise<AllocationRefund[]> {
  return returns.length === 0 ? [] : tx.rows(findOfReturns(returns))
}
