import type { Language } from '../../base/languages.js'
import { formatLagosDate, formatLagosDay } from '../../base/languages.js'
import { formatDecimal, groupThousands } from '../../money/amounts.js'
import type { Asset } from '../../money/assets.js'
import { formatRate } from '../../money/rates.js'
import type { PaymentNote, PaymentPart } from './view.js'

/** Every text that a payer reads or hears. Another language is another object of this type. */
export type Texts = typeof english

/** Always with kobo: ₦12,500.00. */
export function showNaira(kobo: bigint): string {
  return `₦${groupThousands(formatDecimal(kobo, 'NGN', 2))}`
}

/** Always with at least two decimals: 25.50 USDC. */
export function showMoney(amount: bigint, asset: Asset): string {
  if (asset === 'NGN') return showNaira(amount)
  return `${groupThousands(formatDecimal(amount, asset, 2))} ${asset}`
}

/** Naira per coin, with kobo only if there are some: ₦1,580, ₦1,585.50. */
export function showNairaRate(rate: bigint): string {
  const [whole = '', fraction] = formatRate(rate).split('.')
  return `₦${groupThousands(whole)}${fraction ? `.${fraction.padEnd(2, '0')}` : ''}`
}

/** The amount as payers paste it into a banking app or wallet: 12500.00. */
export function plainAmount(amount: bigint, asset: Asset): string {
  return formatDecimal(amount, asset, 2)
}

const lagosTime = (options: Intl.DateTimeFormatOptions) =>
  new Intl.DateTimeFormat('en-GB', { timeZone: 'Africa/Lagos', ...options })
const hours = lagosTime({ hour: '2-digit', minute: '2-digit' })
const dates = lagosTime({ day: 'numeric', month: 'short', year: 'numeric' })

/** Nigeria has one time zone and no daylight saving time. */
const showHour = (time: Date) => `${hours.format(time)} WAT`

