// Written by `npm run generate` from openapi.json. Changes by hand are lost.
import type { Flag } from './read-flags.js'

/** Every operation of the table, by its full name: what it does, and what it can be told. */
export const described: Record<string, { about: string; flags: Flag[] }> = {
  'virtualAccounts.create': {
    about: 'Create a virtual account. An account number for one payment of one amount. Show it to your customer; when the money comes you hear of it by webhook. Without expiresAt it waits for 30 minutes.',
    flags: [
      ['merchantReference', 'text', 'Yours.', true, false],
      ['amount', 'integer', 'Naira in kobo.', true, false],
      ['currency', 'text', 'One of: NGN.', false, false],
      ['expiresAt', 'text', 'ISO 8601; at most 24 hours ahead.', false, false],
      ['metadata', 'json', 'Anything of yours; it comes back as it was sent.', false, false],
    ],
  },
  'virtualAccounts.get': {
    about: 'Verify a virtual account. As it is now.',
    flags: [],
  },
  'virtualAccounts.list': {
    about: 'List virtual accounts. Newest first.',
    flags: [
      ['merchantReference', 'text', 'Yours.', false, false],
      ['status', 'text', 'Only those in this state. One of: ACTIVE, PAID, EXPIRED, CANCELLED.', false, false],
      ['limit', 'integer', 'Items per page.', false, false],
      ['cursor', 'text', 'The nextCursor of the page before.', false, false],
    ],
  },
  'virtualAccounts.cancel': {
    about: 'Cancel a virtual account. You want no money here any more. What comes all the same counts as late.',
    flags: [],
  },
  'virtualAccounts.requery': {
    about: 'Ask the bank for payments it did not announce. Use it when a customer says that they paid and you have heard nothing.',
    flags: [],
  },
  'dedicatedAccounts.create': {
    about: 'Create a dedicated account. A permanent account number for a customer, an invoice or a subscription. Any amount may come, any number of times.',
    flags: [
      ['externalReference', 'text', 'Yours.', true, false],
      ['metadata', 'json', 'Anything of yours; it comes back as it was sent.', false, false],
    ],
  },
  'dedicatedAccounts.get': {
    about: 'Verify a dedicated account. As it is now.',
    flags: [],
  },
  'dedicatedAccounts.list': {
    about: 'List dedicated accounts. Newest first; those that are ACTIVE unless you ask for others.',
    flags: [
      ['externalReference', 'text', 'Yours.', false, false],
      ['status', 'text', 'Only those in this state. One of: ACTIVE, INACTIVE.', false, false],
      ['limit', 'integer', 'Items per page.', false, false],
      ['cursor', 'text', 'The nextCursor of the page before.', false, false],
    ],
  },
  'dedicatedAccounts.deactivate': {
    about: 'Deactivate a dedicated account. For good. What comes all the same is held until you resolve it.',
    flags: [],
  },
  'cryptoWallets.create': {
    about: 'Create a crypto wallet. An address for one payment of one amount of one coin. When it is final on the chain you hear of it by webhook. Without expiresAt it waits for 30 minutes.',
    flags: [
      ['merchantReference', 'text', 'Yours.', true, false],
      ['asset', 'text', 'One of: USDC, USDT.', true, false],
      ['network', 'text', 'One of: SOLANA.', true, false],
      ['amount', 'text', 'A decimal amount; at most 6 digits after the point.', true, false],
      ['expiresAt', 'text', 'ISO 8601; at most 24 hours ahead.', false, false],
      ['metadata', 'json', 'Anything of yours; it comes back as it was sent.', false, false],
    ],
  },
  'cryptoWallets.get': {
    about: 'Verify a crypto wallet. As it is now.',
    flags: [],
  },
  'cryptoWallets.list': {
    about: 'List crypto wallets. Newest first.',
    flags: [
      ['merchantReference', 'text', 'Yours.', false, false],
      ['status', 'text', 'Only those in this state. One of: ACTIVE, PAID, EXPIRED, CANCELLED.', false, false],
      ['limit', 'integer', 'Items per page.', false, false],
      ['cursor', 'text', 'The nextCursor of the page before.', false, false],
    ],
  },
  'cryptoWallets.cancel': {
    about: 'Cancel a crypto wallet. You want no money here any more. What comes all the same counts as late.',
    flags: [],
  },
  'cryptoWallets.requery': {
    about: 'Look at the chain again. Has the wallet looked at at once, and for other tokens, too. That happens by itself, but seldom where nothing happened for long. Answers as it is now; what is found, you hear by webhook.',
    flags: [],
  },
  'dedicatedCryptoWallets.create': {
    about: 'Create a dedicated crypto wallet. A permanent address for a customer. Any amount of USDC or USDT may come, any number of times.',
    flags: [
      ['externalReference', 'text', 'Yours.', true, false],
      ['network', 'text', 'One of: SOLANA.', true, false],
      ['metadata', 'json', 'Anything of yours; it comes back as it was sent.', false, false],
    ],
  },
  'dedicatedCryptoWallets.get': {
    about: 'Verify a dedicated crypto wallet. As it is now.',
    flags: [],
  },
  'dedicatedCryptoWallets.list': {
    about: 'List dedicated crypto wallets. Newest first.',
    flags: [
      ['externalReference', 'text', 'Yours.', false, false],
      ['status', 'text', 'Only those in this state. One of: ACTIVE.', false, false],
      ['limit', 'integer', 'Items per page.', false, false],
      ['cursor', 'text', 'The nextCursor of the page before.', false, false],
    ],
  },
  'dedicatedCryptoWallets.requery': {
    about: 'Look at the chain again. Has the wallet looked at at once, and for other tokens, too. That happens by itself, but seldom where nothing happened for long. Answers as it is now; what is found, you hear by webhook.',
    flags: [],
  },
  'payments.get': {
    about: 'Retrieve a payment. Returns the current state: how much is accepted, held, on its way back and returned.',
    flags: [],
  },
  'payments.list': {
    about: 'List payments. Returns payments, newest first. Filter by status, source or account.',
    flags: [
      ['source', 'text', 'Only payments into this kind of account. One of: virtual_account, dedicated_account, crypto_wallet, dedicated_crypto_wallet.', false, false],
      ['accountReference', 'text', 'Only payments into the account or wallet with this reference.', false, false],
      ['status', 'text', 'Only those in this state. One of: HELD, RETURNING, ACCEPTED, RETURNED.', false, false],
      ['limit', 'integer', 'Items per page.', false, false],
      ['cursor', 'text', 'The nextCursor of the page before.', false, false],
    ],
  },
  'payments.returns': {
    about: 'List returns of a payment. Returns every return and refund of the payment with its status, newest first.',
    flags: [
      ['limit', 'integer', 'Items per page.', false, false],
      ['cursor', 'text', 'The nextCursor of the page before.', false, false],
    ],
  },
  'payments.resolve': {
    about: 'Decide about held money. Accept what is held of a payment, or send it back: to the sender, or to destination. Coins go back only to the wallet that you name.',
    flags: [
      ['action', 'text', 'One of: accept, return.', true, false],
      ['destination.bankCode', 'text', '', false, false],
      ['destination.accountNumber', 'text', '', false, false],
      ['destination.accountName', 'text', '', false, false],
      ['destination.address', 'text', 'A Solana wallet. There is no checksum: half of all typing errors are valid too.', false, false],
    ],
  },
  'payments.refund': {
    about: 'Refund a payment. Sends accepted money back to whoever paid, or to destination: all of it, or amount. The fee is kept. Coins go back only to the wallet that you name.',
    flags: [
      ['amount', 'amount', 'Of NGN: an integer of kobo. Of USDC and USDT: a decimal string.', false, false],
      ['destination.bankCode', 'text', '', false, false],
      ['destination.accountNumber', 'text', '', false, false],
      ['destination.accountName', 'text', '', false, false],
      ['destination.address', 'text', 'A Solana wallet. There is no checksum: half of all typing errors are valid too.', false, false],
    ],
  },
  'checkout.sessions.create': {
    about: 'Create a checkout session. A page for one payment of one amount, at url: send your customer there. Without expiresAt it waits for 30 minutes.',
    flags: [
      ['amount', 'integer', 'Naira in kobo.', true, false],
      ['currency', 'text', 'One of: NGN.', false, false],
      ['description', 'text', '', true, false],
      ['customer.name', 'text', '', true, false],
      ['customer.email', 'text', '', true, false],
      ['merchantReference', 'text', 'Yours.', false, false],
      ['expiresAt', 'text', 'ISO 8601; at most 24 hours ahead.', false, false],
      ['crypto.asset', 'text', 'One of: USDC, USDT.', false, false],
      ['crypto.network', 'text', 'One of: SOLANA.', false, false],
      ['crypto.amount', 'text', 'A decimal amount; at most 6 digits after the point.', false, false],
      ['successUrl', 'text', 'Where the customer goes on when paid; reference is added to it.', false, false],
      ['cancelUrl', 'text', 'Where the customer goes back to; reference is added to it.', false, false],
      ['metadata', 'json', 'Anything of yours; it comes back as it was sent.', false, false],
    ],
  },
  'checkout.sessions.get': {
    about: 'Read a checkout session. As it is now.',
    flags: [],
  },
  'checkout.sessions.list': {
    about: 'List checkout sessions. Newest first; by status, or by your own reference.',
    flags: [
      ['merchantReference', 'text', 'Yours.', false, false],
      ['status', 'text', 'Only those in this state. One of: pending, paid, expired, cancelled.', false, false],
      ['limit', 'integer', 'Items per page.', false, false],
      ['cursor', 'text', 'The nextCursor of the page before.', false, false],
    ],
  },
  'checkout.sessions.cancel': {
    about: 'Cancel a checkout session. The page says so, and money that comes all the same counts as late.',
    flags: [],
  },
  'checkout.retrieve': {
    about: 'Retrieve a public checkout session. Needs no API key: anyone who knows the reference can read it, from any origin.',
    flags: [],
  },
  'checkout.simulate': {
    about: 'Simulate a payment. Pays a test-mode session once, as a customer would: by bank transfer, or in stablecoins if the session accepts them. Stablecoins are credited when the transfer is final. Not available in live mode.',
    flags: [
      ['method', 'text', 'Payment method; a bank transfer unless you say otherwise. One of: bank_transfer, crypto.', false, false],
    ],
  },
  'cryptoTransfers.create': {
    about: 'Create a crypto transfer. Sends a stablecoin from the available balance to a wallet. SUBMITTED becomes CONFIRMED when it is final on the chain, or FAILED when it is certain that nothing left.',
    flags: [
      ['amount', 'text', 'A decimal amount; at most 6 digits after the point.', true, false],
      ['asset', 'text', 'One of: USDC, USDT.', true, false],
      ['network', 'text', 'One of: SOLANA.', true, false],
      ['destinationAddress', 'text', 'A Solana wallet. There is no checksum: half of all typing errors are valid too.', true, false],
      ['merchantReference', 'text', 'Yours; no two may have the same.', false, false],
      ['metadata', 'json', 'Anything of yours; it comes back as it was sent.', false, false],
    ],
  },
  'cryptoTransfers.quote': {
    about: 'Price a crypto transfer. What it would cost now, and whether the destination is fine. Nothing is promised.',
    flags: [
      ['amount', 'text', 'A decimal amount; at most 6 digits after the point.', true, false],
      ['asset', 'text', 'One of: USDC, USDT.', true, false],
      ['network', 'text', 'One of: SOLANA.', true, false],
      ['destinationAddress', 'text', 'A Solana wallet. There is no checksum: half of all typing errors are valid too.', true, false],
    ],
  },
  'cryptoTransfers.get': {
    about: 'Verify a crypto transfer. As it is now, with every attempt to carry it.',
    flags: [],
  },
  'cryptoTransfers.list': {
    about: 'List crypto transfers. Newest first; by status, or by your own reference.',
    flags: [
      ['merchantReference', 'text', 'Yours; no two may have the same.', false, false],
      ['status', 'text', 'Only those in this state. One of: SUBMITTED, CONFIRMED, FAILED.', false, false],
      ['limit', 'integer', 'Items per page.', false, false],
      ['cursor', 'text', 'The nextCursor of the page before.', false, false],
    ],
  },
  'bankTransfers.create': {
    about: 'Create a bank transfer. Pays naira out to a bank account. SUBMITTED becomes COMPLETED when the bank says that it arrived, or FAILED when it is certain that nothing left; a bank may still send it back (REVERSED).',
    flags: [
      ['amount', 'integer', 'Naira in kobo.', true, false],
      ['currency', 'text', 'One of: NGN.', false, false],
      ['bankCode', 'text', 'As in GET /v1/banks.', true, false],
      ['accountNumber', 'text', 'Ten digits.', true, false],
      ['accountName', 'text', 'If sent, the transfer is refused when the account belongs to somebody else.', false, false],
      ['narration', 'text', 'What the recipient reads.', false, false],
      ['merchantReference', 'text', 'Yours; no two may have the same.', false, false],
      ['metadata', 'json', 'Anything of yours; it comes back as it was sent.', false, false],
    ],
  },
  'bankTransfers.quote': {
    about: 'Price a bank transfer. What it would cost now, and whether the account exists. Nothing is promised.',
    flags: [
      ['amount', 'integer', 'Naira in kobo.', true, false],
      ['currency', 'text', 'One of: NGN.', false, false],
      ['bankCode', 'text', 'As in GET /v1/banks.', true, false],
      ['accountNumber', 'text', 'Ten digits.', true, false],
      ['accountName', 'text', 'If sent, the transfer is refused when the account belongs to somebody else.', false, false],
    ],
  },
  'bankTransfers.get': {
    about: 'Verify a bank transfer. As it is now, with every attempt to carry it.',
    flags: [],
  },
  'bankTransfers.list': {
    about: 'List bank transfers. Newest first; by status, or by your own reference.',
    flags: [
      ['merchantReference', 'text', 'Yours; no two may have the same.', false, false],
      ['status', 'text', 'Only those in this state. One of: SUBMITTED, COMPLETED, FAILED, REVERSED.', false, false],
      ['limit', 'integer', 'Items per page.', false, false],
      ['cursor', 'text', 'The nextCursor of the page before.', false, false],
    ],
  },
  'banks.list': {
    about: 'List banks. The codes that a bank transfer can name.',
    flags: [],
  },
  'banks.resolve': {
    about: 'Resolve the name of a bank account. Whose account it is, by bank and number.',
    flags: [
      ['bankCode', 'text', 'As in GET /v1/banks.', true, false],
      ['accountNumber', 'text', 'Ten digits.', true, false],
    ],
  },
  'balances.list': {
    about: 'List balances. Returns one balance per asset: what you can spend, what open payouts have reserved, and what is still undecided.',
    flags: [],
  },
  'balanceEntries.list': {
    about: 'List balance entries. Returns every change of the available balance with the balance after it, newest first. Send Accept: text/csv for CSV with up to 10,000 rows per page; the X-Next-Cursor header holds the cursor of the next page.',
    flags: [
      ['asset', 'text', 'Only entries of this asset. One of: NGN, USDC, USDT.', false, false],
      ['limit', 'integer', 'Items per page.', false, false],
      ['cursor', 'text', 'The nextCursor of the page before.', false, false],
    ],
  },
  'balanceEntries.csv': {
    about: 'List balance entries. Returns every change of the available balance with the balance after it, newest first. Send Accept: text/csv for CSV with up to 10,000 rows per page; the X-Next-Cursor header holds the cursor of the next page.',
    flags: [
      ['asset', 'text', 'Only entries of this asset. One of: NGN, USDC, USDT.', false, false],
      ['limit', 'integer', 'Items per page.', false, false],
      ['cursor', 'text', 'The nextCursor of the page before.', false, false],
    ],
  },
  'settings.get': {
    about: 'Retrieve settings. Returns policies, checkout appearance, low-balance thresholds and payment methods of this environment.',
    flags: [],
  },
  'settings.update': {
    about: 'Update settings. Changes only the fields you send. Lists are replaced as a whole.',
    flags: [
      ['policies.bank.underpayment', 'text', 'One of: return, accept, hold.', false, false],
      ['policies.bank.overpayment', 'text', 'One of: return, accept, hold.', false, false],
      ['policies.bank.latePayment', 'text', 'One of: return, accept, hold.', false, false],
      ['policies.bank.duplicatePayment', 'text', 'One of: return, accept, hold.', false, false],
      ['policies.crypto.underpayment', 'text', 'One of: return, accept, hold.', false, false],
      ['policies.crypto.overpayment', 'text', 'One of: return, accept, hold.', false, false],
      ['policies.crypto.latePayment', 'text', 'One of: return, accept, hold.', false, false],
      ['policies.crypto.duplicatePayment', 'text', 'One of: return, accept, hold.', false, false],
      ['checkout.displayName', 'text', 'The name that payers see; the name of the merchant until you set one.', false, false],
      ['checkout.colour', 'text', 'Colour of the page, such as #0a7d4f.', false, true],
      ['checkout.logo', 'text', 'A PNG, JPEG or WebP picture of at most 32 kB as a data: URL in base64.', false, true],
      ['checkout.frameOrigins', 'list', 'Sites that may show the page in a frame, such as https://shop.example.', false, false],
      ['lowBalance.NGN', 'integer', '', false, true],
      ['lowBalance.USDC', 'text', '', false, true],
      ['lowBalance.USDT', 'text', '', false, true],
      ['paymentMethods.bankTransfer', 'boolean', '', false, false],
      ['paymentMethods.crypto', 'boolean', '', false, false],
    ],
  },
  'profile.get': {
    about: 'Retrieve the public profile. Returns what a page may show about the merchant. Accepts public keys.',
    flags: [],
  },
  'webhookEndpoints.create': {
    about: 'Create a webhook endpoint. An environment can have 10 endpoints. The signing secret is only shown in this response.',
    flags: [
      ['url', 'text', '', true, false],
      ['events', 'list', 'Event types or groups such as payment.*; * means all.', false, false],
      ['description', 'text', '', false, false],
    ],
  },
  'webhookEndpoints.get': {
    about: 'Retrieve a webhook endpoint. The signing secret is not included; it is only shown on creation and rotation.',
    flags: [],
  },
  'webhookEndpoints.list': {
    about: 'List webhook endpoints. Returns webhook endpoints, newest first.',
    flags: [
      ['limit', 'integer', 'Items per page.', false, false],
      ['cursor', 'text', 'The nextCursor of the page before.', false, false],
    ],
  },
  'webhookEndpoints.update': {
    about: 'Update a webhook endpoint. Changes only the fields you send. enabled: true enables a disabled endpoint again.',
    flags: [
      ['url', 'text', '', false, false],
      ['events', 'list', 'Event types or groups such as payment.*; * means all.', false, false],
      ['description', 'text', '', false, false],
      ['enabled', 'boolean', 'Whether events are sent to it.', false, false],
    ],
  },
  'webhookEndpoints.delete': {
    about: 'Delete a webhook endpoint. Stops all deliveries to it. Past deliveries stay on record.',
    flags: [],
  },
  'webhookEndpoints.rotateSecret': {
    about: 'Rotate the signing secret. Events are signed with both secrets for 24 hours. The new one is only shown in this response.',
    flags: [],
  },
  'webhookEndpoints.test': {
    about: 'Send a test event. Sends a real webhook_endpoint.test event to this endpoint only, whatever its event filter.',
    flags: [],
  },
  'webhookEndpoints.recover': {
    about: 'Recover missed events. Sends every event since a time that this endpoint listens to and has not received, up to 10000 per request.',
    flags: [
      ['since', 'text', 'Recover events from this time on.', true, false],
    ],
  },
  'events.get': {
    about: 'Retrieve an event. Returns the event exactly as it is sent to webhook endpoints.',
    flags: [],
  },
  'events.list': {
    about: 'List events. Returns events, newest first. Filter by type or group, by resource and by time.',
    flags: [
      ['type', 'text', 'Only events of this type, or of this group such as payment.*. One of: *, virtual_account.*, dedicated_account.*, checkout.session.*, crypto_wallet.*, dedicated_crypto_wallet.*, payment.*, crypto_transfer.*, bank_transfer.*, balance.*, webhook_endpoint.*, virtual_account.paid, virtual_account.underpaid, virtual_account.overpaid, virtual_account.late_payment, virtual_account.duplicate_payment, virtual_account.expired, virtual_account.cancelled, dedicated_account.created, dedicated_account.credited, dedicated_account.deactivated, checkout.session.paid, checkout.session.expired, checkout.session.cancelled, crypto_wallet.paid, crypto_wallet.underpaid, crypto_wallet.overpaid, crypto_wallet.late_payment, crypto_wallet.duplicate_payment, crypto_wallet.expired, crypto_wallet.cancelled, dedicated_crypto_wallet.created, dedicated_crypto_wallet.credited, payment.held, payment.returning, payment.returned, payment.refunded, payment.refund_failed, crypto_transfer.submitted, crypto_transfer.confirmed, crypto_transfer.failed, bank_transfer.submitted, bank_transfer.completed, bank_transfer.failed, bank_transfer.reversed, balance.low, webhook_endpoint.disabled, webhook_endpoint.test.', false, false],
      ['resource', 'text', 'Only events about the resource with this reference.', false, false],
      ['from', 'text', 'Only events at or after this time.', false, false],
      ['to', 'text', 'Only events before this time.', false, false],
      ['limit', 'integer', 'Items per page.', false, false],
      ['cursor', 'text', 'The nextCursor of the page before.', false, false],
    ],
  },
  'events.deliveries': {
    about: 'List deliveries of an event. Returns one delivery per endpoint with its latest 50 attempts: time, status, duration and response.',
    flags: [
      ['limit', 'integer', 'Items per page.', false, false],
      ['cursor', 'text', 'The nextCursor of the page before.', false, false],
    ],
  },
  'events.redeliver': {
    about: 'Redeliver an event. Sends the event again, to one endpoint or to every endpoint that listens to it.',
    flags: [
      ['endpointId', 'text', 'The webhook endpoint.', false, false],
    ],
  },
  'requestLogs.get': {
    about: 'Retrieve a request log. Finds it by requestId (the newest if several requests share it) or by id. Bodies are cut after 4,096 characters. They never contain secrets; account numbers, names and email addresses are masked.',
    flags: [],
  },
  'requestLogs.list': {
    about: 'List request logs. Returns requests made with a valid API key in the last 30 days, newest first. They appear within a second. A page may hold fewer items than limit, or none, and still have a nextCursor.',
    flags: [
      ['status', 'text', 'Only responses with this status, such as 422, or of this class, such as 4xx.', false, false],
      ['method', 'text', 'Only requests with this method. One of: GET, HEAD, POST, PATCH, DELETE.', false, false],
      ['path', 'text', 'Only paths that start with this.', false, false],
      ['requestId', 'text', 'Only the request with this X-Request-Id.', false, false],
      ['from', 'text', 'Only requests at or after this time.', false, false],
      ['to', 'text', 'Only requests before this time.', false, false],
      ['limit', 'integer', 'Items per page.', false, false],
      ['cursor', 'text', 'The nextCursor of the page before.', false, false],
    ],
  },
  'test.fund': {
    about: 'Fund a test balance. Adds money to the available balance. USDC and USDT are minted on the embedded chain, so they are not available if test mode uses an external chain.',
    flags: [
      ['asset', 'text', 'One of: NGN, USDC, USDT.', true, false],
      ['amount', 'amount', 'Naira in kobo.', true, false],
    ],
  },
  'test.settle': {
    about: 'Set the outcome of a test transfer. Sets what the simulated bank (complete, fail, reverse, stay_unknown, lose) or chain (land, fail, expire) does with a transfer that has not ended. Returns the transfer as it is now; it changes a moment later, when the bank or chain is polled.',
    flags: [
      ['outcome', 'text', 'One of: complete, fail, reverse, stay_unknown, lose, land, expire.', true, false],
    ],
  },
  'test.bankTransfers.create': {
    about: 'Send a test payment. Pays into one of your accounts at the sandbox bank, as a customer would. The bank sends a signed notice; the response follows once the payment has been judged.',
    flags: [
      ['accountNumber', 'text', '', true, false],
      ['amount', 'integer', 'Naira in kobo.', true, false],
      ['sender.name', 'text', 'Name of the sender.', false, false],
      ['sender.accountNumber', 'text', '', false, false],
      ['sender.bankCode', 'text', '', false, false],
      ['sender.masked', 'boolean', 'Whether the bank hides all but the last digits of the account number.', false, false],
      ['narration', 'text', 'Text that the payer wrote.', false, false],
      ['sentAt', 'text', 'When the bank received the money. Defaults to now.', false, false],
      ['copies', 'integer', 'How many times the bank sends the notice.', false, false],
    ],
  },
  'test.cryptoDeposits.create': {
    about: 'Send a test deposit. Sends stablecoins to one of your wallets on the embedded chain, as a customer would. Responds once the transfer is in a block; it is credited when final, a few seconds later.',
    flags: [
      ['address', 'text', 'Address of one of your wallets.', true, false],
      ['asset', 'text', 'One of: USDC, USDT.', true, false],
      ['amount', 'text', 'A decimal amount; at most 6 digits after the point.', true, false],
    ],
  },
  'test.clock.advance': {
    about: 'Advance the test clock. Moves the time of this environment forward, so that everything due by then happens now. Send an Idempotency-Key; without one, a retry advances the clock again.',
    flags: [
      ['seconds', 'integer', 'Seconds to advance. The clock cannot be moved back.', true, false],
    ],
  },
}
