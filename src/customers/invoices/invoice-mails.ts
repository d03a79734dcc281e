import type { RealTime } from '../../base/clock.js'
import type { Environment } from '../../base/environment.js'
import type { MailContent } from '../../mail/content.js'
import { queueMails } from '../../mail/queue-mails.js'
import type { Settings } from '../../merchants/settings/settings-document.js'
import { formatMoney } from '../../money/amounts.js'
import { sum } from '../../money/proportions.js'
import type { Tx } from '../../postgres/transactions/tx.js'
import type { Customer } from '../customer.js'
import { listUnpaid } from './allocate.js'
import { type Invoice, invoiceNumber } from './invoice.js'
import { invoiceMailTexts } from './mail-texts.js'
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
  const texts = invoiceMailTexts[invoice.language]
  const { displayName } = settings.checkout
  const number = invoiceNumber(invoice)!
  const isDue = amountDue > 0n
  const facts: [string, string][] = [
    [texts.invoice, number],
    [texts.from, displayName],
    [texts.total, formatMoney(total, asset)],
  ]
  if (isDue && amountDue < total)
    facts.push([texts.paidOrCredited, formatMoney(total - amountDue, asset)])
  for (const { amount, dueAt } of listUnpaid(toPayable(invoice)))
    facts.push([texts.partDueOn(dueAt), formatMoney(amount, asset)])
  return {
    ...frameOf(mail, texts.subject(number, displayName, formatMoney(total, asset))),
    heading: texts.heading(customer.name, number),
    blocks: [
      isDue
        ? { type: 'amount', label: texts.toBePaid, amount: formatMoney(amountDue, asset) }
        : { type: 'amount', label: texts.nothingDue, amount: formatMoney(total, asset) },
      ...(memo === null ? [] : [{ type: 'paragraph', text: memo } as const]),
      { type: 'facts', facts },
      ...closingOf(mail, isDue ? texts.seeAndPay : texts.see),
    ],
  }
}

function writeReminder(mail: InvoiceMail, instalmentDueAt: Date, now: Date): MailContent {
  const { invoice, settings, customer } = mail
  const { asset, total } = invoice
  const texts = invoiceMailTexts[invoice.language]
  const { displayName: name } = settings.checkout
  const number = invoiceNumber(invoice)!
  const unpaid = listUnpaid(toPayable(invoice)).filter(({ dueAt }) => dueAt <= instalmentDueAt)
  const amount = formatMoney(sum(unpaid.map((part) => part.amount)), asset)
  const isOver = instalmentDueAt < now
  const dueAt = instalmentDueAt
  return {
    ...frameOf(mail, texts.reminder.subject({ name, amount, number, dueAt, isOver })),
    heading: texts.reminder.heading(customer.name, dueAt, isOver),
    blocks: [
      { type: 'amount', label: texts.toBePaid, amount },
      {
        type: 'facts',
        facts: [
          [texts.invoice, number],
          [texts.from, name],
          [texts.dueOn, texts.dueDate(dueAt)],
          [texts.totalOfInvoice, formatMoney(total, asset)],
        ],
      },
      ...closingOf(mail, texts.seeAndPay),
      { type: 'note', text: texts.reminder.justPaid },
    ],
  }
}

function frameOf({ environment, settings, invoice }: InvoiceMail, subject: string) {
  const { language } = invoice
  const texts = invoiceMailTexts[language]
  const { displayName: name, colour, supportEmail: replyTo } = settings.checkout
  return {
    language,
    subject: environment.mode === 'test' ? texts.test(subject) : subject,
    sender: { name, colour, replyTo },
    reason: texts.reason(name),
  }
}

function closingOf({ environment, invoice }: InvoiceMail, label: string): MailContent['blocks'] {
  const button = { type: 'button', label, url: invoice.url, isSecret: true } as const
  const isTest = environment.mode === 'test'
  return isTest
    ? [button, { type: 'note', text: invoiceMailTexts[invoice.language].testNote }]
    : [button]
}
