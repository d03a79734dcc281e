// Written by `npm run generate` from openapi.json. Changes by hand are lost.
import type { RequestOptions, WriteOptions } from './options.js'
import type { Pages } from './pages.js'
import type {
  AdvanceTestClockInput,
  Balance,
  BalanceEntry,
  Bank,
  BankAccount,
  BankTransfer,
  BankTransferQuote,
  ChangeSettingsInput,
  ChangeWebhookEndpointInput,
  CheckoutSession,
  CreateBankTransferInput,
  CreateCheckoutSessionInput,
  CreateCryptoTransferInput,
  CreateCryptoWalletInput,
  CreateDedicatedAccountInput,
  CreateDedicatedCryptoWalletInput,
  CreateVirtualAccountInput,
  CreateWebhookEndpointInput,
  CryptoTransfer,
  CryptoTransferQuote,
  CryptoWallet,
  DedicatedAccount,
  DedicatedCryptoWallet,
  DepositTestCoinsInput,
  EventDelivery,
  FundTestBalanceInput,
  ListBalanceEntriesQuery,
  ListBankTransfersQuery,
  ListCheckoutSessionsQuery,
  ListCryptoTransfersQuery,
  ListCryptoWalletsQuery,
  ListDedicatedAccountsQuery,
  ListDedicatedCryptoWalletsQuery,
  ListEventDeliveriesQuery,
  ListEventsQuery,
  ListPaymentReturnsQuery,
  ListPaymentsQuery,
  ListRequestLogsQuery,
  ListVirtualAccountsQuery,
  ListWebhookEndpointsQuery,
  PayTestAccountInput,
  Payment,
  PaymentReturn,
  Profile,
  PublicCheckoutSession,
  QuoteBankTransferInput,
  QuoteCryptoTransferInput,
  RecoverWebhookEndpointInput,
  RedeliverEventInput,
  RefundPaymentInput,
  ResolveBankAccountQuery,
  ResolvePaymentInput,
  Settings,
  SettleTestDisbursementInput,
  SimulatePublicCheckoutInput,
  TestClock,
  TestDeposit,
  TestFunding,
  VirtualAccount,
  WebhookEndpoint,
  WebhookEndpointWithSecret,
  WebhookEvent,
} from './types.js'

