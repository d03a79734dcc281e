import { formatDecimal, formatNaira } from '../../money/amounts.js'
import type { Asset } from '../../money/assets.js'
import type { Fate, Note } from './view.js'

/**
 * Every word that a payer reads or hears. Another language is another object of this type. Plain,
 * short, exact: what happened, what becomes of the money, what to do now.
 */
export type Texts = typeof english

/** As people write it, kobo always: ₦12,500.00. */
export function showNaira(kobo: bigint): string {
  const text = formatNaira(kobo)
  return text.includes('.') ? text : `${text}.00`
}

/** As people write it, two digits at least: 25.50 USDC. */
export function money(amount: bigint, asset: Asset): string {
  if (asset === 'NGN') return showNaira(amount)
  const [whole = '', fraction = ''] = formatDecimal(amount, asset).split('.')
  return `${whole.replace(/\B(?=(\d{3})+$)/g, ',')}.${fraction.padEnd(2, '0')} ${asset}`
}

const clockOf = (options: Intl.DateTimeFormatOptions) =>
  new Intl.DateTimeFormat('en-GB', { timeZone: 'Africa/Lagos', ...options })
const hours = clockOf({ hour: '2-digit', minute: '2-digit' })
const days = clockOf({ day: 'numeric', month: 'long' })

/** Not every bank that masks an account says which bank it is at. */
const sentBack = ({ to }: Fate) => {
  if (!to) return 'the account it came from'
  return `${to.bankName || 'the account'} •••\u00a0${to.lastDigits}`
}

export const english = {
  language: 'en',
  title: {
    pending: (name: string, amount: bigint) => `Pay ${name} ${showNaira(amount)}`,
    waiting: (name: string) => `Waiting for your transfer to ${name}`,
    paid: (name: string) => `Paid: ${name}`,
    expired: (name: string) => `Time is up: ${name}`,
    cancelled: (name: string) => `Cancelled: ${name}`,
  },
  testBand: 'Test mode · no real money moves',
  testLabel: 'Test mode',
  byTransfer: 'Pay by bank transfer',
  byTransferOr: (coin: string) => `Pay by bank transfer or ${coin}`,
  sendExactly: 'Send exactly',
  accountNumber: 'Account number',
  bank: 'Bank',
  accountName: 'Account name',
  amount: 'Amount, exactly',
  copy: 'Copy',
  copied: 'Copied',
  copyNumber: 'Copy account number',
  copyAmount: 'Copy amount',
  numberCopied: 'Account number copied',
  amountCopied: 'Amount copied',
  before: (deadline: Date) => ({
    lead: 'Pay before',
    time: `${hours.format(deadline)} on ${days.format(deadline)}`,
    zone: 'Nigerian time',
  }),
  left: 'left',
  fiveMinutes: 'Five minutes left to pay.',
  oneMinute: 'One minute left to pay.',
  exactly: 'Send the exact amount in one transfer. Any other amount may be sent back to you.',
  next: (name: string) =>
    `When your transfer arrives, usually within a minute, this page says so and ${name} is told.`,
  nextByHand: 'Come back to this page, or reload it, to see that it has arrived.',
  sent: 'I have sent the money',
  tryAgain: (amount: bigint) =>
    `To pay, send exactly ${showNaira(amount)} to the same account, in one transfer.`,
  askFirst: (held: bigint, name: string) =>
    `Please ask ${name} before you pay again: they may still accept the ${showNaira(held)} that came.`,
  moreCame: (amount: bigint) =>
    `More payments came than are listed here. We received ${showNaira(amount)} in all.`,
  qrTitle: 'Show as QR code',
  qrWords: 'Scan it with a phone to have the account details there.',
  qrLabel: 'QR code of the bank, account number, account name and amount',
  qrContent: (one: { bank: string; number: string; name: string; amount: string }) =>
    `Bank: ${one.bank}\nAccount number: ${one.number}\nAccount name: ${one.name}\nAmount: NGN ${one.amount}`,
  about: 'About this payment',
  aboutFor: 'For',
  aboutPayer: 'Payer',
  aboutReference: 'Reference',
  showAccount: 'Show the account again',
  payNow: 'Pay this now',
  payNowWords: 'In test mode you are the customer too: this sends the transfer.',
  payNowFailed: 'That did not work, and nothing was sent. Try again, or reload the page.',
  waiting: {
    title: 'Waiting for your transfer',
    words: (amount: bigint, name: string) =>
      `We are looking out for your ${showNaira(amount)}. Most transfers arrive within a minute; some banks take longer. You may close this page: ${name} is told in any case.`,
    watching: 'This page changes by itself.',
    checkAgain: 'See whether it has arrived',
    notYet: 'I have not sent it yet',
  },
  paid: {
    title: 'Paid',
    words: (amounts: string[], name: string) =>
      `${name} has your payment of ${amounts.join(' and ')}.`,
    refunded: (name: string) => `${name} has refunded your payment.`,
    close: 'You can close this page.',
  },
  expired: {
    title: 'Time is up',
    words: (name: string) =>
      `Please do not send money for it any more. To pay, ask ${name} for a new link.`,
    already: 'If you sent it in time, it still counts, and this page will say so.',
  },
  cancelled: {
    title: 'Cancelled',
    words: (name: string) => `${name} has cancelled this payment. Please do not send money for it.`,
  },
  coins: {
    title: (price: string) => `Or pay ${price} on Solana`,
    address: 'Address',
    network: 'Network',
    solana: 'Solana',
    copyAddress: 'Copy address',
    addressCopied: 'Address copied',
    copyAmount: (coin: string) => `Copy amount in ${coin}`,
    only: (coin: string) =>
      `Send only ${coin}, and only on the Solana network. Anything else does not arrive and may be lost.`,
    exactly: (price: string, name: string) =>
      `${price} must arrive, in one transfer: fees of your wallet or exchange come on top. Of any other amount ${name} decides what becomes of it; it does not go back by itself.`,
    final: 'It counts when it is final on Solana, some seconds after you send it.',
    sent: (coin: string) => `I have sent the ${coin}`,
    qrWords: 'Scan it with a wallet to have the address there.',
    qrLabel: 'QR code of the address',
    tryAgain: (price: string, name: string) =>
      `To pay, send exactly ${price} to the same address, in one transfer, or ask ${name} to accept what you sent.`,
    showAddress: 'Show the address again',
    payNow: (coin: string) => `Pay this now in ${coin}`,
    payNowWords: 'In test mode you are the customer too: this sends coins of the test chain.',
    waiting: {
      title: (coin: string) => `Waiting for your ${coin}`,
      words: (price: string, name: string) =>
        `We are looking out for your ${price}. It counts when it is final on Solana, some seconds after you send it; an exchange may take longer to send it. You may close this page: ${name} is told in any case.`,
    },
  },
  goBack: (name: string) => `Return to ${name}`,
  leave: (name: string) => `Return to ${name} without paying`,
  noteTitle: 'About the money you sent',
  note: { fact: sayFact, fate: sayFate },
  notFound: {
    title: 'There is no such payment',
    words:
      'The link may be incomplete or mistyped. Open it again from where you got it, or ask the shop for a new one.',
  },
  refused: {
    title: 'This cannot be done here',
    words: 'Nothing was done. Open the link to the payment again, from where you got it.',
  },
  tooMany: {
    title: 'Too many at once',
    words:
      'More was asked from your network than we take at once. Nothing was done. Reload the page in a moment.',
  },
  trouble: {
    title: 'This page cannot be shown right now',
    words: 'The fault is ours. Nothing has happened to your money. Reload the page in a moment.',
  },
  request: 'Request',
  byManilla: 'Payments by Manilla',
}