export const english = {
  language: 'en',
  title: {
    pending: (name: string, amount: string) => `Pay ${name} ${amount}`,
    waiting: (name: string) => `Waiting for your payment to ${name}`,
    paid: (name: string) => `Payment successful: ${name}`,
    refunded: (name: string) => `Payment refunded: ${name}`,
    expired: (name: string) => `Payment expired: ${name}`,
    cancelled: (name: string) => `Payment cancelled: ${name}`,
  },
  testBand: 'Test mode · no real money moves',
  testLabel: 'Test mode',
  byTransfer: 'Pay by bank transfer',
  byTransferOr: (coin: string) => `Pay by bank transfer or ${coin}`,
  byCoins: (coin: string) => `Pay in ${coin}`,
  transferTab: 'Bank transfer',
  sendExactly: 'Send exactly',
  accountNumber: 'Account number',
  bank: 'Bank',
  accountName: 'Account name',
  amount: 'Exact amount',
  copy: 'Copy',
  copied: 'Copied',
  copyNumber: 'Copy account number',
  copyAmount: 'Copy amount',
  numberCopied: 'Account number copied',
  amountCopied: 'Amount copied',
  before: (deadline: Date) => ({
    lead: 'Pay before',
    time: `${showHour(deadline)} on ${formatLagosDay('en', deadline)}`,
  }),
  remaining: 'left',
  fiveMinutes: 'Five minutes left to pay.',
  oneMinute: 'One minute left to pay.',
  exactly: 'Send the exact amount in one transfer. Any other amount may be sent back to you.',
  /** Of sessions for an invoice, which take any amount. */
  invoice: {
    send: 'Send',
    amount: 'Amount',
    inParts:
      'You can pay in parts: every transfer counts. What you pay beyond the amount due is your credit.',
    remaining: (amount: bigint) =>
      `${showNaira(amount)} is still to be paid, into the same account.`,
    remainingCoins: (price: string) => `${price} is still to be paid, to the same address.`,
  },
  next: (name: string) =>
    `When your transfer arrives, usually within a minute, this page updates and ${name} is notified.`,
  nextWithoutScript: (name: string) =>
    `When your transfer arrives, usually within a minute, ${name} is notified. Reload this page to check.`,
  sent: "I've sent the money",
  tryAgain: (amount: bigint) =>
    `To pay, send exactly ${showNaira(amount)} to the same account in one transfer.`,
  morePayments: (amount: bigint) =>
    `Not all payments are listed here. We received ${showNaira(amount)} in total.`,
  qrTitle: 'Show QR code',
  qrHint: 'Scan with your phone to get the account details.',
  qrLabel: 'QR code with bank, account number, account name and amount',
  qrContent: (account: { bank: string; number: string; name: string; amount: string }) =>
    `Bank: ${account.bank}\nAccount number: ${account.number}\nAccount name: ${account.name}\nAmount: NGN ${account.amount}`,
  details: 'Payment details',
  detailsFor: 'For',
  detailsPayer: 'Payer',
  detailsReference: 'Reference',
  showAccount: 'Show account details',
  simulate: 'Simulate transfer',
  simulateHint: 'In test mode you can send the transfer yourself.',
  simulateFailed: "That didn't work. Nothing was sent. Try again or reload the page.",
  shortfall: {
    title: (missing: string) => `${missing} is missing`,
    onHold: 'Your payment is on hold',
    body: (received: string, requested: string, name: string) =>
      `We received ${received} of ${requested}. It is safe with us: ${name} will either accept it or send it back.`,
    ask: (name: string) =>
      `Ask ${name} before you pay again. Payments are not added up, so don't send only the missing amount.`,
    wallet: (name: string) => `Tell ${name} which wallet to send it back to.`,
    payInFull: (amount: string) => `Pay the full ${amount} instead`,
    onlyIfAsked: (name: string) => `Do this only if ${name} asks you to.`,
  },
  support: (name: string) => `Questions? Contact ${name}:`,
  supportSubject: (reference: string) => `Payment ${reference}`,
  waiting: {
    title: 'Waiting for your transfer',
    body: (amount: bigint, name: string) =>
      `We're checking for your ${showNaira(amount)}. Most transfers arrive within a minute; some banks take longer. You can close this page: ${name} will be notified.`,
    updates: 'This page updates automatically.',
    checkAgain: 'Check if it has arrived',
    notYet: "I haven't sent it yet",
  },
  paid: {
    title: 'Payment successful',
    body: (amounts: string[], name: string) =>
      `${name} has received your payment of ${amounts.join(' and ')}.`,
    close: 'You can close this page.',
  },
  refunded: {
    title: 'Payment refunded',
    body: (amounts: string[], name: string) =>
      amounts.length === 0
        ? `${name} has refunded your payment.`
        : `${name} has refunded your payment of ${amounts.join(' and ')}.`,
  },
  receipt: {
    title: 'Receipt',
    amount: 'Amount',
    refunded: 'Refunded',
    paidTo: 'Paid to',
    paidFor: 'For',
    paidBy: 'Paid by',
    date: 'Date',
    time: (time: Date) => `${dates.format(time)}, ${showHour(time)}`,
    payment: 'Payment reference',
    session: 'Checkout reference',
    account: (bank: string, digits: string) => `${bank || 'Account'} •••\u00a0${digits}`,
    print: 'Print receipt',
    download: 'Download receipt',
    from: (name: string, reference: string) => `Receipt ${reference} from ${name}`,
  },
  returning: {
    before: (name: string) => `You return to ${name} in`,
    after: 'seconds.',
    stay: 'Stay on this page',
  },
  expired: {
    title: 'This payment has expired',
    when: (deadline: Date) =>
      `The time to pay ended at ${showHour(deadline)} on ${formatLagosDay('en', deadline)}.`,
    body: (name: string) =>
      `Please don't send money to this account. To pay, ask ${name} for a new link.`,
    alreadySent: 'If you sent it in time, it still counts. Check this page again in a few minutes.',
  },
  cancelled: {
    title: 'This payment was cancelled',
    body: (name: string) =>
      `${name} cancelled this payment. Please don't send money to this account.`,
  },
  coins: {
    address: 'Address',
    network: 'Network',
    solana: 'Solana',
    copyAddress: 'Copy address',
    addressCopied: 'Address copied',
    copyAmount: (coin: string) => `Copy amount in ${coin}`,
    byRate: (naira: bigint, rate: bigint, coin: string) =>
      `${showNaira(naira)} at ${showNairaRate(rate)} for 1 ${coin}`,
    only: (coin: string) => `Send only ${coin} on the Solana network. Anything else may be lost.`,
    exactly: (price: string, name: string) =>
      `Exactly ${price} must arrive in one transfer, after any wallet or exchange fees. Other amounts are not sent back automatically: ${name} decides what happens to them.`,
    final: 'Your payment counts once it is final on Solana, a few seconds after you send it.',
    sent: (coin: string) => `I've sent the ${coin}`,
    openWallet: 'Open in wallet',
    qrHint: 'Scan with a Solana wallet to fill in address and amount. From an exchange, copy them.',
    qrLabel: (coin: string) => `QR code that opens a Solana wallet with address and ${coin} amount`,
    tryAgain: (price: string) =>
      `To pay, send exactly ${price} to the same address in one transfer.`,
    showAddress: 'Show address',
    simulate: (coin: string) => `Simulate ${coin} payment`,
    simulateHint: 'In test mode you can send the coins yourself, on the test chain.',
    waiting: {
      title: (coin: string) => `Waiting for your ${coin}`,
      body: (price: string, name: string) =>
        `We're checking for your ${price}. It counts once it is final on Solana, a few seconds after you send it; exchanges may take longer. You can close this page: ${name} will be notified.`,
    },
  },
  goBack: (name: string) => `Return to ${name}`,
  leave: (name: string) => `Return to ${name} without paying`,
  noteTitle: 'About your payment',
  note: { payment: describePayment, part: describePart },
  notFound: {
    title: 'Payment not found',
    body: 'The link may be incomplete. Open it again from where you got it, or ask the shop for a new one.',
  },
  refused: {
    title: "This request isn't allowed",
    body: 'Nothing was changed. Please open the payment link again.',
  },
  tooMany: {
    title: 'Too many requests',
    body: 'We got too many requests from your network. Nothing was changed. Please reload the page in a moment.',
  },
  failed: {
    title: 'Something went wrong',
    body: 'This is our fault. Your money is safe. Please reload the page in a moment.',
  },
  requestId: 'Request ID',
  byManilla: 'Powered by Manilla',
}

