import { sql } from '../../src/postgres/sql.js'
import { OracleCustomer } from '../customers/invoices/oracle.js'
import { type BillingScene, unitKobo } from './billing-site.js'
import type { Answered } from './journal.js'
import { findChangedAnswers } from './journal-callers.js'
import { createdId, findWrongPayments, idOf } from './journal-payments.js'
import { differ } from './multiset.js'
import { runProofs } from './run-proofs.js'

const weekMs = 7 * 24 * 60 * 60_000
/** Six in the morning in Lagos, after midnight in UTC. */
const madeAtMs = 5 * 60 * 60_000

type InvoiceRow = {
  id: string
  customerId: string
  status: string
  total: bigint
  amountDue: bigint
}

/**
 * Compares what was acknowledged with the books: every invoice, payment and refund once, what each
 * invoice of an orderly customer is still due, mails and events. Then all proofs. Only while nothing
 * is under way.
 */
export async function proveBilling(scene: BillingScene): Promise<string[]> {
  const { site, callers, random } = scene
  const rows = await site.db.rows(sql<InvoiceRow>`
    select id, customer_id, status, total, amount_due from invoices where schedule_id is null`)
  return [
    ...findWrongInvoices(scene, rows),
    ...(await findWrongMoney(scene)),
    ...(await findWrongDues(scene, rows)),
    ...(await findWrongSchedules(scene)),
    ...(await findWrongClaims(scene)),
    ...(await findWrongMails(scene)),
    ...(await findWrongEvents(scene)),
    ...(await runProofs(site)),
    // Last: a retry of a lost operation would do it.
    ...(await findChangedAnswers(callers, random)),
  ]
}

/** The fourth part of a path such as /v1/invoices/inv_1/finalize. */
const namedId = ({ path }: Answered) => idOf(path.split('/')[3])

function findWrongInvoices({ callers: { journal } }: BillingScene, rows: InvoiceRow[]): string[] {
  const isDraft = ({ status }: InvoiceRow) => status === 'DRAFT'
  return [
    ...differ('invoice', journal.list('invoice').map(createdId), idsOf(rows)),
    ...differ(
      'final invoice',
      journal.list('finalize').map(namedId),
      idsOf(rows.filter((row) => !isDraft(row))),
    ),
    ...differ(
      'void invoice',
      journal.list('void').map(namedId),
      idsOf(rows.filter(({ status }) => status === 'VOID')),
    ),
  ]
}

function idsOf(rows: { id: string }[]): string[] {
  return rows.map(({ id }) => id)
}

async function findWrongMoney({ site: { db }, callers }: BillingScene): Promise<string[]> {
  const { journal } = callers
  const notes = await db.rows(sql<{ invoiceId: string; amount: bigint }>`
    select invoice_id, amount from credit_notes`)
  return [
    ...(await findWrongPayments(db, journal)),
    ...differ(
      'credit note',
      journal.list('credit').map((credited) => `${namedId(credited)} ${credited.body.amount}`),
      notes.map(({ invoiceId, amount }) => `${invoiceId} ${amount}`),
    ),
  ]
}

/** The oracle plays what was done for each orderly customer, in the order of the journal. */
async function findWrongDues(
  { site, callers: { journal } }: BillingScene,
  rows: InvoiceRow[],
): Promise<string[]> {
  const credits = await site.db.rows(sql<{ id: string; credit: bigint }>`
    select c.id, coalesce((select balance_after from customer_credit_entries e
      where e.customer_id = c.id order by number desc limit 1), 0)::int8 as credit
    from customers c`)
  const dues = new Map(rows.map(({ id, amountDue }) => [id, Number(amountDue) / unitKobo]))
  const creditOf = new Map(credits.map(({ id, credit }) => [id, Number(credit) / unitKobo]))
  const acts = journal.list('invoice', 'payment')
  return site.customers
    .filter(({ isOrderly }) => isOrderly)
    .flatMap(({ reference, accountNumber }) => {
      const oracle = new OracleCustomer()
      const invoices: string[] = []
      for (const act of acts) {
        if (act.kind === 'invoice' && act.body.customer === reference) {
          const id = createdId(act)
          oracle.add(id, readInstalments(act.body))
          oracle.applyCredit(id)
          invoices.push(id)
        } else if (act.body.accountNumber === accountNumber) {
          const units = act.body.amount / unitKobo
          oracle.pay({ name: act.key, units, towards: 'anything' })
        }
      }
      return [
        ...differ(
          'due of invoice',
          invoices.map((id) => `${id} ${oracle.dueOf(id)}`),
          invoices.map((id) => `${id} ${dues.get(id)}`),
        ),
        ...differ(
          'credit of customer',
          [`${reference} ${oracle.credit}`],
          [`${reference} ${creditOf.get(idOf(reference))}`],
        ),
      ]
    })
}

