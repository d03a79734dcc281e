import { listStatement } from '../postgres/statement.js'
import type { Queryable, Tx } from '../postgres/tx.js'
import type { Payment } from './payment.js'

export type PaymentRow = Omit<Payment, 'sender'> & { sender: string }

export const paymentColumns = `p.environment_id as "environmentId", p.id,
  p.account_id as "accountId", p.source, p.rail, p.rail_id as "railId", p.asset, p.amount,
  p.amount_accepted as "amountAccepted", p.amount_held as "amountHeld",
  p.amount_returning as "amountReturning", p.amount_returned as "amountReturned", p.fee,
  p.variance, p.sender, p.session_id as "bankSessionId", p.narration,
  p.event_sequence as "eventSequence", p.received_at as "receivedAt",
  p.created_at as "createdAt"`

export function toPayment(row: PaymentRow): Payment {
  return { ...row, sender: JSON.parse(row.sender) as Payment['sender'] }
}

const inserted = {
  environment_id: 'int4',
  id: 'uuid',
  account_id: 'uuid',
  source: 'text',
  rail: 'text',
  rail_id: 'text',
  asset: 'text',
  amount: 'int8',
  amount_accepted: 'int8',
  amount_held: 'int8',
  amount_returning: 'int8',
  amount_returned: 'int8',
  fee: 'int8',
  variance: 'text',
  session_id: 'text',
  narration: 'text',
  event_sequence: 'int4',
  received_at: 'timestamptz',
  created_at: 'timestamptz',
} as const

const insert = listStatement({
  name: 'insert_payments',
  columns: { ...inserted, sender: 'text' },
  text: (list) => {
    const names = Object.keys(inserted).join(', ')
    return `
      insert into payments (${names}, sender) select ${names}, sender::json from ${list}`
  },
})

/** The caller has locked the payments' notices, so a payment cannot be inserted twice. */
export function insertPayments(tx: Tx, payments: Payment[]): void {
  if (payments.length === 0) return
  const rows = payments.map((payment) => ({
    environment_id: payment.environmentId,
    id: payment.id,
    account_id: payment.accountId,
    source: payment.source,
    rail: payment.rail,
    rail_id: payment.railId,
    asset: payment.asset,
    amount: payment.amount,
    amount_accepted: payment.amountAccepted,
    amount_held: payment.amountHeld,
    amount_returning: payment.amountReturning,
    amount_returned: payment.amountReturned,
    fee: payment.fee,
    variance: payment.variance,
    session_id: payment.bankSessionId,
    narration: payment.narration,
    event_sequence: payment.eventSequence,
    received_at: payment.receivedAt,
    created_at: payment.createdAt,
    sender: JSON.stringify(payment.sender),
  }))
  tx.write(insert(rows))
}

const update = listStatement({
  name: 'update_payments',
  columns: {
    environment_id: 'int4',
    id: 'uuid',
    amount_accepted: 'int8',
    amount_held: 'int8',
    amount_returning: 'int8',
    amount_returned: 'int8',
    fee: 'int8',
    event_sequence: 'int4',
  },
  text: (list) => `
    update payments p set amount_accepted = list.amount_accepted, amount_held = list.amount_held,
      amount_returning = list.amount_returning, amount_returned = list.amount_returned,
      fee = list.fee, event_sequence = list.event_sequence
    from ${list} where p.environment_id = list.environment_id and p.id = list.id`,
})

/** The caller has locked the payments. */
export function updatePayments(tx: Tx, payments: Payment[]): void {
  if (payments.length === 0) return
  const rows = payments.map((payment) => ({
    environment_id: payment.environmentId,
    id: payment.id,
    amount_accepted: payment.amountAccepted,
    amount_held: payment.amountHeld,
    amount_returning: payment.amountReturning,
    amount_returned: payment.amountReturned,
    fee: payment.fee,
    event_sequence: payment.eventSequence,
  }))
  tx.write(update(rows))
}

const named = { environment_id: 'int4', id: 'uuid' } as const

const lock = listStatement<typeof named, PaymentRow>({
  name: 'lock_payments',
  columns: named,
  text: (list) => `
    select ${paymentColumns} from payments p
    join ${list} on p.environment_id = list.environment_id and p.id = list.id
    order by p.environment_id, p.id for no key update of p`,
})

/** Lock order: payments first, then their collection accounts. */
export async function lockPayments(
  tx: Tx,
  names: Pick<Payment, 'environmentId' | 'id'>[],
): Promise<Map<string, Payment>> {
  const unique = [...new Map(names.map((name) => [name.id, name])).values()]
  const rows = await tx.rows(
    lock(unique.map(({ environmentId, id }) => ({ environment_id: environmentId, id }))),
  )
  return new Map(rows.map((row) => [row.id, toPayment(row)]))
}

const latest = listStatement<typeof named, PaymentRow>({
  name: 'find_latest_payments',
  columns: named,
  text: (list, parameter) => `
    select ${paymentColumns} from ${list}
    cross join lateral (select * from payments one
      where one.environment_id = list.environment_id and one.account_id = list.id
      order by one.id desc limit ${parameter(0)}) p
    order by p.id desc`,
})

type AccountName = Pick<Payment, 'environmentId'> & { id: string }

/** The latest payments of each account, newest first, by account id. */
export async function findLatestPayments(
  db: Queryable,
  accounts: AccountName[],
  limit: number,
): Promise<Map<string, Payment[]>> {
  const found = new Map<string, Payment[]>()
  if (accounts.length === 0) return found
  const names = accounts.map(({ environmentId, id }) => ({ environment_id: environmentId, id }))
  for (const row of await db.rows(latest(names, limit)))
    found.set(row.accountId, [...(found.get(row.accountId) ?? []), toPayment(row)])
  return found
}
