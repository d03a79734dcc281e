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
const days = lagosTime({ day: 'numeric', month: 'long' })
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
    time: `${showHour(deadline)} on ${days.format(deadline)}`,
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
      `The time to pay ended at ${showHour(deadline)} on ${days.format(deadline)}.`,
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
