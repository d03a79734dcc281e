import type { PublicInvoice } from '../../checkout/find-public-invoice.js'
import { checkoutTexts } from '../checkout-page/texts.js'
import { describeInvoice } from '../invoice-page/describe-invoice.js'
import { invoiceTexts } from '../invoice-page/texts.js'
import { Paper } from './pdf.js'

/** An invoice as PDF. `now` is the time of the environment. */
export async function drawInvoice(found: PublicInvoice, now: Date): Promise<Buffer> {
  const { invoice, environment, checkout } = found
  const words = describeInvoice(found, now)
  const texts = invoiceTexts[invoice.language]
  const paper = await Paper.open(
    { checkout, isTest: environment.mode === 'test', language: invoice.language },
    {
      kind: texts.invoice,
      name: words.number,
      title: words.title,
      createdAt: invoice.finalizedAt ?? invoice.createdAt,
    },
  )
  const isLate = words.status === 'OVERDUE'
  paper.text(texts.labelled(texts.amountDue, words.amountDue), { size: 16, isBold: true })
  if (words.headline) paper.text(words.headline, isLate ? { isBold: true, colour: 'warn' } : {})
  paper.space()
  for (const [label, value] of words.facts) paper.row({ label, value })
  if (words.memo) {
    paper.space()
    paper.text(words.memo)
  }
  paper.heading(texts.lines)
  for (const { description, details, amount } of words.lines)
    paper.row({ label: description, details, value: amount })
  paper.space()
  for (const [label, value] of words.totals) paper.row({ label, value })
  const [label, value] = words.due
  paper.row({ label, value, isBold: true })
  if (words.instalments.length > 0) {
    paper.heading(texts.instalments)
    for (const { date, amount, state } of words.instalments)
      paper.row({ label: date, details: state, value: amount })
  }
  if (invoice.amountDue > 0n) drawHowToPay(paper, found)
  if (words.footer) {
    paper.space()
    paper.text(words.footer, { size: 8.5, colour: 'soft' })
  }
  return paper.finish()
}

function drawHowToPay(paper: Paper, { invoice, dedicated, checkout }: PublicInvoice): void {
  const isNaira = invoice.asset === 'NGN'
  const texts = invoiceTexts[invoice.language]
  const frame = checkoutTexts[invoice.language]
  paper.heading(texts.howToPay)
  for (const { number, accountName, bankName } of dedicated) {
    const lead = isNaira ? texts.toYourAccount : texts.toYourWallet
    paper.text(lead(checkout.displayName))
    if (!isNaira) paper.text(frame.coins.only(invoice.asset), { isBold: true })
    paper.row({ label: isNaira ? frame.accountNumber : frame.coins.address, value: number })
    if (!isNaira) continue
    paper.row({ label: frame.bank, value: bankName })
    paper.row({ label: frame.accountName, value: accountName })
  }
  if (invoice.status === 'DRAFT') return
  paper.space(6)
  paper.text(texts.payOnline)
  paper.link(invoice.url)
}
