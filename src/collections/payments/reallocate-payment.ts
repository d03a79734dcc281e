import type { RealTime } from '../../base/clock.js'
import type { EnvironmentId } from '../../base/environment.js'
import { newId } from '../../base/ids.js'
import { invalidField, Refusal } from '../../base/refusal.js'
import type { AllocatedPayment } from '../../customers/allocation-resource.js'
import {
  findAllocations,
  type Reallocation,
  type UsedAllocation,
} from '../../customers/allocations.js'
import { CustomerBooks } from '../../customers/customer-books.js'
import { insertDeadlines, planDeadlinesAgain } from '../../customers/invoices/deadlines.js'
import { type Invoice, invoiceNumber, invoiceReference } from '../../customers/invoices/invoice.js'
import { findInvoices, getInvoice } from '../../customers/invoices/store-invoices.js'
import { planReallocation, type TooMuch, type UsedPart } from '../../customers/plan-reallocation.js'
import { getEnvironmentById } from '../../merchants/environments.js'
import { getSettings } from '../../merchants/settings/settings.js'
import { formatMoney } from '../../money/amounts.js'
import { sum } from '../../money/proportions.js'
import type { Queryable, Tx } from '../../postgres/transactions/tx.js'
import { getPayment, type PaymentName } from './find-payments.js'
import { type Payment, paymentReference } from './payment.js'
import { lockPayment } from './resolve-payment.js'

/** What a payment paid. Throws a refusal if it belongs to no customer. */
export async function findAllocationsOf(
  db: Queryable,
  name: PaymentName,
): Promise<AllocatedPayment> {
  const payment = ofCustomer(await getPayment(db, name))
  return { ...payment, used: await findAllocations(db, [payment]) }
}

export type WantedAllocations = Pick<Reallocation, 'reason' | 'createdByKey' | 'createdByUser'> & {
  /** Amounts in the asset of the payment, each more than zero. */
  invoices: { reference: string; amount: bigint }[]
}

/**
 * Makes the payment pay these invoices, and the rest credit of the customer. What is taken from an
 * invoice is due again. Repeating it changes nothing.
 */
export async function reallocatePayment(
  tx: Tx,
  { now, realNow }: { now: Date; realNow: RealTime },
  name: PaymentName,
  wanted: WantedAllocations,
): Promise<AllocatedPayment> {
  const payment = ofCustomer((await lockPayment(tx, name)).payment)
  const { environmentId, id: paymentId, customerId, asset } = payment
  const books = await CustomerBooks.open(tx, [{ environmentId, id: customerId }])
  const { allocations } = await books.findUse(payment)
  refuseCoinsForNaira(payment, allocations)
  const used = allocations.map(({ id: allocationId, invoiceId, remaining }) => ({
    allocationId,
    invoiceId,
    remaining,
    remainingPaid: remaining,
  }))
  const targets = await readTargets(tx, payment, wanted.invoices)
  refuseMoreThanRemains(payment, used, targets)
  const plan = planReallocation(used, amountsOf(targets), books.roomOf(customerId, asset))
  if ('kind' in plan) throw await toRefusal(tx, payment, { targets, tooMuch: plan })
  if (plan.taken.length === 0) return { ...payment, used }
  const { reason, createdByKey, createdByUser } = wanted
  const id = newId(now)
  const change = { environmentId, id, paymentId, reason, createdByKey, createdByUser }
  const environment = await getEnvironmentById(tx, environmentId)
  const { reminders, reminderDays } = (await getSettings(tx, environment)).mails
  const moved = books.reallocate(plan, { ...change, createdAt: now }, { customerId, asset })
  books.write(realNow)
  for (const invoice of moved)
    insertDeadlines(tx, now, environment, {
      invoice: invoice.after,
      planned: planDeadlinesAgain(now, invoice, reminders ? reminderDays : []),
    })
  const credit = remainingOf(used) - sumOf(targets)
  return {
    ...payment,
    used: [
      ...targets.map(({ invoice, amount }) => ({
        invoiceId: invoice.id,
        remaining: amount,
        remainingPaid: amount,
      })),
      { invoiceId: null, remaining: credit, remainingPaid: credit },
    ],
  }
}

