import { formatLagosDate, type Language } from '../../base/languages.js'
import { lastDayOf } from '../../customers/lagos-days.js'

const inEnglish = (time: Date) => formatLagosDate('en', time)
const inFrench = (time: Date) => formatLagosDate('fr', time)

/** Every text of the page and the PDF of an invoice that the checkout page does not have. */
const english = {
  date: inEnglish,
  dueDate: (dueAt: Date) => inEnglish(lastDayOf(dueAt)),
  title: (number: string, name: string) => `Invoice ${number} from ${name}`,
  invoice: 'Invoice',
  draft: 'Draft',
  number: 'Invoice number',
  billedTo: 'Billed to',
  issued: 'Issued',
  due: 'Due',
  amountDue: 'Amount due',
  /** A label and what it says, in one line. */
  labelled: (label: string, value: string) => `${label}: ${value}`,
  isDue: (dueAt: Date) => `Due on ${inEnglish(lastDayOf(dueAt))}`,
  wasDue: (dueAt: Date) => `Was due on ${inEnglish(lastDayOf(dueAt))}`,
  paidOn: (paidAt: Date) => `Paid on ${inEnglish(paidAt)}`,
  voidedOn: (voidedAt: Date) => `Voided on ${inEnglish(voidedAt)}`,
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
  payInCoins: 'Pay in coins',
  payInCoin: (amount: string, coin: string) => `Pay ${amount} in ${coin}`,
  byRate: (minutes: number) =>
    `The price in coins is that of the rate when you press the button, and holds for ${minutes} minutes. You can pay in parts. Coins beyond the price are your credit.`,
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

export type InvoiceTexts = typeof english

const comma = (decimal: string) => decimal.replace('.', ',')

const french: InvoiceTexts = {
  date: inFrench,
  dueDate: (dueAt) => inFrench(lastDayOf(dueAt)),
  title: (number, name) => `Facture ${number} de ${name}`,
  invoice: 'Facture',
  draft: 'Brouillon',
  number: 'Numéro de facture',
  billedTo: 'Facturé à',
  issued: 'Émise le',
  due: 'Échéance',
  amountDue: 'Montant à payer',
  labelled: (label, value) => `${label}\u00a0: ${value}`,
  isDue: (dueAt) => `À payer au plus tard le ${inFrench(lastDayOf(dueAt))}`,
  wasDue: (dueAt) => `En retard\u00a0: à payer au plus tard le ${inFrench(lastDayOf(dueAt))}`,
  paidOn: (paidAt) => `Payée le ${inFrench(paidAt)}`,
  voidedOn: (voidedAt) => `Annulée le ${inFrench(voidedAt)}`,
  paidTitle: 'Cette facture est payée',
  paidBody: (name) => `Il ne reste rien à payer. ${name} vous remercie de votre paiement.`,
  givenUpTitle: 'Il ne reste rien à payer',
  givenUpBody: (name) => `${name} a établi un avoir ou remboursé cette facture.`,
  voidTitle: 'Cette facture est annulée',
  voidBody: (name) => `${name} l’a annulée. Veuillez ne pas la payer.`,
  lines: 'Détail de la facture',
  withVat: (percent) => `plus ${comma(percent)}\u00a0% de TVA`,
  subtotal: 'Sous-total',
  discount: (percent) => (percent ? `Remise (${comma(percent)}\u00a0%)` : 'Remise'),
  vat: 'TVA',
  total: 'Total',
  paid: 'Payé',
  credited: 'Avoir',
  refunded: 'Payé puis remboursé',
  totals: 'Totaux',
  instalments: 'Échéancier',
  instalment: {
    paid: 'Payé',
    due: 'À payer',
    overdue: 'en retard',
    remaining: (amount) => `Reste ${amount} à payer`,
  },
  howToPay: 'Comment payer',
  toYourAccount: (name) =>
    `Faites un virement sur votre compte personnel chez ${name}. Il reste le même pour toutes les factures.`,
  toYourWallet: (name) =>
    `Envoyez le montant à votre portefeuille personnel chez ${name}. Il reste le même pour toutes les factures.`,
  toWallet: (before) => `Envoyez le montant à cette adresse avant le ${before}.`,
  inParts:
    'Vous pouvez payer en plusieurs fois. Ce que vous payez en plus du montant dû reste à votre crédit.',
  payAll: (amount) => `Payer ${amount}`,
  payNext: (amount) => `Payer la prochaine échéance\u00a0: ${amount}`,
  payWhole: (amount) => `Payer la totalité\u00a0: ${amount}`,
  byTransfer: 'Vous obtenez un numéro de compte pour le virement.',
  byCoin: (coin) => `Vous obtenez une adresse à laquelle envoyer vos ${coin}.`,
  payInCoins: 'Payer en cryptomonnaie',
  payInCoin: (amount, coin) => `Payer ${amount} en ${coin}`,
  byRate: (minutes) =>
    `Le prix en cryptomonnaie est fixé au cours du moment où vous appuyez sur le bouton, et reste valable ${minutes} minutes. Vous pouvez payer en plusieurs fois. Ce que vous envoyez en plus reste à votre crédit.`,
  cannotPay: (name) =>
    `Cette facture ne peut pas être payée ici. Demandez à ${name} comment la payer.`,
  reload: 'Actualisez cette page après le paiement\u00a0: elle indique ce qui est arrivé.',
  download: 'Télécharger le PDF',
  payOnline: 'Payer en ligne et consulter le montant restant\u00a0:',
  print: 'Imprimer',
  notFound: {
    title: 'Facture introuvable',
    body: 'Le lien est peut-être incomplet. Ouvrez-le à nouveau depuis le message reçu, ou demandez-en un nouveau à l’expéditeur.',
  },
}

export const invoiceTexts: Record<Language, InvoiceTexts> = { en: english, fr: french }