type WrittenInvoice = {
  lines: { unitAmount: number }[]
  dueAt?: string
  instalments?: { amount: number; dueAt: string }[]
}

function readInstalments({ lines, dueAt, instalments }: WrittenInvoice) {
  const parts = instalments ?? [{ amount: lines[0]!.unitAmount, dueAt: dueAt! }]
  return parts.map(({ amount, dueAt: day }) => ({ units: amount / unitKobo, day: Date.parse(day) }))
}

/** Every schedule made one invoice for each week that has begun in the time of the merchant. */
async function findWrongSchedules(scene: BillingScene): Promise<string[]> {
  const { db, environmentId } = scene.site
  const [environment] = await db.rows(sql<{ now: Date }>`
    select now() + clock_offset_ms * interval '1 millisecond' as now
    from environments where id = ${environmentId}`)
  const made = await db.rows(sql<{ name: string }>`
    select schedule_id || ' ' || period as name from invoices where schedule_id is not null`)
  const wanted = scene.callers.journal.list('schedule').flatMap((created) => {
    const days: string[] = []
    for (let day = Date.parse(created.body.startsOn); ; day += weekMs) {
      if (day + madeAtMs > environment!.now.getTime()) return days
      days.push(`${createdId(created)} ${new Date(day).toISOString().slice(0, 10)}`)
    }
  })
  return differ(
    'invoice of schedule',
    wanted,
    made.map(({ name }) => name),
  )
}

/** Every claim was paid once at most, whatever the bank made of its payouts. */
async function findWrongClaims({ site: { db }, callers }: BillingScene): Promise<string[]> {
  const claims = await db.rows(sql<{ id: string }>`select id from claims`)
  const twice = await db.rows(sql<{ id: string; count: number }>`
    select h.claim_id as id, count(*)::int as count
    from claim_holds h join payouts p on p.environment_id = h.environment_id and p.id = h.payout_id
    where p.status in ('COMPLETED', 'REVERSED') group by h.claim_id having count(*) > 1`)
  const idle = await db.rows(sql<{ id: string }>`
    select c.id from claims c join payouts p
      on p.environment_id = c.environment_id and p.id = c.payout_id
    where p.status = 'FAILED'`)
  return [
    ...differ('claim', callers.journal.list('claim').map(createdId), idsOf(claims)),
    ...twice.map(({ id, count }) => `claim ${id} was paid ${count} times`),
    ...idle.map(({ id }) => `claim ${id} is claimed though its payout failed`),
  ]
}

/** Every mail that was sent arrived: once, or once more for each kill. */
async function findWrongMails({ site: { db, mails }, callers }: BillingScene): Promise<string[]> {
  const sent = await db.rows(sql<{ id: string; state: string }>`
    select id, state from mails`)
  const copies = new Map<string, number>()
  for (const { headers } of mails) {
    const id = idOf(/<(\w+)@/.exec(headers.get('message-id') ?? '')?.[1])
    copies.set(id, (copies.get(id) ?? 0) + 1)
  }
  const repeated = [...copies.values()].reduce((sum, count) => sum + count - 1, 0)
  const kills = callers.journal.kills.filter(({ victim }) => victim === 'worker').length
  return [
    ...sent
      .filter(({ state }) => state !== 'SENT')
      .map(({ id, state }) => `mail ${id} is ${state}`),
    ...differ('mail', idsOf(sent), [...copies.keys()]),
    ...(repeated > kills
      ? [`${repeated} mails arrived again after ${kills} kills of workers`]
      : []),
  ]
}

async function findWrongEvents({ site: { db } }: BillingScene): Promise<string[]> {
  const events = await db.rows(sql<{ name: string }>`
    select type || ' ' || cause_id as name from events
    where type in ('invoice.finalized', 'invoice.voided', 'invoice.credited',
      'invoice.partially_paid', 'customer.created')
    union all select distinct 'settled ' || e.resource_id from events e
      join invoices i on i.environment_id = e.environment_id and i.id = e.resource_id
      where type = 'invoice.paid' and i.paid_at is not null`)
  const wanted = await db.rows(sql<{ name: string }>`
    select 'invoice.finalized ' || id as name from invoices where finalized_at is not null
    union all select 'invoice.voided ' || id from invoices where voided_at is not null
    union all select 'invoice.credited ' || id from credit_notes
    union all select 'customer.created ' || id from customers
    union all select 'settled ' || id from invoices where paid_at is not null
    union all select 'invoice.partially_paid ' || a.id from payment_allocations a
      where a.invoice_id is not null and not exists (
        select from events e where e.type = 'invoice.paid' and e.cause_id = a.id)
    union all select 'invoice.partially_paid ' || i.id from customer_credit_entries c
      join invoices i on i.environment_id = c.environment_id and i.id = c.invoice_id
      where c.kind = 'applied' and -c.amount < i.total`)
  return differ(
    'event',
    wanted.map(({ name }) => name),
    events.map(({ name }) => name),
  )
}