type CustomerPayment = Payment & { customerId: string }

function ofCustomer(payment: Payment): CustomerPayment {
  const { customerId } = payment
  if (customerId === null)
    throw new Refusal('payment_action_failed', {
      reason: 'invalid_state',
      message: `${paymentReference(payment)} belongs to no customer, so it pays no invoices.`,
    })
  return { ...payment, customerId }
}

/** What coins paid in naira follows from the price of their session, which other invoices lack. */
function refuseCoinsForNaira(payment: Payment, allocations: UsedAllocation[]): void {
  if (allocations.every(({ paidAsset }) => paidAsset === null)) return
  throw new Refusal('payment_action_failed', {
    reason: 'invalid_state',
    message: `${paymentReference(payment)} paid an invoice in NGN with ${payment.asset}, at the price of its checkout session, so what it pays cannot be changed. Refund the payment or credit the invoice instead.`,
  })
}

type Target = { invoice: Invoice; amount: bigint }

/** Final invoices of the same customer, in the asset of the payment. Each is named once. */
async function readTargets(
  tx: Tx,
  { environmentId, customerId, asset }: CustomerPayment,
  wanted: WantedAllocations['invoices'],
): Promise<Target[]> {
  const targets: Target[] = []
  for (const [index, { reference, amount }] of wanted.entries()) {
    const field = `allocations.${index}.invoice`
    const invoice = await getInvoice(tx, { environmentId, reference })
    if (invoice.customerId !== customerId)
      throw invalidField(field, 'must be an invoice of the customer who paid')
    if (invoice.asset !== asset) throw invalidField(field, `must be an invoice in ${asset}`)
    if (invoice.status === 'DRAFT')
      throw invalidField(field, 'is a draft: finalize it before it is paid')
    if (invoice.status === 'VOID') throw invalidField(field, 'is void, so nothing of it is due')
    if (targets.some(({ invoice: { id } }) => id === invoice.id))
      throw invalidField(field, 'must be named once')
    targets.push({ invoice, amount })
  }
  return targets
}

function refuseMoreThanRemains({ asset }: Payment, used: UsedPart[], targets: Target[]): void {
  const remaining = remainingOf(used)
  if (sumOf(targets) <= remaining) return
  throw invalidField(
    'allocations',
    `must add up to at most ${formatMoney(remaining, asset)}, what is left of the payment`,
  )
}

async function toRefusal(
  tx: Tx,
  { environmentId, asset }: CustomerPayment,
  { targets, tooMuch }: { targets: Target[]; tooMuch: TooMuch },
): Promise<Refusal> {
  const { invoiceId, kind, max } = tooMuch
  const most = formatMoney(max, asset)
  const index = targets.findIndex(({ invoice }) => invoice.id === invoiceId)
  if (index >= 0 && kind === 'not_due')
    return invalidField(`allocations.${index}.amount`, `must be at most ${most}, what is due`)
  const message =
    invoiceId === null
      ? `Only ${most} of the customer's credit is unused.`
      : `Only ${most} can be taken from ${await nameOf(tx, { environmentId, id: invoiceId })}.`
  return new Refusal('payment_action_failed', { reason: 'invalid_state', message })
}

async function nameOf(tx: Tx, key: { environmentId: EnvironmentId; id: string }): Promise<string> {
  const [invoice] = await findInvoices(tx, [key])
  return invoiceNumber(invoice!) ?? invoiceReference(invoice!)
}

function amountsOf(targets: Target[]): Map<string, bigint> {
  return new Map(targets.map(({ invoice, amount }) => [invoice.id, amount]))
}

function sumOf(targets: Target[]): bigint {
  return sum(targets.map(({ amount }) => amount))
}

function remainingOf(used: UsedPart[]): bigint {
  return sum(used.map(({ remaining }) => remaining))
}