const frenchHour = (time: Date) => `${hours.format(time)} (heure de Lagos)`

/** Of sessions for an invoice in French. Amounts are written as banks in Nigeria write them. */
const french: Texts = {
  language: 'fr',
  title: {
    pending: (name, amount) => `Payer ${amount} à ${name}`,
    waiting: (name) => `En attente de votre paiement à ${name}`,
    paid: (name) => `Paiement réussi\u00a0: ${name}`,
    refunded: (name) => `Paiement remboursé\u00a0: ${name}`,
    expired: (name) => `Paiement expiré\u00a0: ${name}`,
    cancelled: (name) => `Paiement annulé\u00a0: ${name}`,
  },
  testBand: 'Mode test · aucun argent réel ne circule',
  testLabel: 'Mode test',
  byTransfer: 'Payer par virement bancaire',
  byTransferOr: (coin) => `Payer par virement bancaire ou en ${coin}`,
  byCoins: (coin) => `Payer en ${coin}`,
  transferTab: 'Virement bancaire',
  sendExactly: 'Envoyez exactement',
  accountNumber: 'Numéro de compte',
  bank: 'Banque',
  accountName: 'Titulaire du compte',
  amount: 'Montant exact',
  copy: 'Copier',
  copied: 'Copié',
  copyNumber: 'Copier le numéro de compte',
  copyAmount: 'Copier le montant',
  numberCopied: 'Numéro de compte copié',
  amountCopied: 'Montant copié',
  before: (deadline) => ({
    lead: 'Payez avant le',
    time: `${formatLagosDay('fr', deadline)} à ${frenchHour(deadline)}`,
  }),
  remaining: 'restantes',
  fiveMinutes: 'Il vous reste cinq minutes pour payer.',
  oneMinute: 'Il vous reste une minute pour payer.',
  exactly:
    'Envoyez le montant exact en un seul virement. Tout autre montant peut vous être renvoyé.',
  invoice: {
    send: 'Envoyez',
    amount: 'Montant',
    inParts:
      'Vous pouvez payer en plusieurs fois\u00a0: chaque envoi compte. Ce que vous payez en plus du montant dû reste à votre crédit.',
    remaining: (amount) => `Il reste ${showNaira(amount)} à payer, sur le même compte.`,
    remainingCoins: (price) => `Il reste ${price} à payer, à la même adresse.`,
  },
  next: (name) =>
    `Quand votre virement arrive, en général en moins d’une minute, cette page s’actualise et ${name} en est informé.`,
  nextWithoutScript: (name) =>
    `Quand votre virement arrive, en général en moins d’une minute, ${name} en est informé. Actualisez cette page pour vérifier.`,
  sent: 'J’ai envoyé l’argent',
  tryAgain: (amount) =>
    `Pour payer, envoyez exactement ${showNaira(amount)} sur le même compte en un seul virement.`,
  morePayments: (amount) =>
    `Tous les paiements ne sont pas affichés ici. Nous avons reçu ${showNaira(amount)} au total.`,
  qrTitle: 'Afficher le code QR',
  qrHint: 'Scannez-le avec votre téléphone pour obtenir les coordonnées du compte.',
  qrLabel: 'Code QR avec la banque, le numéro de compte, le titulaire et le montant',
  qrContent: (account) =>
    `Banque\u00a0: ${account.bank}\nNuméro de compte\u00a0: ${account.number}\nTitulaire du compte\u00a0: ${account.name}\nMontant\u00a0: NGN ${account.amount}`,
  details: 'Détails du paiement',
  detailsFor: 'Pour',
  detailsPayer: 'Payeur',
  detailsReference: 'Référence',
  showAccount: 'Afficher les coordonnées du compte',
  simulate: 'Simuler le virement',
  simulateHint: 'En mode test, vous pouvez envoyer le virement vous-même.',
  simulateFailed: 'Cela n’a pas fonctionné. Rien n’a été envoyé. Réessayez ou actualisez la page.',
  shortfall: {
    title: (missing) => `Il manque ${missing}`,
    onHold: 'Votre paiement est en attente',
    body: (received, requested, name) =>
      `Nous avons reçu ${received} sur ${requested}. Cet argent est en sécurité chez nous\u00a0: ${name} l’acceptera ou le renverra.`,
    ask: (name) =>
      `Demandez à ${name} avant de payer à nouveau. Les paiements ne s’additionnent pas\u00a0: n’envoyez pas seulement le montant manquant.`,
    wallet: (name) => `Indiquez à ${name} à quel portefeuille le renvoyer.`,
    payInFull: (amount) => `Payer plutôt la totalité, ${amount}`,
    onlyIfAsked: (name) => `Ne le faites que si ${name} vous le demande.`,
  },
  support: (name) => `Des questions\u00a0? Contactez ${name}\u00a0:`,
  supportSubject: (reference) => `Paiement ${reference}`,
  waiting: {
    title: 'En attente de votre virement',
    body: (amount, name) =>
      `Nous attendons vos ${showNaira(amount)}. La plupart des virements arrivent en moins d’une minute\u00a0; certaines banques mettent plus longtemps. Vous pouvez fermer cette page\u00a0: ${name} sera informé.`,
    updates: 'Cette page s’actualise automatiquement.',
    checkAgain: 'Vérifier s’il est arrivé',
    notYet: 'Je ne l’ai pas encore envoyé',
  },
  paid: {
    title: 'Paiement réussi',
    body: (amounts, name) => `${name} a reçu votre paiement de ${amounts.join(' et ')}.`,
    close: 'Vous pouvez fermer cette page.',
  },
  refunded: {
    title: 'Paiement remboursé',
    body: (amounts, name) =>
      amounts.length === 0
        ? `${name} a remboursé votre paiement.`
        : `${name} a remboursé votre paiement de ${amounts.join(' et ')}.`,
  },
  receipt: {
    title: 'Reçu',
    amount: 'Montant',
    refunded: 'Remboursé',
    paidTo: 'Payé à',
    paidFor: 'Pour',
    paidBy: 'Payé par',
    date: 'Date',
    time: (time) => `${formatLagosDate('fr', time)}, ${frenchHour(time)}`,
    payment: 'Référence du paiement',
    session: 'Référence de la session',
    account: (bank, digits) => `${bank || 'Compte'} •••\u00a0${digits}`,
    print: 'Imprimer le reçu',
    download: 'Télécharger le reçu',
    from: (name, reference) => `Reçu ${reference} de ${name}`,
  },
  returning: {
    before: (name) => `Vous retournez chez ${name} dans`,
    after: 'secondes.',
    stay: 'Rester sur cette page',
  },
  expired: {
    title: 'Ce paiement a expiré',
    when: (deadline) =>
      `Le délai de paiement a pris fin le ${formatLagosDay('fr', deadline)} à ${frenchHour(deadline)}.`,
    body: (name) =>
      `Veuillez ne plus envoyer d’argent sur ce compte. Pour payer, demandez un nouveau lien à ${name}.`,
    alreadySent:
      'Si vous avez envoyé l’argent à temps, il compte quand même. Revenez sur cette page dans quelques minutes.',
  },
  cancelled: {
    title: 'Ce paiement a été annulé',
    body: (name) => `${name} a annulé ce paiement. Veuillez ne pas envoyer d’argent sur ce compte.`,
  },
  coins: {
    address: 'Adresse',
    network: 'Réseau',
    solana: 'Solana',
    copyAddress: 'Copier l’adresse',
    addressCopied: 'Adresse copiée',
    copyAmount: (coin) => `Copier le montant en ${coin}`,
    byRate: (naira, rate, coin) => `${showNaira(naira)} à ${showNairaRate(rate)} pour 1 ${coin}`,
    only: (coin) =>
      `Envoyez uniquement des ${coin} sur le réseau Solana. Tout autre envoi peut être perdu.`,
    exactly: (price, name) =>
      `Exactement ${price} doivent arriver en un seul envoi, après déduction des frais de portefeuille ou de plateforme. Les autres montants ne sont pas renvoyés automatiquement\u00a0: ${name} décide de leur sort.`,
    final:
      'Votre paiement compte dès qu’il est définitif sur Solana, quelques secondes après l’envoi.',
    sent: (coin) => `J’ai envoyé les ${coin}`,
    openWallet: 'Ouvrir dans le portefeuille',
    qrHint:
      'Scannez-le avec un portefeuille Solana pour remplir l’adresse et le montant. Depuis une plateforme d’échange, copiez-les.',
    qrLabel: (coin) =>
      `Code QR qui ouvre un portefeuille Solana avec l’adresse et le montant en ${coin}`,
    tryAgain: (price) =>
      `Pour payer, envoyez exactement ${price} à la même adresse en un seul envoi.`,
    showAddress: 'Afficher l’adresse',
    simulate: (coin) => `Simuler le paiement en ${coin}`,
    simulateHint: 'En mode test, vous pouvez envoyer les jetons vous-même, sur la chaîne de test.',
    waiting: {
      title: (coin) => `En attente de vos ${coin}`,
      body: (price, name) =>
        `Nous attendons vos ${price}. Ils comptent dès qu’ils sont définitifs sur Solana, quelques secondes après l’envoi\u00a0; les plateformes d’échange peuvent mettre plus longtemps. Vous pouvez fermer cette page\u00a0: ${name} sera informé.`,
    },
  },
  goBack: (name) => `Retourner chez ${name}`,
  leave: (name) => `Retourner chez ${name} sans payer`,
  noteTitle: 'À propos de votre paiement',
  note: { payment: describePaymentInFrench, part: describePartInFrench },
  notFound: {
    title: 'Paiement introuvable',
    body: 'Le lien est peut-être incomplet. Ouvrez-le à nouveau depuis le message reçu, ou demandez-en un nouveau au vendeur.',
  },
  refused: {
    title: 'Cette demande n’est pas autorisée',
    body: 'Rien n’a été modifié. Veuillez ouvrir à nouveau le lien de paiement.',
  },
  tooMany: {
    title: 'Trop de demandes',
    body: 'Nous avons reçu trop de demandes de votre réseau. Rien n’a été modifié. Veuillez actualiser la page dans un instant.',
  },
  failed: {
    title: 'Une erreur est survenue',
    body: 'L’erreur vient de nous. Votre argent est en sécurité. Veuillez actualiser la page dans un instant.',
  },
  requestId: 'Identifiant de la demande',
  byManilla: 'Propulsé par Manilla',
}

