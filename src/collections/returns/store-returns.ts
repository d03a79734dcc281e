import type { RealTime } from '../../base/clock.js'
import type { EnvironmentId } from '../../base/environment.js'
import { newId } from '../../base/ids.js'
import type { Asset } from '../../money/assets.js'
import type { Destination } from '../../payouts/ports.js'
import type { Sql } from '../../postgres/sql.js'
import { listStatement } from '../../postgres/statement.js'
import { column, Table } from '../../postgres/table.js'
import type { Queryable, Tx } from '../../postgres/transactions/tx.js'
import type { RefundSplit } from '../../subaccounts/shares/refund-splits.js'
import type { Payment } from '../payments/payment.js'

export const refundReasons = ['duplicate', 'requested_by_customer', 'fraudulent', 'other'] as const

export type RefundReason = (typeof refundReasons)[number]

const paymentReturns = new Table('payment_returns', {
  environmentId: column.int4<EnvironmentId>(),
  id: column.uuid(),
  paymentId: column.uuid(),
  rail: column.text(),
  asset: column.text<Asset>(),
  amount: column.int8(),
  takesFrom: column.text<'suspense' | 'available'>(),
  /** Null: the payer names it on the page of the claim. */
  destination: column.json<Destination>().orNull(),
  claimId: column.uuid().orNull(),
  /** Of a refund, if the merchant said why. */
  reason: column.text<RefundReason>().orNull(),
  note: column.text().orNull(),
  createdAt: column.time(),
  state: column.text<ReturnState>(),
})

export type ReturnWithState = typeof paymentReturns.row

/**
 * Money of a payment that is sent back. Its payout has the same id, unless the payer claims it:
 * then each payout is that of the claim, and the return is SENT as soon as the claim opens.
 */
export type Return = Omit<ReturnWithState, 'state'>

/** One whose destination is known. */
export type DirectReturn = Return & { destination: Destination; claimId: null }

export type ReturnState = 'WAITING' | 'SENT' | 'RETURNED' | 'FAILED' | 'REVERSED'

/** A return of money that was not accepted. */
export function newReturn(
  at: Date,
  { environmentId, id, rail, asset }: Payment,
  { amount, destination }: { amount: bigint; destination: Destination },
): DirectReturn {
  return {
    environmentId,
    id: newId(at),
    paymentId: id,
    rail,
    asset,
    amount,
    takesFrom: 'suspense',
    destination,
    claimId: null,
    reason: null,
    note: null,
    createdAt: at,
  }
}

/** What the payment and its events show of a refund. */
export type Refund = Pick<Return, 'id' | 'amount' | 'reason' | 'note'> & {
  /** What sub-accounts gave to it; undefined if the payment was not split, and in events. */
  splits?: RefundSplit[] | undefined
}

/** Nothing of other returns. */
export function refundOf({ takesFrom, id, amount, reason, note }: Return): { refund?: Refund } {
  return takesFrom === 'available' ? { refund: { id, amount, reason, note } } : {}
}

const insert = listStatement({
  name: 'insert_payment_returns',
  columns: paymentReturns.typesWithout(),
  text: (list, parameter, names, values) => `
    insert into payment_returns (${names}, due_at)
    select ${values}, ${parameter(0)}::timestamptz from ${list}`,
})

/** Due immediately, in real time. One whose payout or claim exists already is inserted as SENT. */
export function insertReturns(
  tx: Tx,
  now: RealTime,
  returns: Return[],
  { isSent = false } = {},
): void {
  if (returns.length === 0) return
  const state = isSent ? 'SENT' : 'WAITING'
  const rows = returns.map((one) => ({ ...one, state }))
  tx.write(insert(rows, now))
}

const ofPayment = { environmentId: 'int4', paymentId: 'uuid' } as const

/** What a payer may know of the returns of a payment that did not fail. */
export type ReturnSummary = {
  /** Where the latest return goes; null while its payer has not said where. */
  destination: Destination | null
  /** Sum of the refunds, which take money that the merchant had accepted. */
  amountRefunded: bigint
}

type SummaryRow = { paymentId: string; destination: string | null; amountRefunded: bigint }

