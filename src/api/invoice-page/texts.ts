const lagosDate = new Intl.DateTimeFormat('en-GB', {
  timeZone: 'Africa/Lagos',
  day: 'numeric',
  month: 'long',
  year: 'numeric',
})

const date = (time: Date) => lagosDate.format(time)

/** The last day on which it is not late: a due date ends at midnight. */
const dueDate = (dueAt: Date) => date(new Date(dueAt.getTime() - 1))

/** Every text of the page and the PDF of an invoice that the checkout page does not have. */
export const invoiceTexts = {
  date,
  dueDate,
  title: (number: string, name: string) => `Invoice ${number} from ${name}`,
  invoice: 'Invoice',
  draft: 'Draft',
  number: 'Invoice number',
  billedTo: 'Billed to',
  issued: 'Issued',
  due: 'Due',
  amountDue: 'Amount due',
  isDue: (dueAt: Date) => `Due on ${dueDate(dueAt)}`,
  wasDue: (dueAt: Date) => `Was due on ${dueDate(dueAt)}`,
  paidOn: (paidAt: Date) => `Paid on ${date(paidAt)}`,
  voidedOn: (voidedAt: Date) => `Voided on ${date(voidedAt)}`,
  paidTitle: 'This invoice is paid',
  paidBody: (name: string) => `Nothing more is due. Thank you for paying ${name}.`,
  givenUpTitle: 'Nothing is due',
  givenUpBody: (name: string) => `${name} credited or refunded this invoice.`,
  voidTitle: 'This invoice is void',
  voidBody: (name: string) => `${name} cancelled it. Please do not pay it.`,
  lines: 'What you pay for',
  withVat: (percent: string) => `plus ${percent}% VAT`,
  subtotal: 'Subtotal',
  discount: (percent: string | undefined) => (percent ? `Discount (${percent}%)` : 'Discount'),
  vat: 'VAT',
  total: 'Total',
  paid: 'Paid',
  credited: 'Credited',
  refunded: 'Paid and refunded',
  totals: 'Totals',
  instalments: 'Instalments',
  instalment: {
    paid: 'Paid',
    due: 'To be paid',
    overdue: 'overdue',
    remaining: (amount: string) => `${amount} to be paid`,
  },
  howToPay: 'How to pay',
  toYourAccount: (name: string) =>
    `Transfer to your own account with ${name}. It stays the same for every invoice.`,
  toYourWallet: (name: string) =>
    `Send it to your own wallet with ${name}. It stays the same for every invoice.`,
  toWallet: (before: string) => `Send it to this address before ${before}.`,
  inParts: 'You can pay in parts. What you pay beyond the amount due is your credit.',
  payAll: (amount: string) => `Pay ${amount}`,
  payNext: (amount: string) => `Pay the next instalment: ${amount}`,
  payWhole: (amount: string) => `Pay all that is due: ${amount}`,
  byTransfer: 'You get an account number to transfer to.',
  byCoin: (coin: string) => `You get an address to send ${coin} to.`,
  cannotPay: (name: string) => `This invoice cannot be paid here. Ask ${name} how to pay it.`,
  reload: 'Reload this page after you paid: it shows what has arrived.',
  download: 'Download PDF',
  payOnline: 'Pay online, and see what is still due:',
  print: 'Print',
  notFound: {
    title: 'Invoice not found',
    body: 'The link may be incomplete. Open it again from where you got it, or ask who sent it for a new one.',
  },
}
