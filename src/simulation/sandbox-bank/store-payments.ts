import type { RealTime } from '../../base/clock.js'
import { listStatement } from '../../postgres/statement.js'
import type { Queryable, Tx } from '../../postgres/transactions/tx.js'
import { type SandboxPayment, sandboxPayments } from './payment.js'
import type { SandboxNotice } from './store-notices.js'

/** Any number that nothing else in this database locks. */
const lockKey = 7_265_648

const named = { id: 'text' } as const

const recorded = {
  ...sandboxPayments.typesWithout(),
  copies: 'int4',
  tries: 'int4',
  isUnderWay: 'bool',
  dueAt: 'timestamptz',
} as const

/**
 * An advisory lock lets one process insert at a time until it commits, so that line numbers become
 * visible in order. The payments join it, so it is taken before they are numbered.
 */
const record = listStatement<typeof recorded, { id: string }>({
  name: 'record_sandbox_payments',
  columns: recorded,
  text: (list, parameter) => `
    with locked as materialized (select pg_advisory_xact_lock(${lockKey})),
    recorded as (
      insert into sandbox_payments (id, account_number, amount, currency, sender, is_sender_masked,
        session_id, narration, paid_at, recorded_at)
      select list.id, list.account_number, list.amount, list.currency, list.sender::json,
        list.is_sender_masked, list.session_id, list.narration, list.paid_at,
        ${parameter(0)}::timestamptz
      from ${list} join sandbox_accounts a on a.number = list.account_number cross join locked
      on conflict (id) do nothing returning id),
    noticed as (
      insert into sandbox_notices (payment_id, copies, tries, is_under_way, due_at)
      select list.id, list.copies, list.tries, list.is_under_way, list.due_at
      from ${list} join recorded on recorded.id = list.id where list.copies > 0)
    select id from recorded`,
})

export type SandboxPaymentRow = typeof sandboxPayments.readRow

const find = listStatement<typeof named, SandboxPaymentRow>({
  name: 'find_sandbox_payments',
  columns: named,
  text: (list) => `
    select ${sandboxPayments.of('p')} from sandbox_payments p
    where p.id in (select list.id from ${list})`,
})

const lock = listStatement<typeof named, SandboxPaymentRow>({
  name: 'lock_sandbox_payments',
  columns: named,
  text: (list) => `
    select ${sandboxPayments.of('p')} from sandbox_payments p
    where p.id in (select list.id from ${list}) order by p.id for no key update`,
})

/** `copies`: of its notice; 0 sends none. A notice that is under way is leased until `dueAt`. */
type PaymentWithNotice = SandboxNotice & { isUnderWay: boolean; dueAt: Date }

/** Records payments with their notices. Returns the ids that are new and whose account exists. */
export async function recordSandboxPayments(
  db: Queryable,
  now: RealTime,
  payments: PaymentWithNotice[],
): Promise<Set<string>> {
  const rows = payments.map(({ payment, attempts, ...notice }) => ({
    ...payment,
    ...notice,
    tries: attempts,
  }))
  const inserted = await db.rows(record(rows, now))
  return new Set(inserted.map(({ id }) => id))
}

export async function findPaymentsById(
  db: Queryable,
  ids: string[],
): Promise<Map<string, SandboxPayment>> {
  if (ids.length === 0) return new Map()
  return byId(await db.rows(find(ids.map((id) => ({ id })))))
}

/** Locks in id order. Unknown payments are left out. */
export async function lockSandboxPayments(
  tx: Tx,
  ids: string[],
): Promise<Map<string, SandboxPayment>> {
  return byId(await tx.rows(lock(ids.map((id) => ({ id })))))
}

export async function findPaymentsInto(
  db: Queryable,
  accountNumber: string,
): Promise<SandboxPayment[]> {
  const rows = await db.rows<SandboxPaymentRow>({
    name: 'find_sandbox_payments_into',
    text: `
      select ${sandboxPayments.of('p')} from sandbox_payments p
      where p.account_number = $1 order by p.line_number`,
    values: [accountNumber],
  })
  return rows.map((row) => sandboxPayments.read(row))
}

/**
 * Payments recorded in the period (`to` excluded) by the bank's clock, because a payer's clock may
 * run ahead. Pages continue after a line number, so a payment recorded between two pages is on the
 * next.
 */
export async function listRecorded(
  db: Queryable,
  page: { from: Date; to: Date; after: bigint; limit: number },
): Promise<{ line: bigint; payment: SandboxPayment }[]> {
  const rows = await db.rows<SandboxPaymentRow & { line: bigint }>({
    name: 'list_sandbox_payments',
    text: `
      select ${sandboxPayments.of('p')}, p.line_number as line from sandbox_payments p
      where p.recorded_at >= $1 and p.recorded_at < $2 and p.line_number > $3
      order by p.line_number limit $4`,
    values: [page.from, page.to, page.after, page.limit],
  })
  return rows.map(({ line, ...row }) => ({ line, payment: sandboxPayments.read(row) }))
}

function byId(rows: SandboxPaymentRow[]): Map<string, SandboxPayment> {
  return new Map(rows.map((row) => [row.id, sandboxPayments.read(row)]))
}