export const checkoutTexts: Record<Language, Texts> = { en: english, fr: french }

function describePayment(note: PaymentNote, isCancelled: boolean): string {
  const { variance, asset, amount, difference } = note
  const received = `We received ${showMoney(amount, asset)}`
  if (variance === 'UNDERPAID')
    return `${received}, ${showMoney(difference, asset)} less than requested.`
  if (variance === 'OVERPAID')
    return `${received}, ${showMoney(difference, asset)} more than requested.`
  if (variance === 'DUPLICATE') return `${received} after this was already paid.`
  if (variance !== 'LATE') return `${received}.`
  if (note.wasAlreadyPaid) return `${received}, but this was already paid.`
  return `${received} after this payment ${isCancelled ? 'was cancelled' : 'expired'}.`
}

/** What happens to a part of a payment. Empty if it was accepted as expected. */
function describePart(part: PaymentPart, { variance, asset }: PaymentNote, name: string): string {
  const amount = part.isWhole ? 'it' : showMoney(part.amount, asset)
  const subject = part.isWhole ? 'It' : amount
  if (asset !== 'NGN' && part.state !== 'accepted') return describeCoins(part, subject, name)
  if (part.state === 'returning')
    return `We are sending ${amount} back to ${returnAccount(part)}, usually within minutes.`
  if (part.state === 'returned') return `${subject} was sent back to ${returnAccount(part)}.`
  if (part.state === 'held')
    return `${subject} is safe with us. ${name} will either accept it or send it back. Please contact them if you don't hear from them.`
  return variance === 'NONE' || !part.isWhole ? '' : `${name} has accepted it.`
}

