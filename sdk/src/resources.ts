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
     * An account number for one payment of one amount. Show it to your customer; when the money
     * comes you hear of it by webhook. Without `expiresAt` it waits for 30 minutes.
     *
     * `POST /v1/collections/virtual-accounts`
     */
    create(input: CreateVirtualAccountInput, options?: WriteOptions): Promise<VirtualAccount>
    /**
     * Verify a virtual account.
     *
     * As it is now.
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
     * You want no money here any more. What comes all the same counts as late.
     *
     * `POST /v1/collections/virtual-accounts/{reference}/cancel`
     */
    cancel(reference: string, options?: WriteOptions): Promise<VirtualAccount>
    /**
     * Ask the bank for payments it did not announce.
     *
     * Use it when a customer says that they paid and you have heard nothing.
     *
     * `POST /v1/collections/virtual-accounts/{reference}/requery`
     */
    requery(reference: string, options?: WriteOptions): Promise<VirtualAccount>
  }
  readonly dedicatedAccounts: {
    /**
     * Create a dedicated account.
     *
     * A permanent account number for a customer, an invoice or a subscription. Any amount may come,
     * any number of times.
     *
     * `POST /v1/collections/dedicated-accounts`
     */
    create(input: CreateDedicatedAccountInput, options?: WriteOptions): Promise<DedicatedAccount>
    /**
     * Verify a dedicated account.
     *
     * As it is now.
     *
     * `GET /v1/collections/dedicated-accounts/{accountReference}`
     */
    get(accountReference: string, options?: RequestOptions): Promise<DedicatedAccount>
    /**
     * List dedicated accounts.
     *
     * Newest first; those that are ACTIVE unless you ask for others.
     *
     * `GET /v1/collections/dedicated-accounts`
     */
    list(query?: ListDedicatedAccountsQuery, options?: RequestOptions): Pages<DedicatedAccount>
    /**
     * Deactivate a dedicated account.
     *
     * For good. What comes all the same is held until you resolve it.
     *
     * `POST /v1/collections/dedicated-accounts/{accountReference}/deactivate`
     */
    deactivate(accountReference: string, options?: WriteOptions): Promise<DedicatedAccount>
  }
  readonly cryptoWallets: {
    /**
     * Create a crypto wallet.
     *
     * An address for one payment of one amount of one coin. When it is final on the chain you hear
     * of it by webhook. Without `expiresAt` it waits for 30 minutes.
     *
     * `POST /v1/collections/crypto-wallets`
     */
    create(input: CreateCryptoWalletInput, options?: WriteOptions): Promise<CryptoWallet>
    /**
     * Verify a crypto wallet.
     *
     * As it is now.
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
     * You want no money here any more. What comes all the same counts as late.
     *
     * `POST /v1/collections/crypto-wallets/{reference}/cancel`
     */
    cancel(reference: string, options?: WriteOptions): Promise<CryptoWallet>
    /**
     * Look at the chain again.
     *
     * Has the wallet looked at at once, and for other tokens, too. That happens by itself, but
     * seldom where nothing happened for long. Answers as it is now; what is found, you hear by
     * webhook.
     *
     * `POST /v1/collections/crypto-wallets/{reference}/requery`
     */
    requery(reference: string, options?: WriteOptions): Promise<CryptoWallet>
  }
  readonly dedicatedCryptoWallets: {
    /**
     * Create a dedicated crypto wallet.
     *
     * A permanent address for a customer. Any amount of USDC or USDT may come, any number of times.
     *
     * `POST /v1/collections/dedicated-crypto-wallets`
     */
    create(input: CreateDedicatedCryptoWalletInput, options?: WriteOptions): Promise<DedicatedCryptoWallet>
    /**
     * Verify a dedicated crypto wallet.
     *
     * As it is now.
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
     * Look at the chain again.
     *
     * Has the wallet looked at at once, and for other tokens, too. That happens by itself, but
     * seldom where nothing happened for long. Answers as it is now; what is found, you hear by
     * webhook.
     *
     * `POST /v1/collections/dedicated-crypto-wallets/{reference}/requery`
     */
    requery(reference: string, options?: WriteOptions): Promise<DedicatedCryptoWallet>
  }
  readonly payments: {
    /**
     * Retrieve a payment.
     *
     * Returns the current state: how much is accepted, held, on its way back and returned.
     *
     * `GET /v1/collections/payments/{reference}`
     */
    get(reference: string, options?: RequestOptions): Promise<Payment>
    /**
     * List payments.
     *
     * Returns payments, newest first. Filter by status, source or account.
     *
     * `GET /v1/collections/payments`
     */
    list(query?: ListPaymentsQuery, options?: RequestOptions): Pages<Payment>
    /**
     * List returns of a payment.
     *
     * Returns every return and refund of the payment with its status, newest first.
     *
     * `GET /v1/collections/payments/{reference}/returns`
     */
    returns(reference: string, query?: ListPaymentReturnsQuery, options?: RequestOptions): Pages<PaymentReturn>
    /**
     * Decide about held money.
     *
     * Accept what is held of a payment, or send it back: to the sender, or to `destination`. Coins
     * go back only to the wallet that you name.
     *
     * `POST /v1/collections/payments/{reference}/resolve`
     */
    resolve(reference: string, input: ResolvePaymentInput, options?: WriteOptions): Promise<Payment>
    /**
     * Refund a payment.
     *
     * Sends accepted money back to whoever paid, or to `destination`: all of it, or `amount`. The
     * fee is kept. Coins go back only to the wallet that you name.
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
       * A page for one payment of one amount, at `url`: send your customer there. Without
       * `expiresAt` it waits for 30 minutes.
       *
       * `POST /v1/checkout/sessions`
       */
      create(input: CreateCheckoutSessionInput, options?: WriteOptions): Promise<CheckoutSession>
      /**
       * Read a checkout session.
       *
       * As it is now.
       *
       * `GET /v1/checkout/sessions/{reference}`
       */
      get(reference: string, options?: RequestOptions): Promise<CheckoutSession>
      /**
       * List checkout sessions.
       *
       * Newest first; by status, or by your own reference.
       *
       * `GET /v1/checkout/sessions`
       */
      list(query?: ListCheckoutSessionsQuery, options?: RequestOptions): Pages<CheckoutSession>
      /**
       * Cancel a checkout session.
       *
       * The page says so, and money that comes all the same counts as late.
       *
       * `POST /v1/checkout/sessions/{reference}/cancel`
       */
      cancel(reference: string, options?: WriteOptions): Promise<CheckoutSession>
    }
    /**
     * Retrieve a public checkout session.
     *
     * Needs no API key: anyone who knows the reference can read it, from any origin.
     *
     * `GET /public/checkout/{reference}`
     */
    retrieve(reference: string, options?: RequestOptions): Promise<PublicCheckoutSession>
    /**
     * Simulate a payment.
     *
     * Pays a test-mode session once, as a customer would: by bank transfer, or in stablecoins if
     * the session accepts them. Stablecoins are credited when the transfer is final. Not available
     * in live mode.
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
     * when it is final on the chain, or `FAILED` when it is certain that nothing left.
     *
     * `POST /v1/disbursements/crypto`
     */
    create(input: CreateCryptoTransferInput, options?: WriteOptions): Promise<CryptoTransfer>
    /**
     * Price a crypto transfer.
     *
     * What it would cost now, and whether the destination is fine. Nothing is promised.
     *
     * `POST /v1/disbursements/crypto/quote`
     */
    quote(input: QuoteCryptoTransferInput, options?: WriteOptions): Promise<CryptoTransferQuote>
    /**
     * Verify a crypto transfer.
     *
     * As it is now, with every attempt to carry it.
     *
     * `GET /v1/disbursements/crypto/{reference}`
     */
    get(reference: string, options?: RequestOptions): Promise<CryptoTransfer>
    /**
     * List crypto transfers.
     *
     * Newest first; by status, or by your own reference.
     *
     * `GET /v1/disbursements/crypto`
     */
    list(query?: ListCryptoTransfersQuery, options?: RequestOptions): Pages<CryptoTransfer>
  }
  readonly bankTransfers: {
    /**
     * Create a bank transfer.
     *
     * Pays naira out to a bank account. `SUBMITTED` becomes `COMPLETED` when the bank says that it
     * arrived, or `FAILED` when it is certain that nothing left; a bank may still send it back
     * (`REVERSED`).
     *
     * `POST /v1/disbursements/bank-transfer`
     */
    create(input: CreateBankTransferInput, options?: WriteOptions): Promise<BankTransfer>
    /**
     * Price a bank transfer.
     *
     * What it would cost now, and whether the account exists. Nothing is promised.
     *
     * `POST /v1/disbursements/bank-transfer/quote`
     */
    quote(input: QuoteBankTransferInput, options?: WriteOptions): Promise<BankTransferQuote>
    /**
     * Verify a bank transfer.
     *
     * As it is now, with every attempt to carry it.
     *
     * `GET /v1/disbursements/bank-transfer/{reference}`
     */
    get(reference: string, options?: RequestOptions): Promise<BankTransfer>
    /**
     * List bank transfers.
     *
     * Newest first; by status, or by your own reference.
     *
     * `GET /v1/disbursements/bank-transfer`
     */
    list(query?: ListBankTransfersQuery, options?: RequestOptions): Pages<BankTransfer>
  }
  readonly banks: {
    /**
     * List banks.
     *
     * The codes that a bank transfer can name.
     *
     * `GET /v1/banks`
     */
    list(options?: RequestOptions): Promise<Bank[]>
    /**
     * Resolve the name of a bank account.
     *
     * Whose account it is, by bank and number.
     *
     * `GET /v1/banks/resolve`
     */
    resolve(query: ResolveBankAccountQuery, options?: RequestOptions): Promise<BankAccount>
  }
  readonly balances: {
    /**
     * List balances.
     *
     * Returns one balance per asset: what you can spend, what open payouts have reserved, and what
     * is still undecided.
     *
     * `GET /v1/balances`
     */
    list(options?: RequestOptions): Promise<Balance[]>
  }
  readonly balanceEntries: {
    /**
     * List balance entries.
     *
     * Returns every change of the available balance with the balance after it, newest first. Send
     * `Accept: text/csv` for CSV with up to 10,000 rows per page; the `X-Next-Cursor` header holds
     * the cursor of the next page.
     *
     * `GET /v1/balance-entries`
     */
    list(query?: ListBalanceEntriesQuery, options?: RequestOptions): Pages<BalanceEntry>
    /**
     * List balance entries.
     *
     * Returns every change of the available balance with the balance after it, newest first. Send
     * `Accept: text/csv` for CSV with up to 10,000 rows per page; the `X-Next-Cursor` header holds
     * the cursor of the next page.
     *
     * `GET /v1/balance-entries`
     */
    csv(query?: ListBalanceEntriesQuery, options?: RequestOptions): Promise<{ text: string; nextCursor: string | null }>
  }
  readonly settings: {
    /**
     * Retrieve settings.
     *
     * Returns policies, checkout appearance, low-balance thresholds and payment methods of this
     * environment.
     *
     * `GET /v1/settings`
     */
    get(options?: RequestOptions): Promise<Settings>
    /**
     * Update settings.
     *
     * Changes only the fields you send. Lists are replaced as a whole.
     *
     * `PATCH /v1/settings`
     */
    update(input: ChangeSettingsInput, options?: RequestOptions): Promise<Settings>
  }
  readonly profile: {
    /**
     * Retrieve the public profile.
     *
     * Returns what a page may show about the merchant. Accepts public keys.
     *
     * `GET /v1/profile`
     */
    get(options?: RequestOptions): Promise<Profile>
  }
  readonly webhookEndpoints: {
    /**
     * Create a webhook endpoint.
     *
     * An environment can have 10 endpoints. The signing secret is only shown in this response.
     *
     * `POST /v1/webhook-endpoints`
     */
    create(input: CreateWebhookEndpointInput, options?: WriteOptions): Promise<WebhookEndpointWithSecret>
    /**
     * Retrieve a webhook endpoint.
     *
     * The signing secret is not included; it is only shown on creation and rotation.
     *
     * `GET /v1/webhook-endpoints/{id}`
     */
    get(id: string, options?: RequestOptions): Promise<WebhookEndpoint>
    /**
     * List webhook endpoints.
     *
     * Returns webhook endpoints, newest first.
     *
     * `GET /v1/webhook-endpoints`
     */
    list(query?: ListWebhookEndpointsQuery, options?: RequestOptions): Pages<WebhookEndpoint>
    /**
     * Update a webhook endpoint.
     *
     * Changes only the fields you send. `enabled: true` enables a disabled endpoint again.
     *
     * `PATCH /v1/webhook-endpoints/{id}`
     */
    update(id: string, input: ChangeWebhookEndpointInput, options?: RequestOptions): Promise<WebhookEndpoint>
    /**
     * Delete a webhook endpoint.
     *
     * Stops all deliveries to it. Past deliveries stay on record.
     *
     * `DELETE /v1/webhook-endpoints/{id}`
     */
    delete(id: string, options?: RequestOptions): Promise<void>
    /**
     * Rotate the signing secret.
     *
     * Events are signed with both secrets for 24 hours. The new one is only shown in this response.
     *
     * `POST /v1/webhook-endpoints/{id}/rotate-secret`
     */
    rotateSecret(id: string, options?: WriteOptions): Promise<WebhookEndpointWithSecret>
    /**
     * Send a test event.
     *
     * Sends a real `webhook_endpoint.test` event to this endpoint only, whatever its event filter.
     *
     * `POST /v1/webhook-endpoints/{id}/test`
     */
    test(id: string, options?: WriteOptions): Promise<{
      /** The test event. */
      eventId: string
    }>
    /**
     * Recover missed events.
     *
     * Sends every event since a time that this endpoint listens to and has not received, up to
     * 10000 per request.
     *
     * `POST /v1/webhook-endpoints/{id}/recover`
     */
    recover(id: string, input: RecoverWebhookEndpointInput, options?: WriteOptions): Promise<{
      /** Number of deliveries scheduled. */
      deliveries: number
    }>
  }
  readonly events: {
    /**
     * Retrieve an event.
     *
     * Returns the event exactly as it is sent to webhook endpoints.
     *
     * `GET /v1/events/{id}`
     */
    get(id: string, options?: RequestOptions): Promise<WebhookEvent>
    /**
     * List events.
     *
     * Returns events, newest first. Filter by type or group, by resource and by time.
     *
     * `GET /v1/events`
     */
    list(query?: ListEventsQuery, options?: RequestOptions): Pages<WebhookEvent>
    /**
     * List deliveries of an event.
     *
     * Returns one delivery per endpoint with its latest 50 attempts: time, status, duration and
     * response.
     *
     * `GET /v1/events/{id}/deliveries`
     */
    deliveries(id: string, query?: ListEventDeliveriesQuery, options?: RequestOptions): Pages<EventDelivery>
    /**
     * Redeliver an event.
     *
     * Sends the event again, to one endpoint or to every endpoint that listens to it.
     *
     * `POST /v1/events/{id}/redeliver`
     */
    redeliver(id: string, input?: RedeliverEventInput, options?: WriteOptions): Promise<{
      /** Number of deliveries scheduled. */
      deliveries: number
    }>
  }
  readonly requestLogs: {
    /**
     * Retrieve a request log.
     *
     * Finds it by `requestId` (the newest if several requests share it) or by `id`. Bodies are cut
     * after 4,096 characters. They never contain secrets; account numbers, names and email
     * addresses are masked.
     *
     * `GET /v1/request-logs/{requestId}`
     */
    get(requestId: string, options?: RequestOptions): Promise<{
      /** Identifies the log entry. */
      id: string
      /** The `X-Request-Id` of the response: your own if you sent one. */
      requestId: string
      /** HTTP method. */
      method: string
      /** Request path. */
      path: string
      /** Query string; null if there was none. */
      query: string | null
      /** HTTP status of the response. */
      status: number
      /** Duration in milliseconds. */
      durationMs: number
      /** Name of the API key. */
      keyName: string
      /**
       * Whether the response repeats that of an earlier request with the same `Idempotency-Key`.
       */
      replayed: boolean
      /** When the request arrived. */
      createdAt: string
      /** Request body with sensitive values masked. */
      requestBody: string | null
      /** Whether only the start of the request body was kept. */
      requestBodyCut: boolean
      /** Response body with sensitive values masked. */
      responseBody: string | null
      /** Whether only the start of the response body was kept. */
      responseBodyCut: boolean
    }>
    /**
     * List request logs.
     *
     * Returns requests made with a valid API key in the last 30 days, newest first. They appear
     * within a second. A page may hold fewer items than `limit`, or none, and still have a
     * `nextCursor`.
     *
     * `GET /v1/request-logs`
     */
    list(query?: ListRequestLogsQuery, options?: RequestOptions): Pages<{
      /** Identifies the log entry. */
      id: string
      /** The `X-Request-Id` of the response: your own if you sent one. */
      requestId: string
      /** HTTP method. */
      method: string
      /** Request path. */
      path: string
      /** Query string; null if there was none. */
      query: string | null
      /** HTTP status of the response. */
      status: number
      /** Duration in milliseconds. */
      durationMs: number
      /** Name of the API key. */
      keyName: string
      /**
       * Whether the response repeats that of an earlier request with the same `Idempotency-Key`.
       */
      replayed: boolean
      /** When the request arrived. */
      createdAt: string
    }>
  }
  readonly test: {
    /**
     * Fund a test balance.
     *
     * Adds money to the available balance. USDC and USDT are minted on the embedded chain, so they
     * are not available if test mode uses an external chain.
     *
     * `POST /v1/test/balances/fund`
     */
    fund(input: FundTestBalanceInput, options?: WriteOptions): Promise<TestFunding>
    /**
     * Set the outcome of a test transfer.
     *
     * Sets what the simulated bank (`complete`, `fail`, `reverse`, `stay_unknown`, `lose`) or chain
     * (`land`, `fail`, `expire`) does with a transfer that has not ended. Returns the transfer as
     * it is now; it changes a moment later, when the bank or chain is polled.
     *
     * `POST /v1/test/disbursements/{reference}/settle`
     */
    settle(reference: string, input: SettleTestDisbursementInput, options?: WriteOptions): Promise<BankTransfer | CryptoTransfer>
    readonly bankTransfers: {
      /**
       * Send a test payment.
       *
       * Pays into one of your accounts at the sandbox bank, as a customer would. The bank sends a
       * signed notice; the response follows once the payment has been judged.
       *
       * `POST /v1/test/bank-transfers`
       */
      create(input: PayTestAccountInput, options?: WriteOptions): Promise<Payment>
    }
    readonly cryptoDeposits: {
      /**
       * Send a test deposit.
       *
       * Sends stablecoins to one of your wallets on the embedded chain, as a customer would.
       * Responds once the transfer is in a block; it is credited when final, a few seconds later.
       *
       * `POST /v1/test/crypto-deposits`
       */
      create(input: DepositTestCoinsInput, options?: WriteOptions): Promise<TestDeposit>
    }
    readonly clock: {
      /**
       * Advance the test clock.
       *
       * Moves the time of this environment forward, so that everything due by then happens now.
       * Send an `Idempotency-Key`; without one, a retry advances the clock again.
       *
       * `POST /v1/test/clock/advance`
       */
      advance(input: AdvanceTestClockInput, options?: WriteOptions): Promise<TestClock>
    }
  }
}