/** What came. */
function sayFact(note: Note, isCancelled: boolean): string {
  const { variance, asset, amount, difference } = note
  const received = `We received ${money(amount, asset)}`
  if (variance === 'UNDERPAID') return `${received}. It is ${money(difference, asset)} short.`
  if (variance === 'OVERPAID') return `${received}. It is ${money(difference, asset)} too much.`
  if (variance === 'DUPLICATE') return `${received} after this was paid already.`
  if (variance !== 'LATE') return `${received}.`
  if (note.isBesides) return `${received}, but this was paid already.`
  return `${received} after ${isCancelled ? 'this payment was cancelled' : 'the time was up'}.`
}

/** What becomes of it. Nothing is said of what is as it should be. */
function sayFate(fate: Fate, { variance, asset }: Note, name: string): string {
  const what = fate.isAll ? 'it' : money(fate.amount, asset)
  const What = fate.isAll ? 'It' : money(fate.amount, asset)
  if (asset !== 'NGN' && fate.place !== 'accepted') return sayCoins(fate, What, name)
  if (fate.place === 'returning')
    return `We are sending ${what} back to ${sentBack(fate)}, usually within minutes.`
  if (fate.place === 'returned') return `${What} was sent back to ${sentBack(fate)}.`
  if (fate.place === 'held')
    return `${What} is safe with us: ${name} decides whether to accept it or to send it back. Ask them if you hear nothing.`
  return variance === 'NONE' || !fate.isAll ? '' : `${name} has accepted it.`
}

/** Coins never go back by themselves: the wallet that sent them may be an exchange's. */
function sayCoins({ place }: Fate, what: string, name: string): string {
  if (place === 'held')
    return `${what} is safe with us: ${name} decides whether to accept it or to send it back. Tell them which wallet it may go back to.`
  const to = `to the wallet that ${name} has named`
  return place === 'returning' ? `${what} is on its way ${to}.` : `${what} was sent ${to}.`
}
