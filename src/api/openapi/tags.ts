/** The sections of the OpenAPI document, in order. */
export const tags = {
  Collections:
    'Money in: bank accounts and wallets that your customers pay to, and their payments.',
  Splits: 'What your sub-accounts get of a payment: saved rules and previews.',
  Checkout: 'Hosted pages on which a customer pays one amount.',
  Disbursements: 'Money out: payouts to bank accounts and wallets.',
  Cases: 'Complaints of fraud and the like: what they are about, and how they ended.',
  Conversions: 'Naira to coins and back, at a quoted price.',
  Customers: 'Who pays you again and again, and what you invoice them.',
  'Sub-accounts': 'Sellers for whom you collect: their balances, and money between you and them.',
  Settlements: 'Your available naira, paid to your own bank account.',
  Balances: 'Your balances and every change to them.',
  Reports: 'What happened per hour or day, for charts and monthly figures.',
  Search: 'Everything you have, by reference, number or name.',
  Settings: 'How mismatched payments are handled, and how your checkout pages look.',
  Mails: 'Mails that were sent for you, and addresses that get none.',
  Webhooks: 'Endpoints that receive your events.',
  Events: 'Everything that happened, and its deliveries.',
  'Request logs': 'The requests of your servers and our answers.',
  'Test mode': 'Simulated customers, banks and time.',
  Rails: 'For banks only: notices of payments.',
  'Webhook events': 'The requests that your endpoints receive.',
} as const

export type Tag = keyof typeof tags