/** Some banks mask the account without naming the bank. */
function returnAccount({ to }: PaymentPart): string {
  if (!to) return 'the account it came from'
  return `${to.bankName || 'the account'} •••\u00a0${to.lastDigits}`
}

/** Coins are never sent back automatically: the sender's wallet may belong to an exchange. */
function describeCoins({ state }: PaymentPart, subject: string, name: string): string {
  if (state === 'held')
    return `${subject} is safe with us. ${name} will either accept it or send it back. Please tell them which wallet to send it to.`
  const to = `to the wallet that ${name} chose`
  return state === 'returning' ? `${subject} is on its way ${to}.` : `${subject} was sent ${to}.`
}

function describePaymentInFrench(note: PaymentNote, isCancelled: boolean): string {
  const { variance, asset, amount, difference } = note
  const received = `Nous avons reçu ${showMoney(amount, asset)}`
  if (variance === 'UNDERPAID')
    return `${received}, soit ${showMoney(difference, asset)} de moins que demandé.`
  if (variance === 'OVERPAID')
    return `${received}, soit ${showMoney(difference, asset)} de plus que demandé.`
  if (variance === 'DUPLICATE') return `${received} alors que tout était déjà payé.`
  if (variance !== 'LATE') return `${received}.`
  if (note.wasAlreadyPaid) return `${received}, mais tout était déjà payé.`
  return `${received} après ${isCancelled ? 'l’annulation' : 'l’expiration'} de ce paiement.`
}

