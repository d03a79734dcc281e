/** Words of the first page. */
export const homeTexts = {
  title: 'Home',
  greetings: { morning: 'Good morning', afternoon: 'Good afternoon', evening: 'Good evening' },
  greet: (greeting: string, name: string) => `${greeting}, ${name}`,
  link: 'One-time link',
  payOut: 'Pay out',
  attention: {
    title: 'Needs your attention',
    open: (count: number) => `${count} open`,
    since: (time: string) => `Since ${time}`,
    review: 'Review',
    decide: 'Decide',
    view: 'View',
    approval: (amounts: string, count: number) =>
      count === 1 ? `${amounts} waits for your approval` : `${count} payouts wait for approval`,
    approvalText: (amounts: string) => `${amounts} in total`,
    batch_approval: (amounts: string, count: number) =>
      count === 1
        ? `A batch of ${amounts} waits for approval`
        : `${count} batches wait for approval: ${amounts}`,
    batch_approvalText: 'Nothing is paid until then.',
    held_payment: (amounts: string, count: number) =>
      count === 1 ? `${amounts} is held` : `${count} payments are held: ${amounts}`,
    held_paymentText: 'It did not match what you asked for. Accept or return it.',
    payment_request: (count: number) =>
      count === 1 ? 'A decision is asked for' : `${count} decisions are asked for`,
    payment_requestText: 'A member who may not decide about a payment asks you to.',
    endpoint_failing: (subject: string | null) =>
      `Webhooks to ${subject ?? 'several endpoints'} fail`,
    endpoint_failingText: (count: number) =>
      `${count.toLocaleString('en')} ${count === 1 ? 'event was' : 'events were'} not delivered`,
    payout_review: (count: number) =>
      count === 1 ? '1 payout has no outcome yet' : `${count} payouts have no outcome yet`,
    payout_reviewText: 'The operator is looking into it. Do not send them again.',
    low_balance: (subject: string) => `The ${subject} balance is low`,
    low_balanceText: (amount: string) => `${amount} available`,
    case_overdue: (count: number) =>
      count === 1
        ? 'The deadline of a case has passed'
        : `The deadlines of ${count} cases have passed`,
    case_overdueText: 'Close them, or move their deadlines.',
    bank_account_waiting: (subject: string | null, count: number) =>
      subject === null ? `${count} bank accounts are new` : `Bank account ${subject} is new`,
    bank_account_waitingText:
      'Settlements to it wait for 24 hours. Remove it if you do not recognise it.',
    settlement_wallet_waiting: 'Settlements go to a new wallet',
    settlement_wallet_waitingText: (wallet: string) =>
      `${wallet}. Settlements to it wait for 72 hours. Choose another destination if you do not recognise it.`,
    settlement_destination_unconfirmed: (subject: string) =>
      `Settlements to ${subject} need a confirmation`,
    settlement_destination_unconfirmedText:
      'One member chose it. Another owner or admin must confirm it.',
    kyc: 'Your KYC needs more',
    kycText: 'Live mode opens once it is approved.',
    second_factor: 'Add a second factor',
    second_factorText: 'Live mode and approvals need a passkey or an authenticator app.',
  },
  received: {
    title: 'Received',
    from: (amount: string, days: number) => `from ${amount} in the ${days} days before`,
    up: (percent: string) => `↑ ${percent} %`,
    down: (percent: string) => `↓ ${percent} %`,
    same: 'As much as before',
    last: (days: number) => `Last ${days} days`,
    before: (days: number) => `${days} days before`,
    currency: 'Currency',
    period: 'Period',
    days: (days: number) => `${days} days`,
    count: (count: number) => (count === 1 ? '1 payment' : `${count} payments`),
    summary: (amount: string, days: number) =>
      `Received per day, last ${days} days: ${amount} in total`,
    today: 'Today',
  },
  balances: {
    title: 'Balances',
    statement: 'Statement',
    available: 'Available naira',
    held: 'Set aside for payouts',
    pending: 'Not decided yet',
    fund: 'Add test money',
  },
  conversion: {
    title: 'Checkout conversion',
    of: (paid: string, opened: string) => `${paid} of ${opened} opened were paid`,
    none: 'No page was opened yet',
    summary: 'Share of opened checkout pages that were paid, 14 days',
    name: 'Paid',
  },
  payoutTime: {
    title: 'Payout time',
    median: 'median',
    within: (duration: string) => `95 % within ${duration}`,
    failed: (count: number) => `${count} failed`,
    none: 'No payout was completed yet',
    summary: 'Median time until a payout arrives, 14 days',
    name: 'Median',
  },
  balance: {
    title: 'Naira balance',
    lowest: (amount: string) => `Lowest in 14 days: ${amount}`,
    summary: 'Available naira balance, 14 days',
    name: 'Balance',
  },
  latest: {
    title: 'Latest',
    empty: 'Payments and payouts appear here as they happen.',
    wallet: 'Solana wallet',
  },
  start: {
    title: 'Get started',
    progress: (done: number, all: number) => `${done} of ${all}`,
    testPayment: 'Receive a test payment',
    testPaymentText: 'Opens a checkout page. Press “Simulate transfer” there.',
    makePayment: 'Make a test payment',
    product: 'Two loaves of agege bread',
    customer: 'Test customer',
    firstTitle: 'See a payment arrive',
    firstText:
      'Open a checkout page as your customer would, pay with play money, and watch it appear here.',
    request: 'Send your first API request',
    requestText: 'Quick start has the command with your key filled in.',
    webhook: 'Hear a webhook',
    webhookText: 'Your server learns of every payment.',
    payout: 'Pay out in test mode',
    payoutText: 'To a bank account or a wallet.',
    passkey: 'Add a passkey',
    passkeyText: 'Sign in and approve payouts with your fingerprint.',
    live: 'Go live',
    liveText: 'KYC, your bank account, live keys.',
  },
}
