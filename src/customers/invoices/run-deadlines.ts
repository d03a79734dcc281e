import { type RealTime, toEnvironmentTime } from '../../base/clock.js'
import type { Mode } from '../../base/environment.js'
import type { EventType } from '../../events/catalogue.js'
import { getEnvironmentById } from '../../merchants/environments.js'
import { getSettings } from '../../merchants/settings/settings.js'
import type { Database } from '../../postgres/database.js'
import { claimDue, type DueTable, runEach } from '../../postgres/due.js'
import { sql } from '../../postgres/sql.js'
import type { Tx } from '../../postgres/transactions/tx.js'
import { CustomerBooks } from '../customer-books.js'
import { invoiceLimits } from '../limits.js'
import type { Deadline } from './deadlines.js'
import type { Invoice } from './invoice.js'
import { queueReminder } from './invoice-mails.js'

export const deadlinesDue: DueTable = {
  table: 'invoice_deadlines',
  keyColumns: ['environment_id', 'id'],
  openCondition: 'true',
  ownerColumn: 'mode',
  counterColumn: 'attempts',
  returning: `job.environment_id, job.id, job.invoice_id, job.kind, job.instalment_due_at,
    job.planned_for, job.attempts,
    (select i.customer_id from invoices i
      where i.environment_id = job.environment_id and i.id = job.invoice_id) as customer_id`,
}

type ClaimedDeadline = Omit<Deadline, 'mode' | 'dueAt'> & { customerId: string }

/** Says which invoices are overdue, and reminds customers. Returns how many deadlines were due. */
export async function runDeadlines(
  { db, mode }: { db: Database; mode: Mode },
  now: RealTime,
): Promise<number> {
  const limit = invoiceLimits.deadlinesPerBatchMax
  const claimed = await claimDue<ClaimedDeadline>(db, deadlinesDue, { owner: mode, now, limit })
  await runEach(claimed, (claim) => db.transaction((tx) => runDeadline(tx, now, claim)))
  return claimed.length
}

async function runDeadline(tx: Tx, now: RealTime, claim: ClaimedDeadline): Promise<void> {
  const { environmentId, customerId, invoiceId, instalmentDueAt } = claim
  const books = await CustomerBooks.open(tx, [{ environmentId, id: customerId }])
  if (!(await lockClaim(tx, claim))) return
  const invoice = books.findPayable(invoiceId)
  // Earlier instalments are paid first.
  if (invoice && invoice.nextDueAt! <= instalmentDueAt)
    await act(tx, now, claim, { books, invoice })
  tx.write(sql`
    delete from invoice_deadlines where environment_id = ${environmentId} and id = ${claim.id}`)
}

/** A worker that outlived its lease finds another count, or no row. */
async function lockClaim(tx: Tx, { environmentId, id, attempts }: ClaimedDeadline) {
  const rows = await tx.rows(sql`
    select from invoice_deadlines
    where environment_id = ${environmentId} and id = ${id} and attempts = ${attempts}
    for no key update`)
  return rows.length > 0
}

async function act(
  tx: Tx,
  now: RealTime,
  claim: ClaimedDeadline,
  { books, invoice }: { books: CustomerBooks; invoice: Invoice },
): Promise<void> {
  const environment = await getEnvironmentById(tx, claim.environmentId)
  const environmentNow = toEnvironmentTime(now, environment.clockOffsetMs)
  if (claim.kind === 'overdue') {
    const types: EventType[] = ['invoice.overdue']
    books.changeInvoice(environmentNow, invoice, { types, causeId: claim.id })
    return books.write(now)
  }
  const settings = await getSettings(tx, environment)
  const customer = books.customer(claim.customerId)
  const isWanted = settings.mails.reminders && !environment.isSuspended
  if (!isWanted || customer.email === null) return
  if (await isSuperseded(tx, environmentNow, claim)) return
  const mail = { environment, settings, customer, invoice, causeId: claim.id }
  queueReminder(tx, { now, environmentNow }, mail, claim.instalmentDueAt)
}

/** After a long pause of all workers, a customer gets the last of several reminders. */
async function isSuperseded(
  tx: Tx,
  environmentNow: Date,
  { environmentId, invoiceId, kind, plannedFor }: ClaimedDeadline,
): Promise<boolean> {
  const later = await tx.rows(sql`
    select from invoice_deadlines
    where environment_id = ${environmentId} and invoice_id = ${invoiceId} and kind = ${kind}
      and planned_for > ${plannedFor} and planned_for <= ${environmentNow} limit 1`)
  return later.length > 0
}
