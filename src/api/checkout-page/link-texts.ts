import { showNaira } from './texts.js'

/** What payers read on the page of a payment link, besides the texts of the checkout page. */
export const linkTexts = {
  title: (name: string) => `Pay ${name}`,
  youPay: 'You pay',
  amount: 'Amount in naira',
  name: 'Your name',
  email: 'Your e-mail address',
  optional: 'optional',
  submit: 'Continue to payment',
  next: 'On the next page you see where to send the money. You have 30 minutes to pay.',
  between: (min: bigint | null, max: bigint | null) => {
    if (min !== null && max !== null) return `From ${showNaira(min)} to ${showNaira(max)}.`
    if (min !== null) return `At least ${showNaira(min)}.`
    return max === null ? '' : `At most ${showNaira(max)}.`
  },
  scan: 'Scan to pay on your phone.',
  qrLabel: 'QR code with the address of this page',
  problems: {
    title: 'Please check what you entered.',
    amount: 'Enter an amount such as 5000 or 5,000.50.',
    tooLittle: (min: bigint) => `Enter at least ${showNaira(min)}.`,
    tooMuch: (max: bigint) => `Enter at most ${showNaira(max)}.`,
    name: 'Enter your name.',
    email: 'Enter an e-mail address such as ada@example.com.',
    missing: 'Enter an answer.',
    tooLong: (max: number) => `Enter at most ${max} characters.`,
    unreadable: 'Enter plain text in one line.',
    unavailable: (name: string) =>
      `The payment could not be prepared. Nothing was charged. Please try again in a moment, or ask ${name}.`,
  },
  ended: {
    inactive: {
      title: 'This link is switched off',
      body: (name: string) => `${name} does not accept payments here at the moment.`,
    },
    expired: {
      title: 'This link has expired',
      body: (name: string) => `To pay, ask ${name} for a new link.`,
    },
    sold_out: {
      title: 'Sold out',
      body: (name: string) =>
        `Everything was paid for already. If you have a payment page open, ask ${name} before you pay.`,
    },
  },
}
