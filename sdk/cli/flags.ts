// Written by `npm run generate` from openapi.json. Changes by hand are lost.
import type { Flag } from './read-flags.js'

/** Every operation of the table, by its full name: what it does, and what it can be told. */
export const described: Record<string, { about: string; flags: Flag[] }> = {
  'virtualAccounts.create': {
    about: 'Create a virtual account. An account number for one payment of one amount. Show it to your customer; a webhook notifies you when the payment arrives. Expires after 30 minutes unless you send expiresAt.',
    flags: [
      ['merchantReference', 'text', 'Your own reference, such as an order number.', true, false],
      ['amount', 'integer', 'Naira in kobo.', true, false],
      ['currency', 'text', 'One of: NGN.', false, false],
      ['expiresAt', 'text', 'ISO 8601; at most 24 hours ahead.', false, false],
      ['metadata', 'json', 'Anything of yours; it comes back as it was sent.', false, false],
    ],
  },
  'virtualAccounts.get': {
    about: 'Verify a virtual account. Its current state.',
    flags: [],
  },
  'virtualAccounts.list': {
    about: 'List virtual accounts. Newest first.',
    flags: [
      ['merchantReference', 'text', 'Your own reference, such as an order number.', false, false],
      ['status', 'text', 'Only those in this state. One of: ACTIVE, PAID, EXPIRED, CANCELLED.', false, false],
      ['limit', 'integer', 'Items per page.', false, false],
      ['cursor', 'text', 'The nextCursor of the page before.', false, false],
    ],
  },
  'virtualAccounts.cancel': {
    about: 'Cancel a virtual account. Stops expecting the payment. A payment that still arrives counts as late.',
    flags: [],
  },
  'virtualAccounts.requery': {
    about: 'Fetch missed payments from the bank. Use it when a customer has paid and you received no webhook.',
    flags: [],
  },
  'dedicatedAccounts.create': {
    about: 'Create a dedicated account. A permanent account number for a customer, an invoice or a subscription. Accepts any amount, any number of times.',
    flags: [
      ['externalReference', 'text', 'Your own reference, such as an order number.', true, false],
      ['metadata', 'json', 'Anything of yours; it comes back as it was sent.', false, false],
    ],
  },
  'dedicatedAccounts.get': {
    about: 'Verify a dedicated account. Its current state.',
    flags: [],
  },
  'dedicatedAccounts.list': {
    about: 'List dedicated accounts. Newest first. Only ACTIVE ones unless you filter by another status.',
    flags: [
      ['externalReference', 'text', 'Your own reference, such as an order number.', false, false],
      ['status', 'text', 'Only those in this state. One of: ACTIVE, INACTIVE.', false, false],
      ['limit', 'integer', 'Items per page.', false, false],
      ['cursor', 'text', 'The nextCursor of the page before.', false, false],
    ],
  },
  'dedicatedAccounts.deactivate': {
    about: 'Deactivate a dedicated account. Permanent. Payments that still arrive are held until you resolve them.',
    flags: [],
  },
  'cryptoWallets.create': {
    about: 'Create a crypto wallet. An address for one payment of one amount of one coin. A webhook notifies you when the payment is final on the chain. Expires after 30 minutes unless you send expiresAt.',
    flags: [
      ['merchantReference', 'text', 'Your own reference, such as an order number.', true, false],
      ['asset', 'text', 'One of: USDC, USDT.', true, false],
      ['network', 'text', 'One of: SOLANA.', true, false],
      ['amount', 'text', 'A decimal amount; at most 6 digits after the point.', true, false],
      ['expiresAt', 'text', 'ISO 8601; at most 24 hours ahead.', false, false],
      ['metadata', 'json', 'Anything of yours; it comes back as it was sent.', false, false],
    ],
  },
  'cryptoWallets.get': {
    about: 'Verify a crypto wallet. Its current state.',
    flags: [],
  },
  'cryptoWallets.list': {
    about: 'List crypto wallets. Newest first.',
    flags: [
      ['merchantReference', 'text', 'Your own reference, such as an order number.', false, false],
      ['status', 'text', 'Only those in this state. One of: ACTIVE, PAID, EXPIRED, CANCELLED.', false, false],
      ['limit', 'integer', 'Items per page.', false, false],
      ['cursor', 'text', 'The nextCursor of the page before.', false, false],
    ],
  },
  'cryptoWallets.cancel': {
    about: 'Cancel a crypto wallet. Stops expecting the payment. A payment that still arrives counts as late.',
    flags: [],
  },
  'cryptoWallets.requery': {
    about: 'Poll the chain now. Polls the wallet at once, including for other tokens. Wallets are polled anyway, but rarely after a long time without payments. Returns the current state; webhooks notify you of what is found.',
    flags: [],
  },
  'dedicatedCryptoWallets.create': {
    about: 'Create a dedicated crypto wallet. A permanent address for a customer. Accepts any amount of USDC or USDT, any number of times.',
    flags: [
      ['externalReference', 'text', 'Your own reference, such as an order number.', true, false],
      ['network', 'text', 'One of: SOLANA.', true, false],
      ['metadata', 'json', 'Anything of yours; it comes back as it was sent.', false, false],
    ],
  },
  'dedicatedCryptoWallets.get': {
    about: 'Verify a dedicated crypto wallet. Its current state.',
    flags: [],
  },
  'dedicatedCryptoWallets.list': {
    about: 'List dedicated crypto wallets. Newest first.',
    flags: [
      ['externalReference', 'text', 'Your own reference, such as an order number.', false, false],
      ['status', 'text', 'Only those in this state. One of: ACTIVE.', false, false],
      ['limit', 'integer', 'Items per page.', false, false],
      ['cursor', 'text', 'The nextCursor of the page before.', false, false],
    ],
  },
  'dedicatedCryptoWallets.requery': {
    about: 'Poll the chain now. Polls the wallet at once, including for other tokens. Wallets are polled anyway, but rarely after a long time without payments. Returns the current state; webhooks notify you of what is found.',
    flags: [],
  },
  'payments.get': {
    about: 'Read a payment. As it is now: how much of it is accepted, held, on its way back, returned.',
    flags: [],
  },
  'payments.list': {
    about: 'List payments. Newest first; by status, by source, or of one account.',
    flags: [
      ['source', 'text', 'Only those that came this way. One of: virtual_account, dedicated_account, crypto_wallet, dedicated_crypto_wallet.', false, false],
      ['accountReference', 'text', 'What was paid into.', false, false],
      ['status', 'text', 'Only those in this state. One of: HELD, RETURNING, ACCEPTED, RETURNED.', false, false],
      ['limit', 'integer', 'Items per page.', false, false],
      ['cursor', 'text', 'The nextCursor of the page before.', false, false],
    ],
  },
  'payments.returns': {
    about: 'List what went back of a payment. Every return and refund of it, newest first, and how far it has come.',
    flags: [
      ['limit', 'integer', 'Items per page.', false, false],
      ['cursor', 'text', 'The nextCursor of the page before.', false, false],
    ],
  },
  'payments.resolve': {
    about: 'Resolve a held payment. Accepts the held amount of a payment, or returns it to the sender or to destination. Coins are returned only to a wallet that you name.',
    flags: [
      ['action', 'text', 'One of: accept, return.', true, false],
      ['destination.bankCode', 'text', '', false, false],
      ['destination.accountNumber', 'text', '', false, false],
      ['destination.accountName', 'text', '', false, false],
      ['destination.address', 'text', 'A Solana wallet. There is no checksum: half of all typing errors are valid too.', false, false],
    ],
  },
  'payments.refund': {
    about: 'Refund a payment. Returns accepted money to the sender or to destination: all of it, or amount. The fee is kept. Coins are returned only to a wallet that you name.',
    flags: [
      ['amount', 'amount', 'Of NGN: an integer of kobo. Of USDC and USDT: a decimal string.', false, false],
      ['destination.bankCode', 'text', '', false, false],
      ['destination.accountNumber', 'text', '', false, false],
      ['destination.accountName', 'text', '', false, false],
      ['destination.address', 'text', 'A Solana wallet. There is no checksum: half of all typing errors are valid too.', false, false],
    ],
  },
  'checkout.sessions.create': {
    about: 'Create a checkout session. A hosted page for one payment of one amount. Send your customer to its url. Expires after 30 minutes unless you send expiresAt.',
    flags: [
      ['amount', 'integer', 'Naira in kobo.', true, false],
      ['currency', 'text', 'One of: NGN.', false, false],
      ['description', 'text', '', true, false],
      ['customer.name', 'text', '', true, false],
      ['customer.email', 'text', '', true, false],
      ['merchantReference', 'text', 'Your own reference, such as an order number.', false, false],
      ['expiresAt', 'text', 'ISO 8601; at most 24 hours ahead.', false, false],
      ['crypto.asset', 'text', 'One of: USDC, USDT.', false, false],
      ['crypto.network', 'text', 'One of: SOLANA.', false, false],
      ['crypto.amount', 'text', 'A decimal amount; at most 6 digits after the point.', false, false],
      ['successUrl', 'text', 'Where the customer continues after paying. reference is added to the query.', false, false],
      ['cancelUrl', 'text', 'Where the customer goes back to. reference is added to the query.', false, false],
      ['metadata', 'json', 'Anything of yours; it comes back as it was sent.', false, false],
    ],
  },
  'checkout.sessions.get': {
    about: 'Read a checkout session. Its current state.',
    flags: [],
  },
  'checkout.sessions.list': {
    about: 'List checkout sessions. Newest first. Filter by status or by your own reference.',
    flags: [
      ['merchantReference', 'text', 'Your own reference, such as an order number.', false, false],
      ['status', 'text', 'Only those in this state. One of: pending, paid, expired, cancelled.', false, false],
      ['limit', 'integer', 'Items per page.', false, false],
      ['cursor', 'text', 'The nextCursor of the page before.', false, false],
    ],
  },
  'checkout.sessions.cancel': {
    about: 'Cancel a checkout session. The page shows that it was cancelled. A payment that still arrives counts as late.',
    flags: [],
  },
  'checkout.retrieve': {
    about: 'Read a checkout session as a payer. Needs no key: who knows the reference may read it, from any page.',
    flags: [],
  },
  'checkout.simulate': {
    about: 'Pay a checkout session of test mode. As a customer would, once: by bank transfer, or in coins if the session takes them, which count when they are final. In live mode there is no such operation.',
    flags: [
      ['method', 'text', 'One of: bank_transfer, crypto.', false, false],
    ],
  },
  'cryptoTransfers.create': {
    about: 'Create a crypto transfer. Sends a stablecoin from the available balance to a wallet. SUBMITTED becomes CONFIRMED when it is final on the chain, or FAILED when it is certain that no money left.',
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
    about: 'Price a crypto transfer. What the transfer costs now, and whether the destination can receive it. Reserves nothing.',
    flags: [
      ['amount', 'text', 'A decimal amount; at most 6 digits after the point.', true, false],
      ['asset', 'text', 'One of: USDC, USDT.', true, false],
      ['network', 'text', 'One of: SOLANA.', true, false],
      ['destinationAddress', 'text', 'A Solana wallet. There is no checksum: half of all typing errors are valid too.', true, false],
    ],
  },
  'cryptoTransfers.get': {
    about: 'Verify a crypto transfer. Its current state, with every attempt.',
    flags: [],
  },
  'cryptoTransfers.list': {
    about: 'List crypto transfers. Newest first. Filter by status or by your own reference.',
    flags: [
      ['merchantReference', 'text', 'Yours; no two may have the same.', false, false],
      ['status', 'text', 'Only those in this state. One of: SUBMITTED, CONFIRMED, FAILED.', false, false],
      ['limit', 'integer', 'Items per page.', false, false],
      ['cursor', 'text', 'The nextCursor of the page before.', false, false],
    ],
  },
  'bankTransfers.create': {
    about: 'Create a bank transfer. Pays naira out to a bank account. SUBMITTED becomes COMPLETED when the bank confirms it, or FAILED when it is certain that no money left. A bank may still return a completed transfer (REVERSED).',
    flags: [
      ['amount', 'integer', 'Naira in kobo.', true, false],
      ['currency', 'text', 'One of: NGN.', false, false],
      ['bankCode', 'text', 'A bank code from GET /v1/banks.', true, false],
      ['accountNumber', 'text', 'Ten digits.', true, false],
      ['accountName', 'text', 'If sent, the transfer is refused unless the account has this name.', false, false],
      ['narration', 'text', 'Shown to the recipient.', false, false],
      ['merchantReference', 'text', 'Yours; no two may have the same.', false, false],
      ['metadata', 'json', 'Anything of yours; it comes back as it was sent.', false, false],
    ],
  },
  'bankTransfers.quote': {
    about: 'Price a bank transfer. What the transfer costs now, and whether the account exists. Reserves nothing.',
    flags: [
      ['amount', 'integer', 'Naira in kobo.', true, false],
      ['currency', 'text', 'One of: NGN.', false, false],
      ['bankCode', 'text', 'A bank code from GET /v1/banks.', true, false],
      ['accountNumber', 'text', 'Ten digits.', true, false],
      ['accountName', 'text', 'If sent, the transfer is refused unless the account has this name.', false, false],
    ],
  },
  'bankTransfers.get': {
    about: 'Verify a bank transfer. Its current state, with every attempt.',
    flags: [],
  },
  'bankTransfers.list': {
    about: 'List bank transfers. Newest first. Filter by status or by your own reference.',
    flags: [
      ['merchantReference', 'text', 'Yours; no two may have the same.', false, false],
      ['status', 'text', 'Only those in this state. One of: SUBMITTED, COMPLETED, FAILED, REVERSED.', false, false],
      ['limit', 'integer', 'Items per page.', false, false],
      ['cursor', 'text', 'The nextCursor of the page before.', false, false],
    ],
  },
  'banks.list': {
    about: 'List banks. The banks that a bank transfer can pay, with their codes.',
    flags: [],
  },
  'banks.resolve': {
    about: 'Resolve the name of a bank account. Returns the name of the account holder.',
    flags: [
      ['bankCode', 'text', 'A bank code from GET /v1/banks.', true, false],
      ['accountNumber', 'text', 'Ten digits.', true, false],
    ],
  },
  'balances.list': {
    about: 'List balances. What you may spend, what open payouts hold, and what is not decided yet.',
    flags: [],
  },
  'balanceEntries.list': {
    about: 'List the statement. Every change of the available balance, newest first, with the balance after it. With Accept: text/csv the answer is CSV, up to 10,000 lines; the header X-Next-Cursor leads on.',
    flags: [
      ['asset', 'text', 'Only its. One of: NGN, USDC, USDT.', false, false],
      ['limit', 'integer', 'Items per page.', false, false],
      ['cursor', 'text', 'The nextCursor of the page before.', false, false],
    ],
  },
  'balanceEntries.csv': {
    about: 'List the statement. Every change of the available balance, newest first, with the balance after it. With Accept: text/csv the answer is CSV, up to 10,000 lines; the header X-Next-Cursor leads on.',
    flags: [
      ['asset', 'text', 'Only its. One of: NGN, USDC, USDT.', false, false],
      ['limit', 'integer', 'Items per page.', false, false],
      ['cursor', 'text', 'The nextCursor of the page before.', false, false],
    ],
  },
  'settings.get': {
    about: 'Read the settings. Policies, checkout, low-balance thresholds and payment methods of this environment.',
    flags: [],
  },
  'settings.update': {
    about: 'Change the settings. Only what is sent changes. Lists are replaced whole.',
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
    about: 'Read the public profile. What a page may show of the merchant. Public keys may read this.',
    flags: [],
  },
  'webhookEndpoints.create': {
    about: 'Create a webhook endpoint. At most 10 per environment. The secret is shown once.',
    flags: [
      ['url', 'text', '', true, false],
      ['events', 'list', 'Types or groups such as payment.*; * for everything.', false, false],
      ['description', 'text', '', false, false],
    ],
  },
  'webhookEndpoints.get': {
    about: 'Read a webhook endpoint. Without its secret, which is shown only when it is made.',
    flags: [],
  },
  'webhookEndpoints.list': {
    about: 'List webhook endpoints. Newest first.',
    flags: [
      ['limit', 'integer', 'Items per page.', false, false],
      ['cursor', 'text', 'The nextCursor of the page before.', false, false],
    ],
  },
  'webhookEndpoints.update': {
    about: 'Change a webhook endpoint. Only what is sent changes. enabled: true brings a disabled one back.',
    flags: [
      ['url', 'text', '', false, false],
      ['events', 'list', 'Types or groups such as payment.*; * for everything.', false, false],
      ['description', 'text', '', false, false],
      ['enabled', 'boolean', '', false, false],
    ],
  },
  'webhookEndpoints.delete': {
    about: 'Delete a webhook endpoint. Nothing more is sent to it. Its deliveries stay on record.',
    flags: [],
  },
  'webhookEndpoints.rotateSecret': {
    about: 'Rotate the secret. Both secrets sign for 24 hours. The new one is shown once.',
    flags: [],
  },
  'webhookEndpoints.test': {
    about: 'Send a test event. A real webhook_endpoint.test event that only this endpoint hears, whatever its filter.',
    flags: [],
  },
  'webhookEndpoints.recover': {
    about: 'Send again what was missed. Everything since a time that this endpoint listens to and has not taken, at most 10000 events at once.',
    flags: [
      ['since', 'text', 'ISO 8601, UTC, with milliseconds.', true, false],
    ],
  },
  'events.get': {
    about: 'Read an event. Exactly what was sent to webhook endpoints.',
    flags: [],
  },
  'events.list': {
    about: 'List events. Newest first; by type or group, by resource, by time.',
    flags: [
      ['type', 'text', 'Only those of this type or group. One of: *, virtual_account.*, dedicated_account.*, checkout.session.*, crypto_wallet.*, dedicated_crypto_wallet.*, payment.*, crypto_transfer.*, bank_transfer.*, balance.*, webhook_endpoint.*, virtual_account.paid, virtual_account.underpaid, virtual_account.overpaid, virtual_account.late_payment, virtual_account.duplicate_payment, virtual_account.expired, virtual_account.cancelled, dedicated_account.created, dedicated_account.credited, dedicated_account.deactivated, checkout.session.paid, checkout.session.expired, checkout.session.cancelled, crypto_wallet.paid, crypto_wallet.underpaid, crypto_wallet.overpaid, crypto_wallet.late_payment, crypto_wallet.duplicate_payment, crypto_wallet.expired, crypto_wallet.cancelled, dedicated_crypto_wallet.created, dedicated_crypto_wallet.credited, payment.held, payment.returning, payment.returned, payment.refunded, payment.refund_failed, crypto_transfer.submitted, crypto_transfer.confirmed, crypto_transfer.failed, bank_transfer.submitted, bank_transfer.completed, bank_transfer.failed, bank_transfer.reversed, balance.low, webhook_endpoint.disabled, webhook_endpoint.test.', false, false],
      ['resource', 'text', 'What they are about.', false, false],
      ['from', 'text', 'ISO 8601, UTC, with milliseconds.', false, false],
      ['to', 'text', 'ISO 8601, UTC, with milliseconds.', false, false],
      ['limit', 'integer', 'Items per page.', false, false],
      ['cursor', 'text', 'The nextCursor of the page before.', false, false],
    ],
  },
  'events.deliveries': {
    about: 'List the deliveries of an event. Where it went, and the latest 50 attempts at each place, with time, status, duration and answer.',
    flags: [
      ['limit', 'integer', 'Items per page.', false, false],
      ['cursor', 'text', 'The nextCursor of the page before.', false, false],
    ],
  },
  'events.redeliver': {
    about: 'Send an event again. To one endpoint, or to all that listen to it.',
    flags: [
      ['endpointId', 'text', '', false, false],
    ],
  },
  'requestLogs.get': {
    about: 'Read what was asked and answered. By requestId (the newest, if you used one more than once) or by id. Bodies are cut after 4,096 characters; secrets are never in them, and account numbers, names and e-mail addresses are masked.',
    flags: [],
  },
  'requestLogs.list': {
    about: 'List what your servers asked. Requests with a valid key of the last 30 days, newest first. They appear within a second. A page may hold fewer than asked for, or none, while nextCursor leads on.',
    flags: [
      ['status', 'text', 'One, such as 422, or a class, such as 4xx.', false, false],
      ['method', 'text', 'Only those with this method. One of: GET, HEAD, POST, PATCH, DELETE.', false, false],
      ['path', 'text', 'What the path begins with.', false, false],
      ['requestId', 'text', 'As in X-Request-Id.', false, false],
      ['from', 'text', 'ISO 8601, UTC, with milliseconds.', false, false],
      ['to', 'text', 'ISO 8601, UTC, with milliseconds.', false, false],
      ['limit', 'integer', 'Items per page.', false, false],
      ['cursor', 'text', 'The nextCursor of the page before.', false, false],
    ],
  },
  'test.fund': {
    about: 'Fund a test balance. Adds money to the available balance, in test mode only. USDC and USDT are minted on the embedded chain; with an external test chain they are refused, and NGN is not.',
    flags: [
      ['asset', 'text', 'One of: NGN, USDC, USDT.', true, false],
      ['amount', 'amount', 'Naira in kobo.', true, false],
    ],
  },
  'test.settle': {
    about: 'Decide how a test transfer ends. Tells the simulated bank (complete, fail, reverse, stay_unknown, lose) or chain (land, fail, expire) what to do with a transfer that has not ended. The answer is the transfer as it is now: it changes when the bank or chain is asked about it, a moment later.',
    flags: [
      ['outcome', 'text', 'One of: complete, fail, reverse, stay_unknown, lose, land, expire.', true, false],
    ],
  },
  'test.bankTransfers.create': {
    about: 'Pay into an account as a customer would. The sandbox bank takes the money, and announces it by a signed notice. Answers when the payment has been judged.',
    flags: [
      ['accountNumber', 'text', '', true, false],
      ['amount', 'integer', 'Naira in kobo.', true, false],
      ['sender.name', 'text', '', false, false],
      ['sender.accountNumber', 'text', '', false, false],
      ['sender.bankCode', 'text', '', false, false],
      ['sender.masked', 'boolean', 'The bank shows only the last digits of the sender.', false, false],
      ['narration', 'text', '', false, false],
      ['sentAt', 'text', 'When the bank had the money; now unless it is said.', false, false],
      ['copies', 'integer', 'How often the bank tells of it.', false, false],
    ],
  },
  'test.cryptoDeposits.create': {
    about: 'Send coins to a wallet as a customer would. Makes a real transfer on the embedded chain. Answers when it is in a block; it is credited when it is final, some seconds later.',
    flags: [
      ['address', 'text', 'Of a wallet of yours.', true, false],
      ['asset', 'text', 'One of: USDC, USDT.', true, false],
      ['amount', 'text', 'A decimal amount; at most 6 digits after the point.', true, false],
    ],
  },
  'test.clock.advance': {
    about: 'Move the clock of test mode ahead. Time passes for this environment: what falls due by then is due now. Send an Idempotency-Key, or a retry moves the clock again.',
    flags: [
      ['seconds', 'integer', 'How far; there is no way back.', true, false],
    ],
  },
}