/** Every operation of the API, under the name that you call it by. */
export type Resources = {
  readonly virtualAccounts: {
    /**
     * Create a virtual account.
     *
     * An account number for one payment of one amount. Show it to your customer; a webhook notifies
     * you when the payment arrives. Expires after 30 minutes unless you send `expiresAt`.
     *
     * `POST /v1/collections/virtual-accounts`
     */
    create(input: CreateVirtualAccountInput, options?: WriteOptions): Promise<VirtualAccount>
    /**
     * Verify a virtual account.
     *
     * Its current state.
     *
     * `GET /v1/collections/virtual-accounts/{reference}`
     */
    get(reference: string, options?: RequestOptions): Promise<VirtualAccount>
    /**
     * List virtual accounts.
     *
     * Newest first.
     *
     * `GET /v1/collections/virtual-accounts`
     */
    list(query?: ListVirtualAccountsQuery, options?: RequestOptions): Pages<VirtualAccount>
    /**
     * Cancel a virtual account.
     *
     * Stops expecting the payment. A payment that still arrives counts as late.
     *
     * `POST /v1/collections/virtual-accounts/{reference}/cancel`
     */
    cancel(reference: string, options?: WriteOptions): Promise<VirtualAccount>
    /**
     * Fetch missed payments from the bank.
     *
     * Use it when a customer has paid and you received no webhook.
     *
     * `POST /v1/collections/virtual-accounts/{reference}/requery`
     */
    requery(reference: string, options?: WriteOptions): Promise<VirtualAccount>
  }
  readonly dedicatedAccounts: {
    /**
     * Create a dedicated account.
     *
     * A permanent account number for a customer, an invoice or a subscription. Accepts any amount,
     * any number of times.
     *
     * `POST /v1/collections/dedicated-accounts`
     */
    create(input: CreateDedicatedAccountInput, options?: WriteOptions): Promise<DedicatedAccount>
    /**
     * Verify a dedicated account.
     *
     * Its current state.
     *
     * `GET /v1/collections/dedicated-accounts/{accountReference}`
     */
    get(accountReference: string, options?: RequestOptions): Promise<DedicatedAccount>
    /**
     * List dedicated accounts.
     *
     * Newest first. Only ACTIVE ones unless you filter by another status.
     *
     * `GET /v1/collections/dedicated-accounts`
     */
    list(query?: ListDedicatedAccountsQuery, options?: RequestOptions): Pages<DedicatedAccount>
    /**
     * Deactivate a dedicated account.
     *
     * Permanent. Payments that still arrive are held until you resolve them.
     *
     * `POST /v1/collections/dedicated-accounts/{accountReference}/deactivate`
     */
    deactivate(accountReference: string, options?: WriteOptions): Promise<DedicatedAccount>
  }
  readonly cryptoWallets: {
    /**
     * Create a crypto wallet.
     *
     * An address for one payment of one amount of one coin. A webhook notifies you when the payment
     * is final on the chain. Expires after 30 minutes unless you send `expiresAt`.
     *
     * `POST /v1/collections/crypto-wallets`
     */
    create(input: CreateCryptoWalletInput, options?: WriteOptions): Promise<CryptoWallet>
    /**
     * Verify a crypto wallet.
     *
     * Its current state.
     *
     * `GET /v1/collections/crypto-wallets/{reference}`
     */
    get(reference: string, options?: RequestOptions): Promise<CryptoWallet>
    /**
     * List crypto wallets.
     *
     * Newest first.
     *
     * `GET /v1/collections/crypto-wallets`
     */
    list(query?: ListCryptoWalletsQuery, options?: RequestOptions): Pages<CryptoWallet>
    /**
     * Cancel a crypto wallet.
     *
     * Stops expecting the payment. A payment that still arrives counts as late.
     *
     * `POST /v1/collections/crypto-wallets/{reference}/cancel`
     */
    cancel(reference: string, options?: WriteOptions): Promise<CryptoWallet>
    /**
     * Poll the chain now.
     *
     * Polls the wallet at once, including for other tokens. Wallets are polled anyway, but rarely
     * after a long time without payments. Returns the current state; webhooks notify you of what is
     * found.
     *
     * `POST /v1/collections/crypto-wallets/{reference}/requery`
     */
    requery(reference: string, options?: WriteOptions): Promise<CryptoWallet>
  }
  readonly dedicatedCryptoWallets: {
    /**
     * Create a dedicated crypto wallet.
     *
     * A permanent address for a customer. Accepts any amount of USDC or USDT, any number of times.
     *
     * `POST /v1/collections/dedicated-crypto-wallets`
     */
    create(input: CreateDedicatedCryptoWalletInput, options?: WriteOptions): Promise<DedicatedCryptoWallet>
    /**
     * Verify a dedicated crypto wallet.
     *
     * Its current state.
     *
     * `GET /v1/collections/dedicated-crypto-wallets/{reference}`
     */
    get(reference: string, options?: RequestOptions): Promise<DedicatedCryptoWallet>
    /**
     * List dedicated crypto wallets.
     *
     * Newest first.
     *
     * `GET /v1/collections/dedicated-crypto-wallets`
     */
    list(query?: ListDedicatedCryptoWalletsQuery, options?: RequestOptions): Pages<DedicatedCryptoWallet>
    /**
     * Poll the chain now.
     *
     * Polls the wallet at once, including for other tokens. Wallets are polled anyway, but rarely
     * after a long time without payments. Returns the current state; webhooks notify you of what is
     * found.
     *
     * `POST /v1/collections/dedicated-crypto-wallets/{reference}/requery`
     */
    requery(reference: string, options?: WriteOptions): Promise<DedicatedCryptoWallet>
  }
  readonly payments: {
    /**
     * Read a payment.
     *
     * As it is now: how much of it is accepted, held, on its way back, returned.
     *
     * `GET /v1/collections/payments/{reference}`
     */
    get(reference: string, options?: RequestOptions): Promise<Payment>
    /**
     * List payments.
     *
     * Newest first; by status, by source, or of one account.
     *
     * `GET /v1/collections/payments`
     */
    list(query?: ListPaymentsQuery, options?: RequestOptions): Pages<Payment>
    /**
     * List what went back of a payment.
     *
     * Every return and refund of it, newest first, and how far it has come.
     *
     * `GET /v1/collections/payments/{reference}/returns`
     */
    returns(reference: string, query?: ListPaymentReturnsQuery, options?: RequestOptions): Pages<PaymentReturn>
    /**
     * Resolve a held payment.
     *
     * Accepts the held amount of a payment, or returns it to the sender or to `destination`. Coins
     * are returned only to a wallet that you name.
     *
     * `POST /v1/collections/payments/{reference}/resolve`
     */
    resolve(reference: string, input: ResolvePaymentInput, options?: WriteOptions): Promise<Payment>
    /**
     * Refund a payment.
     *
     * Returns accepted money to the sender or to `destination`: all of it, or `amount`. The fee is
     * kept. Coins are returned only to a wallet that you name.
     *
     * `POST /v1/collections/payments/{reference}/refund`
     */
    refund(reference: string, input?: RefundPaymentInput, options?: WriteOptions): Promise<Payment>
  }
  readonly checkout: {
    readonly sessions: {
      /**
       * Create a checkout session.
       *
       * A hosted page for one payment of one amount. Send your customer to its `url`. Expires after
       * 30 minutes unless you send `expiresAt`.
       *
       * `POST /v1/checkout/sessions`
       */
      create(input: CreateCheckoutSessionInput, options?: WriteOptions): Promise<CheckoutSession>
      /**
       * Read a checkout session.
       *
       * Its current state.
       *
       * `GET /v1/checkout/sessions/{reference}`
       */
      get(reference: string, options?: RequestOptions): Promise<CheckoutSession>
      /**
       * List checkout sessions.
       *
       * Newest first. Filter by status or by your own reference.
       *
       * `GET /v1/checkout/sessions`
       */
      list(query?: ListCheckoutSessionsQuery, options?: RequestOptions): Pages<CheckoutSession>
      /**
       * Cancel a checkout session.
       *
       * The page shows that it was cancelled. A payment that still arrives counts as late.
       *
       * `POST /v1/checkout/sessions/{reference}/cancel`
       */
      cancel(reference: string, options?: WriteOptions): Promise<CheckoutSession>
    }
    /**
     * Read a checkout session as a payer.
     *
     * Needs no key: who knows the reference may read it, from any page.
     *
     * `GET /public/checkout/{reference}`
     */
    retrieve(reference: string, options?: RequestOptions): Promise<PublicCheckoutSession>
    /**
     * Pay a checkout session of test mode.
     *
     * As a customer would, once: by bank transfer, or in coins if the session takes them, which
     * count when they are final. In live mode there is no such operation.
     *
     * `POST /public/checkout/{reference}/simulate`
     */
    simulate(reference: string, input?: SimulatePublicCheckoutInput, options?: RequestOptions): Promise<PublicCheckoutSession>
  }
  readonly cryptoTransfers: {
    /**
     * Create a crypto transfer.
     *
     * Sends a stablecoin from the available balance to a wallet. `SUBMITTED` becomes `CONFIRMED`
     * when it is final on the chain, or `FAILED` when it is certain that no money left.
     *
     * `POST /v1/disbursements/crypto`
     */
    create(input: CreateCryptoTransferInput, options?: WriteOptions): Promise<CryptoTransfer>
    /**
     * Price a crypto transfer.
     *
     * What the transfer costs now, and whether the destination can receive it. Reserves nothing.
     *
     * `POST /v1/disbursements/crypto/quote`
     */
    quote(input: QuoteCryptoTransferInput, options?: WriteOptions): Promise<CryptoTransferQuote>
    /**
     * Verify a crypto transfer.
     *
     * Its current state, with every attempt.
     *
     * `GET /v1/disbursements/crypto/{reference}`
     */
    get(reference: string, options?: RequestOptions): Promise<CryptoTransfer>
    /**
     * List crypto transfers.
     *
     * Newest first. Filter by status or by your own reference.
     *
     * `GET /v1/disbursements/crypto`
     */
    list(query?: ListCryptoTransfersQuery, options?: RequestOptions): Pages<CryptoTransfer>
  }
  readonly bankTransfers: {
    /**
     * Create a bank transfer.
     *
     * Pays naira out to a bank account. `SUBMITTED` becomes `COMPLETED` when the bank confirms it,
     * or `FAILED` when it is certain that no money left. A bank may still return a completed
     * transfer (`REVERSED`).
     *
     * `POST /v1/disbursements/bank-transfer`
     */
    create(input: CreateBankTransferInput, options?: WriteOptions): Promise<BankTransfer>
    /**
     * Price a bank transfer.
     *
     * What the transfer costs now, and whether the account exists. Reserves nothing.
     *
     * `POST /v1/disbursements/bank-transfer/quote`
     */
    quote(input: QuoteBankTransferInput, options?: WriteOptions): Promise<BankTransferQuote>
    /**
     * Verify a bank transfer.
     *
     * Its current state, with every attempt.
     *
     * `GET /v1/disbursements/bank-transfer/{reference}`
     */
    get(reference: string, options?: RequestOptions): Promise<BankTransfer>
    /**
     * List bank transfers.
     *
     * Newest first. Filter by status or by your own reference.
     *
     * `GET /v1/disbursements/bank-transfer`
     */
    list(query?: ListBankTransfersQuery, options?: RequestOptions): Pages<BankTransfer>
  }
  readonly banks: {
    /**
     * List banks.
     *
     * The banks that a bank transfer can pay, with their codes.
     *
     * `GET /v1/banks`
     */
    list(options?: RequestOptions): Promise<Bank[]>
    /**
     * Resolve the name of a bank account.
     *
     * Returns the name of the account holder.
     *
     * `GET /v1/banks/resolve`
     */
    resolve(query: ResolveBankAccountQuery, options?: RequestOptions): Promise<BankAccount>
  }
  readonly balances: {
    /**
     * List balances.
     *
     * What you may spend, what open payouts hold, and what is not decided yet.
     *
     * `GET /v1/balances`
     */
    list(options?: RequestOptions): Promise<Balance[]>
  }
  readonly balanceEntries: {
    /**
     * List the statement.
     *
     * Every change of the available balance, newest first, with the balance after it. With `Accept:
     * text/csv` the answer is CSV, up to 10,000 lines; the header `X-Next-Cursor` leads on.
     *
     * `GET /v1/balance-entries`
     */
    list(query?: ListBalanceEntriesQuery, options?: RequestOptions): Pages<BalanceEntry>
    /**
     * List the statement.
     *
     * Every change of the available balance, newest first, with the balance after it. With `Accept:
     * text/csv` the answer is CSV, up to 10,000 lines; the header `X-Next-Cursor` leads on.
     *
     * `GET /v1/balance-entries`
     */
    csv(query?: ListBalanceEntriesQuery, options?: RequestOptions): Promise<{ text: string; nextCursor: string | null }>
  }
  readonly settings: {
    /**
     * Read the settings.
     *
     * Policies, checkout, low-balance thresholds and payment methods of this environment.
     *
     * `GET /v1/settings`
     */
    get(options?: RequestOptions): Promise<Settings>
    /**
     * Change the settings.
     *
     * Only what is sent changes. Lists are replaced whole.
     *
     * `PATCH /v1/settings`
     */
    update(input: ChangeSettingsInput, options?: RequestOptions): Promise<Settings>
  }
  readonly profile: {
    /**
     * Read the public profile.
     *
     * What a page may show of the merchant. Public keys may read this.
     *
     * `GET /v1/profile`
     */
    get(options?: RequestOptions): Promise<Profile>
  }
  readonly webhookEndpoints: {
    /**
     * Create a webhook endpoint.
     *
     * At most 10 per environment. The secret is shown once.
     *
     * `POST /v1/webhook-endpoints`
     */
    create(input: CreateWebhookEndpointInput, options?: WriteOptions): Promise<WebhookEndpointWithSecret>
    /**
     * Read a webhook endpoint.
     *
     * Without its secret, which is shown only when it is made.
     *
     * `GET /v1/webhook-endpoints/{id}`
     */
    get(id: string, options?: RequestOptions): Promise<WebhookEndpoint>
    /**
     * List webhook endpoints.
     *
     * Newest first.
     *
     * `GET /v1/webhook-endpoints`
     */
    list(query?: ListWebhookEndpointsQuery, options?: RequestOptions): Pages<WebhookEndpoint>
    /**
     * Change a webhook endpoint.
     *
     * Only what is sent changes. `enabled: true` brings a disabled one back.
     *
     * `PATCH /v1/webhook-endpoints/{id}`
     */
    update(id: string, input: ChangeWebhookEndpointInput, options?: RequestOptions): Promise<WebhookEndpoint>
    /**
     * Delete a webhook endpoint.
     *
     * Nothing more is sent to it. Its deliveries stay on record.
     *
     * `DELETE /v1/webhook-endpoints/{id}`
     */
    delete(id: string, options?: RequestOptions): Promise<void>
    /**
     * Rotate the secret.
     *
     * Both secrets sign for 24 hours. The new one is shown once.
     *
     * `POST /v1/webhook-endpoints/{id}/rotate-secret`
     */
    rotateSecret(id: string, options?: WriteOptions): Promise<WebhookEndpointWithSecret>
    /**
     * Send a test event.
     *
     * A real `webhook_endpoint.test` event that only this endpoint hears, whatever its filter.
     *
     * `POST /v1/webhook-endpoints/{id}/test`
     */
    test(id: string, options?: WriteOptions): Promise<{
      /** Such as `evt_06drtrktg1y337r4bb9bwrf0yw`. */
      eventId: string
    }>
    /**
     * Send again what was missed.
     *
     * Everything since a time that this endpoint listens to and has not taken, at most 10000 events
     * at once.
     *
     * `POST /v1/webhook-endpoints/{id}/recover`
     */
    recover(id: string, input: RecoverWebhookEndpointInput, options?: WriteOptions): Promise<{
      deliveries: number
    }>
  }
  readonly events: {
    /**
     * Read an event.
     *
     * Exactly what was sent to webhook endpoints.
     *
     * `GET /v1/events/{id}`
     */
    get(id: string, options?: RequestOptions): Promise<WebhookEvent>
    /**
     * List events.
     *
     * Newest first; by type or group, by resource, by time.
     *
     * `GET /v1/events`
     */
    list(query?: ListEventsQuery, options?: RequestOptions): Pages<WebhookEvent>
    /**
     * List the deliveries of an event.
     *
     * Where it went, and the latest 50 attempts at each place, with time, status, duration and
     * answer.
     *
     * `GET /v1/events/{id}/deliveries`
     */
    deliveries(id: string, query?: ListEventDeliveriesQuery, options?: RequestOptions): Pages<EventDelivery>
    /**
     * Send an event again.
     *
     * To one endpoint, or to all that listen to it.
     *
     * `POST /v1/events/{id}/redeliver`
     */
    redeliver(id: string, input?: RedeliverEventInput, options?: WriteOptions): Promise<{
      deliveries: number
    }>
  }
  readonly requestLogs: {
    /**
     * Read what was asked and answered.
     *
     * By `requestId` (the newest, if you used one more than once) or by `id`. Bodies are cut after
     * 4,096 characters; secrets are never in them, and account numbers, names and e-mail addresses
     * are masked.
     *
     * `GET /v1/request-logs/{requestId}`
     */
    get(requestId: string, options?: RequestOptions): Promise<{
      /** Such as `log_06drtrktg1y337r4bb9bwrf0yw`. */
      id: string
      /** As in `X-Request-Id`; your own, if you sent one. */
      requestId: string
      /** Such as `POST`. */
      method: string
      /** Such as `/v1/disbursements/crypto`. */
      path: string
      query: string | null
      status: number
      durationMs: number
      /** The API key, by the name that you gave it. */
      keyName: string
      /** The answer was that of an earlier request with the same `Idempotency-Key`. */
      replayed: boolean
      /** ISO 8601, UTC, with milliseconds. */
      createdAt: string
      requestBody: string | null
      /** Only its start was kept. */
      requestBodyCut: boolean
      responseBody: string | null
      /** Only its start was kept. */
      responseBodyCut: boolean
    }>
    /**
     * List what your servers asked.
     *
     * Requests with a valid key of the last 30 days, newest first. They appear within a second. A
     * page may hold fewer than asked for, or none, while `nextCursor` leads on.
     *
     * `GET /v1/request-logs`
     */
    list(query?: ListRequestLogsQuery, options?: RequestOptions): Pages<{
      /** Such as `log_06drtrktg1y337r4bb9bwrf0yw`. */
      id: string
      /** As in `X-Request-Id`; your own, if you sent one. */
      requestId: string
      /** Such as `POST`. */
      method: string
      /** Such as `/v1/disbursements/crypto`. */
      path: string
      query: string | null
      status: number
      durationMs: number
      /** The API key, by the name that you gave it. */
      keyName: string
      /** The answer was that of an earlier request with the same `Idempotency-Key`. */
      replayed: boolean
      /** ISO 8601, UTC, with milliseconds. */
      createdAt: string
    }>
  }
  readonly test: {
    /**
     * Fund a test balance.
     *
     * Adds money to the available balance, in test mode only. USDC and USDT are minted on the
     * embedded chain; with an external test chain they are refused, and NGN is not.
     *
     * `POST /v1/test/balances/fund`
     */
    fund(input: FundTestBalanceInput, options?: WriteOptions): Promise<TestFunding>
    /**
     * Decide how a test transfer ends.
     *
     * Tells the simulated bank (`complete`, `fail`, `reverse`, `stay_unknown`, `lose`) or chain
     * (`land`, `fail`, `expire`) what to do with a transfer that has not ended. The answer is the
     * transfer as it is now: it changes when the bank or chain is asked about it, a moment later.
     *
     * `POST /v1/test/disbursements/{reference}/settle`
     */
    settle(reference: string, input: SettleTestDisbursementInput, options?: WriteOptions): Promise<BankTransfer | CryptoTransfer>
    readonly bankTransfers: {
      /**
       * Pay into an account as a customer would.
       *
       * The sandbox bank takes the money, and announces it by a signed notice. Answers when the
       * payment has been judged.
       *
       * `POST /v1/test/bank-transfers`
       */
      create(input: PayTestAccountInput, options?: WriteOptions): Promise<Payment>
    }
    readonly cryptoDeposits: {
      /**
       * Send coins to a wallet as a customer would.
       *
       * Makes a real transfer on the embedded chain. Answers when it is in a block; it is credited
       * when it is final, some seconds later.
       *
       * `POST /v1/test/crypto-deposits`
       */
      create(input: DepositTestCoinsInput, options?: WriteOptions): Promise<TestDeposit>
    }
    readonly clock: {
      /**
       * Move the clock of test mode ahead.
       *
       * Time passes for this environment: what falls due by then is due now. Send an
       * `Idempotency-Key`, or a retry moves the clock again.
       *
       * `POST /v1/test/clock/advance`
       */
      advance(input: AdvanceTestClockInput, options?: WriteOptions): Promise<TestClock>
    }
  }
}
