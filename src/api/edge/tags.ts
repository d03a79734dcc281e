/** The chapters of the document, in the order in which they are read. */
export const tags = {
  Collections: 'Money that comes in: accounts and wallets to pay into, and what came.',
  Checkout: 'A page on which one customer pays one amount.',
  Disbursements: 'Money that goes out: to banks and to wallets.',
  Balances: 'What you have, and every change of it.',
  Settings: 'What happens to money that does not match, and how your pages look.',
  Webhooks: 'Where you hear of events.',
  Events: 'What happened, and whom it was told.',
  'Request logs': 'What your servers asked, and what they were answered.',
  'Test mode': 'The world outside, played: customers, banks and time.',
  Rails: 'For banks only: where they tell of payments.',
  'Webhook events': 'What your servers are sent.',
} as const

export type Tag = keyof typeof tags
