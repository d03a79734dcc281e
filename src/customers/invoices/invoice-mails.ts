import { after, type RealTime } from '../../base/clock.js'
import type { Environment } from '../../base/environment.js'
import { formatMailDate, type MailContent } from '../../mail/content.js'
import { queueMails } from '../../mail/queue-mails.js'
import type { Settings } from '../../merchants/settings/settings-document.js'
import { formatMoney } from '../../money/amounts.js'
import { sum } from '../../money/proportions.js'
import type { Tx } from '../../postgres/transactions/tx.js'
import type { Customer } from '../customer.js'
import { listUnpaid } from './allocate.js'
import { type Invoice, invoiceNumber } from './invoice.js'
import { toPayable } from './settle.js'

/** A mail to the customer of a final invoice, who has an address. */
export type InvoiceMail = {
  environment: Environment
  settings: Settings
  customer: Pick<Customer, 'name' | 'email'>
  invoice: Invoice
  /** A customer gets one mail for each cause. */
  causeId: string
}

export function queueInvoice(tx: Tx, now: RealTime, mail: InvoiceMail): void {
  queue(tx, now, mail, { kind: 'invoice', content: writeInvoice(mail) })
}

/** `instalmentDueAt`: the reminder is about what is due by then, and was not paid. */
export function queueReminder(
  tx: Tx,
  { now, environmentNow }: { now: RealTime; environmentNow: Date },
  mail: InvoiceMail,
  instalmentDueAt: Date,
): void {
  const content = writeReminder(mail, instalmentDueAt, environmentNow)
  queue(tx, now, mail, { kind: 'invoice_reminder', content })
}

function queue(
  tx: Tx,
  now: RealTime,
  { environment, customer, causeId }: InvoiceMail,
  { kind, content }: { kind: 'invoice' | 'invoice_reminder'; content: MailContent },
): void {
  const { id: environmentId, mode } = environment
  const recipient = customer.email
  if (recipient !== null)
    queueMails(tx, now, [{ environmentId, mode, kind, causeId, recipient, content }])
}

function writeInvoice(mail: InvoiceMail): MailContent {
  const { invoice, settings, customer } = mail
  const { asset, amountDue, total, memo } = invoice
  const { displayName } = settings.checkout
  const number = invoiceNumber(invoice)!
  const isDue = amountDue > 0n
  const facts: [string, string][] = [
    ['Invoice', number],
    ['From', displayName],
    ['Total', formatMoney(total, asset)],
  ]
  if (isDue && amountDue < total)
    facts.push(['Paid or credited', formatMoney(total - amountDue, asset)])
  for (const { amount, dueAt } of listUnpaid(toPayable(invoice)))
    facts.push([`Due on ${formatDueDate(dueAt)}`, formatMoney(amount, asset)])
  return {
    ...frameOf(mail, `Invoice ${number} from ${displayName}: ${formatMoney(total, asset)}`),
    heading: `Dear ${customer.name}, this is invoice ${number}`,
    blocks: [
      isDue
        ? { type: 'amount', label: 'To be paid', amount: formatMoney(amountDue, asset) }
        : { type: 'amount', label: 'Nothing is due. Total', amount: formatMoney(total, asset) },
      ...(memo === null ? [] : [{ type: 'paragraph', text: memo } as const]),
      { type: 'facts', facts },
      ...closingOf(mail, isDue ? 'See the invoice and pay' : 'See the invoice'),
    ],
  }
}

function writeReminder(mail: InvoiceMail, instalmentDueAt: Date, now: Date): MailContent {
  const { invoice, settings, customer } = mail
  const { asset, total } = invoice
  const { displayName } = settings.checkout
  const number = invoiceNumber(invoice)!
  const unpaid = listUnpaid(toPayable(invoice)).filter(({ dueAt }) => dueAt <= instalmentDueAt)
  const amount = formatMoney(sum(unpaid.map((part) => part.amount)), asset)
  const isOver = instalmentDueAt < now
  const when = `${isOver ? 'was' : 'is'} due on ${formatDueDate(instalmentDueAt)}`
  return {
    ...frameOf(mail, `Reminder from ${displayName}: ${amount} of invoice ${number} ${when}`),
    heading: `Dear ${customer.name}, a payment ${when}`,
    blocks: [
      { type: 'amount', label: 'To be paid', amount },
      {
        type: 'facts',
        facts: [
          ['Invoice', number],
          ['From', displayName],
          ['Due on', formatDueDate(instalmentDueAt)],
          ['Total of the invoice', formatMoney(total, asset)],
        ],
      },
      ...closingOf(mail, 'See the invoice and pay'),
      { type: 'note', text: 'If you have just paid, you need not do anything.' },
    ],
  }
}

/** A due date that ends a day includes this day. */
function formatDueDate(dueAt: Date): string {
  return formatMailDate(after(dueAt, -1))
}

function frameOf({ environment, settings }: InvoiceMail, subject: string) {
  const { displayName: name, colour, supportEmail: replyTo } = settings.checkout
  return {
    subject: environment.mode === 'test' ? `Test: ${subject}` : subject,
    sender: { name, colour, replyTo },
    reason: `Sent on behalf of ${name}, which has this address as that of its customer.`,
  }
}

function closingOf({ environment, invoice }: InvoiceMail, label: string): MailContent['blocks'] {
  const button = { type: 'button', label, url: invoice.url, isSecret: true } as const
  const isTest = environment.mode === 'test'
  return isTest
    ? [button, { type: 'note', text: 'An invoice of test mode: pay no real money.' }]
    : [button]
}