const summaries = listStatement<typeof ofPayment, SummaryRow>({
  name: 'find_return_summaries',
  columns: ofPayment,
  text: (list) => `
    select distinct on (r.payment_id) r.payment_id as payment_id,
      coalesce(r.destination, (
        select p.destination from claims c join payouts p
          on p.environment_id = c.environment_id and p.id = c.payout_id
        where c.environment_id = r.environment_id and c.id = r.claim_id))::text as destination,
      coalesce(sum(r.amount) filter (where r.takes_from = 'available')
        over (partition by r.payment_id), 0)::int8 as amount_refunded
    from ${list} join payment_returns r on r.environment_id = list.environment_id
      and r.payment_id = list.payment_id and r.state not in ('FAILED', 'REVERSED')
    order by r.payment_id, r.id desc`,
})

/** By payment id; payments without such a return are left out. */
export async function findReturnSummaries(
  db: Queryable,
  payments: Pick<Payment, 'environmentId' | 'id'>[],
): Promise<Map<string, ReturnSummary>> {
  if (payments.length === 0) return new Map()
  const names = payments.map(({ environmentId, id }) => ({
    environmentId,
    paymentId: id,
  }))
  const rows = await db.rows(summaries(names))
  const found = rows.map(({ paymentId, destination, amountRefunded }): [string, ReturnSummary] => [
    paymentId,
    { destination: destination === null ? null : JSON.parse(destination), amountRefunded },
  ])
  return new Map(found)
}

const stateChange = {
  environmentId: 'int4',
  id: 'uuid',
  fromState: 'text',
  state: 'text',
} as const

const move = listStatement({
  name: 'move_payment_returns',
  columns: stateChange,
  text: (list) => `
    update payment_returns r set state = list.state
    from ${list} where r.environment_id = list.environment_id and r.id = list.id
      and r.state = list.from_state`,
})

type StateChange = Pick<Return, 'environmentId' | 'id'> & { from: ReturnState; to: ReturnState }

/** A return that is no longer in the state `from` is not changed. */
export function changeReturnStates(tx: Tx, changes: StateChange[]): void {
  if (changes.length === 0) return
  const rows = changes.map(({ environmentId, id, from, to }) => ({
    environmentId,
    id,
    fromState: from,
    state: to,
  }))
  tx.write(move(rows))
}

export type ReturnRow = typeof paymentReturns.readRow

export function returnColumns(of: string): Sql {
  return paymentReturns.of(of)
}

export function toReturn(row: ReturnRow): ReturnWithState {
  return paymentReturns.read(row)
}

const named = { environmentId: 'int4', id: 'uuid' } as const

const lock = listStatement<typeof named, ReturnRow>({
  name: 'lock_payment_returns',
  columns: named,
  text: (list) => `
    select ${returnColumns('r')} from payment_returns r
    join ${list} on r.environment_id = list.environment_id and r.id = list.id
    order by r.environment_id, r.id for no key update of r`,
})

/** Lock order: returns first, then their payments. */
export async function lockReturns(
  tx: Tx,
  names: Pick<Return, 'environmentId' | 'id'>[],
): Promise<ReturnWithState[]> {
  return (await tx.rows(lock(names))).map(toReturn)
}

type CarriedRow = ReturnRow & { carrierId: string }

/** A claim names its return; so does its payout, by way of the claim. */
const lockCarried = listStatement<typeof named, CarriedRow>({
  name: 'lock_carried_returns',
  columns: named,
  text: (list) => `
    select ${returnColumns('r')}, list.id as carrier_id from ${list}
    join payment_returns r on r.environment_id = list.environment_id and r.id = coalesce((
      select claimed.id from payment_returns claimed
      where claimed.environment_id = list.environment_id and claimed.claim_id = coalesce((
        select c.id from claims c
        where c.environment_id = list.environment_id and c.payout_id = list.id), list.id)), list.id)
    order by r.environment_id, r.id for no key update of r`,
})

/** The returns that these payouts and claims carry, with the ids of those. */
export async function lockCarriedReturns(
  tx: Tx,
  carriers: Pick<Return, 'environmentId' | 'id'>[],
): Promise<(ReturnWithState & { carrierId: string })[]> {
  const rows = await tx.rows(lockCarried(carriers))
  return rows.map(({ carrierId, ...row }) => ({ ...toReturn(row), carrierId }))
}
