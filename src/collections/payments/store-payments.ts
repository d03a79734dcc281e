import { writeTerms } from '../../postgres/lists/write-terms.js'
import { assigned, listStatement } from '../../postgres/statement.js'
import type { Queryable, Tx } from '../../postgres/transactions/tx.js'
import type { BankSender, WalletSender } from '../ports.js'
import { type Payment, payments } from './payment.js'

export type PaymentRow = typeof payments.readRow

export const paymentColumns = payments.of('p')

export function toPayment(row: PaymentRow): Payment {
  return payments.read(row)
}

const named = { environmentId: 'int4', id: 'uuid' } as const

const insert = listStatement({
  name: 'insert_payments',
  columns: payments.typesWithout(),
  text: (list, _parameter, names, values) => `
    insert into payments (${names}) select ${values} from ${list}`,
})

/** The caller has locked the payments' notices, so a payment cannot be inserted twice. */
export function insertPayments(tx: Tx, arrived: Payment[]): void {
  if (arrived.length === 0) return
  tx.write(insert(arrived))
  writeTerms(tx, 'payment', arrived.map(toSearchable))
}

/** A deposit is found by the signature of its transaction, the first part of its id. */
function toSearchable({ environmentId, id, sender, bankSessionId, asset, railId }: Payment) {
  const { name, accountNumber, address } = sender as Partial<BankSender & WalletSender>
  const signature = asset === 'NGN' ? null : railId.split(':')[0]
  return {
    environmentId,
    id,
    name,
    exact: [accountNumber, address, bankSessionId?.toLowerCase(), signature],
  }
}

const changing = payments.types(
  'amountAccepted',
  'amountHeld',
  'amountReturning',
  'amountReturned',
  'fee',
  'heldFor',
  'eventSequence',
)

const update = listStatement({
  name: 'update_payments',
  columns: { ...named, ...changing },
  text: (list) => `
    update payments p set ${assigned(changing)}
    from ${list} where p.environment_id = list.environment_id and p.id = list.id`,
})

/** The caller has locked the payments. */
export function updatePayments(tx: Tx, changed: Payment[]): void {
  if (changed.length > 0) tx.write(update(changed))
}

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
  const rows = await tx.rows(lock(unique))
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
  for (const row of await db.rows(latest(accounts, limit)))
    found.set(row.accountId, [...(found.get(row.accountId) ?? []), toPayment(row)])
  return found
}
