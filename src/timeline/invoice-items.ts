import type { EnvironmentId } from '../base/environment.js'
import { prefixes, toReference } from '../base/ids.js'
import { isNotMoved } from '../customers/allocations.js'
import { type Invoice, invoiceNumber, invoiceReference } from '../customers/invoices/invoice.js'
import { type Schedule, scheduleReference } from '../customers/schedules/schedule.js'
import type { Asset } from '../money/assets.js'
import { sql } from '../postgres/sql.js'
import type { Queryable } from '../postgres/transactions/tx.js'
import { timelineLimits } from './limits.js'
import type { TimelineItem, TimelineKind } from './resource.js'
import { sayAmount } from './say-amount.js'

/** What changed the amounts of an invoice, and when. */
type InvoiceStep = {
  kind: 'paid' | 'credited' | 'refunded'
  amount: bigint
  at: Date
  /** The payment, or the return of a refund; null for credit notes. */
  causeId: string | null
  note: string | null
  /** What of the payment, if coins paid it in naira. */
  paidAsset: Asset | null
  paidAmount: bigint | null
  /** All of what was paid was moved to other invoices or to credit. */
  isMoved: boolean
}

/** Of an invoice, oldest first; and whether some were left out. */
export async function readInvoiceItems(
  db: Queryable,
  invoice: Invoice,
): Promise<{ items: TimelineItem[]; isTruncated: boolean }> {
  const { stepsMax } = timelineLimits
  const newest = await readSteps(db, invoice, stepsMax + 1)
  const steps = newest.slice(0, stepsMax).toReversed()
  const { createdAt, finalizedAt, voidedAt } = invoice
  const said = invoiceNumber(invoice)
  const items = [
    toItem(invoice, 'invoice_created', createdAt, 'Draft created'),
    ...(finalizedAt
      ? [toItem(invoice, 'invoice_finalized', finalizedAt, `Finalized as ${said}`)]
      : []),
    ...steps.map((step) => toStepItem(invoice, step)),
    ...(voidedAt ? [toItem(invoice, 'invoice_voided', voidedAt, `${said} voided`)] : []),
  ]
  return { items, isTruncated: newest.length > stepsMax }
}

/** Of a schedule, oldest first: its newest invoices; and whether others were left out. */
export async function readScheduleItems(
  db: Queryable,
  schedule: Schedule,
): Promise<{ items: TimelineItem[]; isTruncated: boolean }> {
  const { stepsMax } = timelineLimits
  const { environmentId, id, createdAt, endedAt } = schedule
  const newest = await db.rows(sql<MadeInvoice>`
    select id, series, number, period, created_at from invoices
    where environment_id = ${environmentId} and schedule_id = ${id}
    order by id desc limit ${stepsMax + 1}`)
  const reference = scheduleReference(schedule)
  const common = { isInEnvironmentTime: true, money: null, details: {} }
  const items: TimelineItem[] = [
    { ...common, reference, kind: 'schedule_created', at: createdAt, title: 'Schedule created' },
    ...newest
      .slice(0, stepsMax)
      .toReversed()
      .map((made) => ({
        ...common,
        reference: invoiceReference(made),
        kind: 'invoice_created' as const,
        at: made.createdAt,
        title: `${invoiceNumber(made)} made for ${made.period}`,
      })),
  ]
  if (endedAt)
    items.push({
      ...common,
      reference,
      kind: 'schedule_ended',
      at: endedAt,
      title: 'Schedule ended',
    })
  return { items, isTruncated: newest.length > stepsMax }
}

type MadeInvoice = Pick<Invoice, 'id' | 'series' | 'number' | 'period' | 'createdAt'>

function toItem(invoice: Invoice, kind: TimelineKind, at: Date, title: string): TimelineItem {
  return {
    at,
    isInEnvironmentTime: true,
    kind,
    title,
    reference: invoiceReference(invoice),
    money: null,
    details: {},
  }
}

function toStepItem(invoice: Invoice, step: InvoiceStep): TimelineItem {
  const { kind, amount, at, causeId, note, paidAsset, paidAmount, isMoved } = step
  const { asset } = invoice
  const coins = paidAsset !== null && paidAmount !== null && sayAmount(paidAmount, paidAsset)
  const prefix = kind === 'paid' ? prefixes.payment : prefixes.paymentReturn
  return {
    ...toItem(
      invoice,
      `invoice_${kind}`,
      at,
      `${sayAmount(amount, asset)} ${kind}${coins ? ` in coins: ${coins}` : ''}`,
    ),
    ...(causeId !== null && { reference: toReference(prefix, causeId) }),
    money: { amount, asset },
    details: { ...(note !== null && { note }), ...(isMoved && { moved: true }) },
  }
}

/** Newest first. Refunds that failed are left out, as if they had not been. */
function readSteps(
  db: Queryable,
  { environmentId, id }: { environmentId: EnvironmentId; id: string },
  limit: number,
): Promise<InvoiceStep[]> {
  return db.rows(sql<InvoiceStep>`
    (select 'paid' as kind, amount, created_at as at, payment_id as cause_id, null as note,
        paid_asset, paid_amount, not (${isNotMoved}) as is_moved
      from payment_allocations a
      where environment_id = ${environmentId} and invoice_id = ${id}
      order by id desc limit ${limit})
    union all
    (select 'credited', amount, created_at, null, reason, null, null, false from credit_notes
      where environment_id = ${environmentId} and invoice_id = ${id}
      order by id desc limit ${limit})
    union all
    (select 'refunded', r.of_invoice, r.created_at, r.return_id, null, a.paid_asset, r.paid_amount,
        false
      from payment_allocations a
      join allocation_refunds r
        on r.environment_id = a.environment_id and r.allocation_id = a.id
      where a.environment_id = ${environmentId} and a.invoice_id = ${id}
        and r.state = 'TAKEN' and r.of_invoice > 0
      order by r.id desc limit ${limit})
    order by at desc limit ${limit}`)
}