function describePartInFrench(
  part: PaymentPart,
  { variance, asset }: PaymentNote,
  name: string,
): string {
  const amount = part.isWhole ? 'ce montant' : showMoney(part.amount, asset)
  const subject = part.isWhole ? 'Ce montant' : amount
  const isCoins = asset !== 'NGN'
  const to = isCoins ? `au portefeuille choisi par ${name}` : returnAccountInFrench(part)
  if (part.state === 'returning')
    return isCoins
      ? `Nous renvoyons ${amount} ${to}.`
      : `Nous renvoyons ${amount} ${to}, en général en quelques minutes.`
  if (part.state === 'returned') return `Nous avons renvoyé ${amount} ${to}.`
  if (part.state === 'held') {
    const ask = isCoins
      ? 'Veuillez lui indiquer à quel portefeuille le renvoyer.'
      : 'Veuillez le contacter si vous n’avez pas de nouvelles.'
    return `${subject}\u00a0: en sécurité chez nous. ${name} l’acceptera ou le renverra. ${ask}`
  }
  return variance === 'NONE' || !part.isWhole ? '' : `${name} l’a accepté.`
}

function returnAccountInFrench({ to }: PaymentPart): string {
  if (!to) return 'au compte d’où il provient'
  return to.bankName
    ? `au compte ${to.bankName} •••\u00a0${to.lastDigits}`
    : `au compte •••\u00a0${to.lastDigits}`
}
