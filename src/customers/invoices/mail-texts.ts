import { formatLagosDate, type Language } from '../../base/languages.js'
import { lastDayOf } from '../lagos-days.js'

const inEnglish = (dueAt: Date) => formatLagosDate('en', lastDayOf(dueAt))
const inFrench = (dueAt: Date) => formatLagosDate('fr', lastDayOf(dueAt))

/** Every text of mails about invoices. */
const english = {
  dueDate: inEnglish,
  test: (subject: string) => `Test: ${subject}`,
  reason: (name: string) =>
    `Sent on behalf of ${name}, which has this address as that of its customer.`,
  testNote: 'An invoice of test mode: pay no real money.',
  invoice: 'Invoice',
  from: 'From',
  total: 'Total',
  paidOrCredited: 'Paid or credited',
  dueOn: 'Due on',
  partDueOn: (dueAt: Date) => `Due on ${inEnglish(dueAt)}`,
  toBePaid: 'To be paid',
  nothingDue: 'Nothing is due. Total',
  seeAndPay: 'See the invoice and pay',
  see: 'See the invoice',
  subject: (number: string, name: string, total: string) =>
    `Invoice ${number} from ${name}: ${total}`,
  heading: (customer: string, number: string) => `Dear ${customer}, this is invoice ${number}`,
  totalOfInvoice: 'Total of the invoice',
  reminder: {
    subject: ({ name, amount, number, dueAt, isOver }: Reminder) =>
      `Reminder from ${name}: ${amount} of invoice ${number} ${isOver ? 'was' : 'is'} due on ${inEnglish(dueAt)}`,
    heading: (customer: string, dueAt: Date, isOver: boolean) =>
      `Dear ${customer}, a payment ${isOver ? 'was' : 'is'} due on ${inEnglish(dueAt)}`,
    justPaid: 'If you have just paid, you need not do anything.',
  },
}

type Reminder = { name: string; amount: string; number: string; dueAt: Date; isOver: boolean }

type InvoiceMailTexts = typeof english

const french: InvoiceMailTexts = {
  dueDate: inFrench,
  test: (subject) => `Test\u00a0: ${subject}`,
  reason: (name) =>
    `Envoyé pour le compte de ${name}, qui a enregistré cette adresse comme celle de son client.`,
  testNote: 'Facture en mode test\u00a0: ne payez pas avec de l’argent réel.',
  invoice: 'Facture',
  from: 'De',
  total: 'Total',
  paidOrCredited: 'Payé ou en avoir',
  dueOn: 'À payer au plus tard le',
  partDueOn: (dueAt) => `À payer au plus tard le ${inFrench(dueAt)}`,
  toBePaid: 'À payer',
  nothingDue: 'Il ne reste rien à payer. Total',
  seeAndPay: 'Voir la facture et payer',
  see: 'Voir la facture',
  subject: (number, name, total) => `Facture ${number} de ${name}\u00a0: ${total}`,
  heading: (customer, number) => `Bonjour ${customer}, voici la facture ${number}`,
  totalOfInvoice: 'Total de la facture',
  reminder: {
    subject: ({ name, amount, number, dueAt, isOver }) =>
      `Rappel de ${name}\u00a0: ${amount} de la facture ${number} ${isOver ? 'étaient' : 'sont'} à payer au plus tard le ${inFrench(dueAt)}`,
    heading: (customer, dueAt, isOver) =>
      `Bonjour ${customer}, un paiement ${isOver ? 'était' : 'est'} à effectuer au plus tard le ${inFrench(dueAt)}`,
    justPaid: 'Si vous venez de payer, vous n’avez rien à faire.',
  },
}

export const invoiceMailTexts: Record<Language, InvoiceMailTexts> = { en: english, fr: french }
