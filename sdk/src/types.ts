// Written by `npm run generate` from openapi.json. Changes by hand are lost.

export type Balance = {
  asset: 'NGN' | 'USDC' | 'USDT'
  /** What you can spend: an integer in kobo for NGN, a decimal string for USDC and USDT. */
  available: number | string
  /** Reserved for open payouts. */
  held: number | string
  /** Received, and waiting for your decision or on its way back. */
  pending: number | string
}

export type BalanceEntry = {
  /** Position in the statement of its asset: 1, 2, 3, … without gaps. */
  number: number
  asset: 'NGN' | 'USDC' | 'USDT'
  /** Why the balance changed. */
  type: string
  /**
   * `post`: changes the balance at once. `hold`: reserves money for a payout. `release`: gives a
   * reservation back.
   */
  effect: 'post' | 'hold' | 'release'
  /** Change of the available balance; negative if it fell. */
  amount: number | string
  /** Available balance after this entry. */
  balanceAfter: number | string
  /** The payout, payment or other resource that caused the change. */
  reference: string
  /** When the balance changed. */
  createdAt: string
}

export type Bank = {
  /** Such as `058`. */
  code: string
  /** Such as `GTBank`. */
  name: string
}

export type BankAccount = {
  /** As in `GET /v1/banks`. */
  bankCode: string
  /** Ten digits. */
  accountNumber: string
  /** Such as `GTBank`. */
  bankName: string
  /** Such as `ADA OBI`. */
  accountName: string
}

export type BankTransfer = {
  /** Identifies the transfer. */
  reference: string
  /** Your own reference, if you sent one. Unique among your transfers of this kind. */
  merchantReference?: string
  /** Amount the recipient gets, in kobo. */
  amount: number
  /** The complete fee for the transfer, in kobo. */
  fee: number
  /** Amount deducted from your balance: `amount` plus `fee`, in kobo. */
  totalDebit: number
  /** Such as `NGN`. */
  currency: 'NGN'
  /** Code of the bank, as listed by `GET /v1/banks`. */
  bankCode: string
  /** Name of the bank. */
  bankName: string
  /** Ten-digit account number. */
  accountNumber: string
  /** Name of the account holder. */
  accountName: string
  narration: string | null
  /**
   * `SUBMITTED` until the transfer ends as `COMPLETED` or `FAILED`. `REVERSED` if the bank returned
   * the money after completion.
   */
  status: 'SUBMITTED' | 'COMPLETED' | 'FAILED' | 'REVERSED'
  /** Null until the transfer is completed. */
  sessionId: string | null
  /**
   * Whether the operator must review it because the bank has not confirmed an outcome for three
   * days.
   */
  reviewRequired: boolean
  /** Why the transfer failed; null otherwise. docs/reference/payouts.md lists every value. */
  failureReason: string | null
  /** The JSON object you sent, returned unchanged. */
  metadata: Record<string, unknown>
  /** When the transfer was submitted. */
  submittedAt: string
  /** When the bank confirmed that the money arrived. */
  completedAt: string | null
  /** When the transfer failed. */
  failedAt: string | null
  /** When the bank returned the money after completion. */
  reversedAt: string | null
  /** When the transfer was created. */
  createdAt: string
}

export type BankTransferQuote = {
  /** Naira in kobo. */
  amount: number
  fee: number
  totalDebit: number
  /** Such as `NGN`. */
  currency: 'NGN'
  lines: ({
    /** Such as `bank_transfer`. */
    operation: string
    amount: number
  })[]
}

export type CheckoutSession = {
  /** Identifies the session. Anyone who knows it can read the public session. */
  reference: string
  merchant: {
    /** Identifies the merchant. */
    id: string
    /** Name shown to payers. */
    displayName: string
  }
  /** Amount to pay, in kobo. */
  amount: number
  /** Such as `NGN`. */
  currency: 'NGN'
  /** What the customer pays for. */
  description: string
  customer: {
    /** Name of the customer. */
    name: string
    /** Email address of the customer. */
    email: string
  }
  /** Ways to pay the session. */
  paymentMethods: ({
    /** `bank_transfer`, `card` or `crypto`. */
    code: string
    /** Display name. */
    label: string
    /** Whether the merchant has enabled the method. */
    enabled: boolean
    /** Whether the session can be paid with it now. */
    available: boolean
    /** `available`, `unavailable` or `coming_soon`. */
    status: string
  })[]
  /**
   * `pending` until the session is `paid`, `expired` or `cancelled`. An expired or cancelled
   * session becomes `paid` if you accept a late payment.
   */
  status: 'pending' | 'paid' | 'expired' | 'cancelled'
  /** When it expires. A payment received later counts as late. */
  expiresAt: string
  /** Your own reference, such as an order number, if you sent one. */
  merchantReference?: string
  /** URL of the hosted page. Send your customer there. */
  url: string
  /** The virtual account that collects bank transfers for the session. */
  virtualAccount: string
  /** Price in a stablecoin, if you set one. */
  crypto?: {
    asset: 'USDC' | 'USDT'
    /** Such as `SOLANA`. */
    network: 'SOLANA'
    /** Price in this stablecoin, as the merchant wrote it. */
    amount: string
  }
  /** The wallet that collects stablecoins for the session. */
  cryptoWallet?: string
  successUrl: string | null
  cancelUrl: string | null
  /** The JSON object you sent, returned unchanged. */
  metadata: Record<string, unknown>
  /** When the session was created. */
  createdAt: string
}

export type CoinFunding = {
  asset: 'USDC' | 'USDT'
  /** A decimal amount; at most 6 digits after the point. */
  amount: string
}

export type CreditedAccount = {
  /** Your own reference, unique per environment. */
  externalReference: string
  /** Identifies the dedicated account. */
  accountReference: string
  /** Permanent account number. */
  accountNumber: string
  /** Name on the account. */
  accountName: string
  /** Code of the bank. */
  bankCode: string
  /** Name of the bank. */
  bankName: string
  /** `INACTIVE` once you deactivated it. */
  status: 'ACTIVE' | 'INACTIVE'
  /** The JSON object you sent, returned unchanged. */
  metadata: Record<string, unknown>
  /** When it was created. */
  createdAt: string
  payment: Payment
}

export type CreditedCryptoWallet = {
  /** Your own reference, unique per environment. */
  externalReference: string
  /** Identifies the dedicated wallet. */
  reference: string
  /** Permanent wallet address. */
  address: string
  /** Stablecoins that the wallet accepts. */
  assets: ('USDC' | 'USDT')[]
  /** Such as `SOLANA`. */
  network: 'SOLANA'
  status: 'ACTIVE'
  /**
   * Deposits of tokens that this wallet does not accept. They stay in the wallet and are not
   * credited. Only present when one wallet is read, not in lists and events.
   */
  otherDeposits?: ({
    /** `USDC`, `USDT`, or the mint address of another token. */
    asset: string
    /** Amount in the smallest unit of the token. */
    units: string
    /** Signature of the Solana transaction. */
    signature: string
    /** When the chain received the deposit. */
    receivedAt: string
  })[]
  /** The JSON object you sent, returned unchanged. */
  metadata: Record<string, unknown>
  /** When it was created. */
  createdAt: string
  payment: Payment
}

export type CryptoTransfer = {
  /** Identifies the transfer. */
  reference: string
  /** Your own reference, if you sent one. Unique among your transfers of this kind. */
  merchantReference?: string
  asset: 'USDC' | 'USDT'
  /** Such as `SOLANA`. */
  network: 'SOLANA'
  /** Amount the recipient gets, as you wrote it. */
  amount: string
  /** The complete fee for the transfer. */
  fee: string
  /** Amount deducted from your balance: `amount` plus `fee`. */
  totalDebit: string
  /** Wallet address of the recipient. */
  destinationAddress: string
  /** `SUBMITTED` until the transfer ends as `CONFIRMED` or `FAILED`. */
  status: 'SUBMITTED' | 'CONFIRMED' | 'FAILED'
  /** Transaction signature of the latest attempt. */
  transactionSignature: string
  /** Why the transfer failed; null otherwise. docs/reference/payouts.md lists every value. */
  failureReason: string | null
  /** The JSON object you sent, returned unchanged. */
  metadata: Record<string, unknown>
  /** When the transfer was submitted. */
  submittedAt: string
  /** When the transfer became final on the chain. */
  confirmedAt: string | null
  /** When the transfer failed. */
  failedAt: string | null
  /** When the transfer was created. */
  createdAt: string
  /** Every attempt to send the transfer, oldest first. At most one is `LIVE`. */
  attempts: ({
    /** Signature of the Solana transaction. */
    signature: string
    /** When this attempt was signed. */
    submittedAt: string
    /**
     * `LIVE`: it may still reach a block. `LANDED`: it moved the money. `FAILED` and `DEAD`: it
     * moved nothing and never will.
     */
    state: 'LIVE' | 'LANDED' | 'FAILED' | 'DEAD'
  })[]
}

export type CryptoTransferQuote = {
  /** A decimal amount; at most 6 digits after the point. */
  amount: string
  /** Such as `0.5`. */
  fee: string
  /** Such as `26`. */
  totalDebit: string
  lines: ({
    /** Such as `crypto_transfer`. */
    operation: string
    /** Such as `0.5`. */
    amount: string
  })[]
}

export type CryptoWallet = {
  /** Identifies the wallet. Store it to verify the payment later. */
  reference: string
  /** Your own reference, such as an order number. */
  merchantReference: string
  /** Wallet address to pay into. */
  address: string
  asset: 'USDC' | 'USDT'
  /** Such as `SOLANA`. */
  network: 'SOLANA'
  /** Amount to collect, as you wrote it. */
  amount: string
  /** `ACTIVE` until it ends as `PAID`, `EXPIRED` or `CANCELLED`. */
  status: 'ACTIVE' | 'PAID' | 'EXPIRED' | 'CANCELLED'
  /** How the latest mismatched payment differs from what was expected. */
  variance: 'NONE' | 'UNDERPAID' | 'OVERPAID' | 'LATE' | 'DUPLICATE'
  /** Sum of all final deposits. */
  amountReceived: string
  /** Credited to you, before fees. */
  amountAccepted: string
  /** Waiting for your decision. */
  amountHeld: string
  /** On its way back to the payer. */
  amountReturning: string
  /** Returned to the payer. */
  amountReturned: string
  /** The latest 50 payments, newest first. */
  payments: Payment[]
  /**
   * Deposits of tokens that this wallet does not accept. They stay in the wallet and are not
   * credited. Only present when one wallet is read, not in lists and events.
   */
  otherDeposits?: ({
    /** `USDC`, `USDT`, or the mint address of another token. */
    asset: string
    /** Amount in the smallest unit of the token. */
    units: string
    /** Signature of the Solana transaction. */
    signature: string
    /** When the chain received the deposit. */
    receivedAt: string
  })[]
  /** The JSON object you sent, returned unchanged. */
  metadata: Record<string, unknown>
  /** When it expires. A payment received later counts as late. */
  expiresAt: string
  /** When it was created. */
  createdAt: string
  /** When it was paid. */
  paidAt: string | null
}

export type DedicatedAccount = {
  /** Your own reference, unique per environment. */
  externalReference: string
  /** Identifies the dedicated account. */
  accountReference: string
  /** Permanent account number. */
  accountNumber: string
  /** Name on the account. */
  accountName: string
  /** Code of the bank. */
  bankCode: string
  /** Name of the bank. */
  bankName: string
  /** `INACTIVE` once you deactivated it. */
  status: 'ACTIVE' | 'INACTIVE'
  /** The JSON object you sent, returned unchanged. */
  metadata: Record<string, unknown>
  /** When it was created. */
  createdAt: string
}

export type DedicatedCryptoWallet = {
  /** Your own reference, unique per environment. */
  externalReference: string
  /** Identifies the dedicated wallet. */
  reference: string
  /** Permanent wallet address. */
  address: string
  /** Stablecoins that the wallet accepts. */
  assets: ('USDC' | 'USDT')[]
  /** Such as `SOLANA`. */
  network: 'SOLANA'
  status: 'ACTIVE'
  /**
   * Deposits of tokens that this wallet does not accept. They stay in the wallet and are not
   * credited. Only present when one wallet is read, not in lists and events.
   */
  otherDeposits?: ({
    /** `USDC`, `USDT`, or the mint address of another token. */
    asset: string
    /** Amount in the smallest unit of the token. */
    units: string
    /** Signature of the Solana transaction. */
    signature: string
    /** When the chain received the deposit. */
    receivedAt: string
  })[]
  /** The JSON object you sent, returned unchanged. */
  metadata: Record<string, unknown>
  /** When it was created. */
  createdAt: string
}

export type DeliveryAttempt = {
  /** 1 for the first attempt. */
  number: number
  /** URL the attempt was sent to. */
  url: string
  /** When the attempt started. */
  startedAt: string
  /** Duration in milliseconds. */
  durationMs: number
  /** HTTP status of the response; null if there was none. */
  status: number | null
  /** Why the attempt got no response; null if it got one. */
  error: string | null
  /** First 4096 bytes of the response body. */
  response: string
}

export type EventDelivery = {
  /** The webhook endpoint. */
  endpointId: string
  /** Current URL of the endpoint. */
  url: string
  /** `PENDING` until an attempt succeeds or the last retry fails. */
  status: 'PENDING' | 'DELIVERED' | 'GIVEN_UP'
  /** Null once the delivery has ended, and while an attempt is in progress. */
  nextAttemptAt: string | null
  /** The latest attempts. */
  attempts: DeliveryAttempt[]
}

export type LowBalance = {
  asset: 'NGN' | 'USDC' | 'USDT'
  /** Available balance when it fell. */
  available: number | string
  /** The threshold from your settings. */
  threshold: number | string
}

export type NairaFunding = {
  /** Such as `NGN`. */
  asset: 'NGN'
  /** Naira in kobo. */
  amount: number
}

export type Payment = {
  /** Identifies the payment. */
  reference: string
  /** Kind of account or wallet that received the payment. */
  source: 'virtual_account' | 'dedicated_account' | 'crypto_wallet' | 'dedicated_crypto_wallet'
  /** The account or wallet that received the payment. */
  accountReference: string
  /** Amount received: an integer in kobo for NGN, a decimal string for USDC and USDT. */
  amount: number | string
  /** Credited to you, before fees. */
  amountAccepted: number | string
  /** Waiting for your decision. */
  amountHeld: number | string
  /** On its way back to the payer. */
  amountReturning: number | string
  /** Returned to the payer. */
  amountReturned: number | string
  /** Fee charged on the accepted amount. Refunds do not return it. */
  fee: number | string
  currency: 'NGN' | 'USDC' | 'USDT'
  /**
   * `HELD` while any part waits for your decision, else `RETURNING` while any part is on its way
   * back, else `ACCEPTED` if you keep any part, else `RETURNED`.
   */
  status: 'HELD' | 'RETURNING' | 'ACCEPTED' | 'RETURNED'
  /** How the payment differs from what was expected. */
  variance: 'NONE' | 'UNDERPAID' | 'OVERPAID' | 'LATE' | 'DUPLICATE'
  /** Who paid. */
  sender: {
    /** Name of the account holder. */
    name: string
    /** Code of the bank, as listed by `GET /v1/banks`. */
    bankCode: string
    /** Ten-digit account number. */
    accountNumber: string
    /** Name of the bank. */
    bankName: string
  } | {
    /** Null if the sending wallet cannot be determined. */
    address: string | null
  }
  sessionId: string | null
  narration: string | null
  /** When the bank or chain received the money. */
  receivedAt: string
  /** When the payment was recorded. */
  createdAt: string
}

export type PaymentReturn = {
  /** Identifies the return. */
  reference: string
  /** `return`: money that was never accepted. `refund`: money that was. */
  kind: 'return' | 'refund'
  /** An integer in kobo for NGN; a decimal string for USDC and USDT. */
  amount: number | string
  currency: 'NGN' | 'USDC' | 'USDT'
  /** `FAILED` and `REVERSED` mean that the money is back where it was before the return. */
  status: 'WAITING' | 'SENT' | 'RETURNED' | 'FAILED' | 'REVERSED'
  /** Why the return failed; null otherwise. */
  failureReason: string | null
  /** When the return arrived, failed or was reversed. */
  endedAt: string | null
  /** Bank account or wallet that the money goes to. */
  destination: {
    /** Code of the bank, as listed by `GET /v1/banks`. */
    bankCode: string
    /** Ten-digit account number. */
    accountNumber: string
    /** Name of the bank. */
    bankName: string
    /** Name of the account holder. */
    accountName: string
  } | {
    /** Wallet address of the recipient. */
    address: string
  }
  /** When the return was requested. */
  createdAt: string
}

export type Profile = {
  merchant: {
    /** Identifies the merchant. */
    id: string
    /** The name that payers see; the name of the merchant until you set one. */
    displayName: string
  }
  mode: 'test' | 'live'
  checkout: {
    /** Colour of the page, such as `#0a7d4f`. */
    colour: string | null
    /** A PNG, JPEG or WebP picture of at most 32 kB as a `data:` URL in base64. */
    logo: string | null
  }
  /** What payers are offered. */
  paymentMethods: {
    bankTransfer: boolean
    crypto: boolean
  }
}

export type PublicCheckoutSession = {
  /** Identifies the session. Anyone who knows it can read the public session. */
  reference: string
  merchant: {
    /** Identifies the merchant. */
    id: string
    /** Name shown to payers. */
    displayName: string
  }
  /** Amount to pay, in kobo. */
  amount: number
  /** Such as `NGN`. */
  currency: 'NGN'
  /** What the customer pays for. */
  description: string
  customer: {
    /** Name of the customer. */
    name: string
    /** Email address of the customer. */
    email: string
  }
  /** Ways to pay the session. */
  paymentMethods: ({
    /** `bank_transfer`, `card` or `crypto`. */
    code: string
    /** Display name. */
    label: string
    /** Whether the merchant has enabled the method. */
    enabled: boolean
    /** Whether the session can be paid with it now. */
    available: boolean
    /** `available`, `unavailable` or `coming_soon`. */
    status: string
  })[]
  /**
   * `pending` until the session is `paid`, `expired` or `cancelled`. An expired or cancelled
   * session becomes `paid` if you accept a late payment.
   */
  status: 'pending' | 'paid' | 'expired' | 'cancelled'
  /** When it expires. A payment received later counts as late. */
  expiresAt: string
  /** How to pay by bank transfer. Only present while the session is pending. */
  bankTransfer?: {
    /** Account number to pay into. */
    accountNumber: string
    /** Name on the account. */
    accountName: string
    /** Name of the bank. */
    bankName: string
    /** Code of the bank. */
    bankCode: string
    /** Amount to transfer, in kobo. */
    amount: number
  }
  /** How to pay in a stablecoin. Only present while the session accepts it. */
  crypto?: {
    /** Wallet address to pay into. */
    address: string
    asset: 'USDC' | 'USDT'
    /** Such as `SOLANA`. */
    network: 'SOLANA'
    /** Price in this stablecoin, as the merchant wrote it. */
    amount: string
  }
  /** Naira received, in kobo. */
  amountReceived: number
  /** Naira the merchant accepted, in kobo. */
  amountAccepted: number
  /** Stablecoin amounts, if the session has a price in one. */
  cryptoAmounts?: {
    asset: 'USDC' | 'USDT'
    /** Amount to pay. */
    amount: string
    /** Amount received. */
    amountReceived: string
    /** Amount the merchant accepted. */
    amountAccepted: string
  }
  /** Payments into the session, newest first. */
  received: ({
    /** An integer in kobo for NGN; a decimal string for USDC and USDT. */
    amount: number | string
    currency: 'NGN' | 'USDC' | 'USDT'
    /** Credited to you, before fees. */
    amountAccepted: number | string
    /** Waiting for your decision. */
    amountHeld: number | string
    /** On its way back to the payer. */
    amountReturning: number | string
    /** Returned to the payer. */
    amountReturned: number | string
    /**
     * `HELD` while any part waits for your decision, else `RETURNING` while any part is on its way
     * back, else `ACCEPTED` if you keep any part, else `RETURNED`.
     */
    status: 'HELD' | 'RETURNING' | 'ACCEPTED' | 'RETURNED'
    /** How the payment differs from what was expected. */
    variance: 'NONE' | 'UNDERPAID' | 'OVERPAID' | 'LATE' | 'DUPLICATE'
    /** Bank account that the money is returned to, if any. */
    sentBackTo: {
      /** Name of the bank. */
      bankName: string
      /** Account number with all but the last four digits hidden. */
      accountNumber: string
    } | null
    /** When the bank or chain received the money. */
    receivedAt: string
  })[]
  /**
   * Whether more payments arrived than `received` shows: up to 50, preferring those that need
   * attention.
   */
  moreReceived: boolean
  /** Current time of the environment, to count down to `expiresAt`. */
  serverTime: string
  cancelUrl: string | null
  /** Only present once the session is paid. */
  successUrl?: string | null
}

/** The request was refused, or failed. */
export type Refusal = {
  status: false
  /** Says what to change. */
  message: string
  code: 'validation_failed' | 'authentication_failed' | 'insufficient_balance' | 'forbidden' | 'not_found' | 'method_not_allowed' | 'rate_limited' | 'balance_funding_failed' | 'crypto_transfer_failed' | 'bank_transfer_failed' | 'virtual_account_creation_failed' | 'dedicated_account_creation_failed' | 'crypto_wallet_creation_failed' | 'dedicated_crypto_wallet_creation_failed' | 'checkout_session_failed' | 'checkout_session_not_found' | 'account_action_failed' | 'payment_action_failed' | 'webhook_endpoint_failed' | 'internal_error'
  /** A finer word. */
  reason?: 'invalid_json' | 'payload_too_large' | 'unsupported_media_type' | 'idempotency_key_reused' | 'idempotency_in_progress' | 'outcome_unknown' | 'unavailable' | 'test_mode_only' | 'too_many' | 'endpoint_disabled' | 'duplicate_reference' | 'invalid_state' | 'not_simulated' | 'rail_unavailable' | 'treasury_short' | 'destination_is_mint' | 'destination_is_program' | 'destination_not_a_wallet' | 'destination_wrong_token' | 'destination_frozen' | 'destination_is_ours' | 'simulation_failed' | 'unknown_bank' | 'account_not_found' | 'name_mismatch' | 'kyc_missing' | 'no_bank_account' | 'account_refused' | 'no_payment_method' | 'no_destination' | 'amount_too_large' | 'balance_limit'
  details?: ({
    /** Such as `amount`. */
    field: string
    /** Such as `is required`. */
    issue: string
  })[]
  /**
   * Such as `Correct what the message names (`details` lists the fields) and send the request
   * again.`.
   */
  nextStep?: string
  /** Such as `req_8f3a5c0d9e1b7a46000042`. */
  requestId: string
}

export type Settings = {
  policies: {
    /**
     * What happens to money that does not match: it is returned, accepted, or held until you
     * resolve it. For an overpayment this is about the excess.
     */
    bank: {
      /** Such as `return`. */
      underpayment: 'return' | 'accept' | 'hold'
      /** Such as `return`. */
      overpayment: 'return' | 'accept' | 'hold'
      /** Such as `return`. */
      latePayment: 'return' | 'accept' | 'hold'
      /** Such as `return`. */
      duplicatePayment: 'return' | 'accept' | 'hold'
    }
    /**
     * What happens to money that does not match: it is returned, accepted, or held until you
     * resolve it. For an overpayment this is about the excess.
     */
    crypto: {
      /** Such as `return`. */
      underpayment: 'return' | 'accept' | 'hold'
      /** Such as `return`. */
      overpayment: 'return' | 'accept' | 'hold'
      /** Such as `return`. */
      latePayment: 'return' | 'accept' | 'hold'
      /** Such as `return`. */
      duplicatePayment: 'return' | 'accept' | 'hold'
    }
  }
  checkout: {
    /** The name that payers see; the name of the merchant until you set one. */
    displayName: string
    /** Colour of the page, such as `#0a7d4f`. */
    colour: string | null
    /** A PNG, JPEG or WebP picture of at most 32 kB as a `data:` URL in base64. */
    logo: string | null
    /** Sites that may show the page in a frame, such as `https://shop.example`. */
    frameOrigins: string[]
  }
  /**
   * Below which available balance `balance.low` is sent: NGN in kobo, the others in decimals; null
   * for never.
   */
  lowBalance: {
    NGN: number | null
    USDC: string | null
    USDT: string | null
  }
  /** What payers are offered. */
  paymentMethods: {
    bankTransfer: boolean
    crypto: boolean
  }
}

export type TestClock = {
  /** Time of the environment after the change. */
  now: string
  /** Seconds advanced by this request. */
  advancedBySeconds: number
  /** Seconds ahead of real time in total. */
  aheadBySeconds: number
}

export type TestDeposit = {
  /** Signature of the transaction, which any Solana client can fetch. */
  signature: string
  /** Address of one of your wallets. */
  address: string
  asset: 'USDC' | 'USDT'
  /** A decimal amount; at most 6 digits after the point. */
  amount: string
}

export type TestFunding = {
  /** Identifies the funding. */
  reference: string
  asset: 'NGN' | 'USDC' | 'USDT'
  /** An integer in kobo for NGN; a decimal string for USDC and USDT. */
  amount: number | string
  /** When the balance was funded. */
  createdAt: string
}

export type VirtualAccount = {
  /** Identifies the virtual account. Store it to verify the payment later. */
  reference: string
  /** Your own reference, such as an order number. */
  merchantReference: string
  /** Account number to pay into. */
  accountNumber: string
  /** Name on the account. */
  accountName: string
  /** Code of the bank. */
  bankCode: string
  /** Name of the bank. */
  bankName: string
  /** Amount to collect, in kobo. The customer pays exactly this. */
  amount: number
  /** Such as `NGN`. */
  currency: 'NGN'
  /** `ACTIVE` until it ends as `PAID`, `EXPIRED` or `CANCELLED`. */
  status: 'ACTIVE' | 'PAID' | 'EXPIRED' | 'CANCELLED'
  /** How the latest mismatched payment differs from what was expected. */
  variance: 'NONE' | 'UNDERPAID' | 'OVERPAID' | 'LATE' | 'DUPLICATE'
  /** Sum of all payments, in kobo. */
  amountReceived: number
  /** Credited to you, before fees. */
  amountAccepted: number
  /** Waiting for your decision. */
  amountHeld: number
  /** On its way back to the payer. */
  amountReturning: number
  /** Returned to the payer. */
  amountReturned: number
  /** The latest 50 payments, newest first. */
  payments: Payment[]
  /** The JSON object you sent, returned unchanged. */
  metadata: Record<string, unknown>
  /** When it expires. A payment received later counts as late. */
  expiresAt: string
  /** When it was created. */
  createdAt: string
  /** When it was paid. */
  paidAt: string | null
}

export type WebhookEndpoint = {
  /** Identifies the endpoint. */
  id: string
  /** URL that events are sent to. */
  url: string
  /** Event types or groups such as `payment.*` that are sent; `*` means all. */
  events: string[]
  /** Your own description. */
  description: string
  /** Whether events are sent to it. */
  enabled: boolean
  /**
   * `merchant`: you disabled it. `gone`: it answered 410. `failing`: every delivery failed for five
   * days.
   */
  disabledReason: 'merchant' | 'gone' | 'failing' | null
  /** When deliveries began to fail; null while they succeed. */
  failingSince: string | null
  /** Ed25519 public key that verifies `v1a` signatures. */
  publicKey: string
  /** When the endpoint was created. */
  createdAt: string
}

export type WebhookEndpointWithSecret = {
  /** Identifies the endpoint. */
  id: string
  /** URL that events are sent to. */
  url: string
  /** Event types or groups such as `payment.*` that are sent; `*` means all. */
  events: string[]
  /** Your own description. */
  description: string
  /** Whether events are sent to it. */
  enabled: boolean
  /**
   * `merchant`: you disabled it. `gone`: it answered 410. `failing`: every delivery failed for five
   * days.
   */
  disabledReason: 'merchant' | 'gone' | 'failing' | null
  /** When deliveries began to fail; null while they succeed. */
  failingSince: string | null
  /** Ed25519 public key that verifies `v1a` signatures. */
  publicKey: string
  /** When the endpoint was created. */
  createdAt: string
  /** Signing secret for `v1` signatures. Shown only in this response. */
  secret: string
}

/** Create a virtual account. */
export type CreateVirtualAccountInput = {
  /** Yours. */
  merchantReference: string
  /** Naira in kobo. */
  amount: number
  currency?: 'NGN' | undefined
  /** ISO 8601; at most 24 hours ahead. */
  expiresAt?: string | undefined
  /** Anything of yours; it comes back as it was sent. */
  metadata?: Record<string, unknown> | undefined
}

/** List virtual accounts. */
export type ListVirtualAccountsQuery = {
  /** Yours. */
  merchantReference?: string | undefined
  /** Only those in this state. */
  status?: 'ACTIVE' | 'PAID' | 'EXPIRED' | 'CANCELLED' | undefined
  /** Items per page. */
  limit?: number | undefined
  /** The `nextCursor` of the page before. */
  cursor?: string | undefined
}

/** Create a dedicated account. */
export type CreateDedicatedAccountInput = {
  /** Yours. */
  externalReference: string
  /** Anything of yours; it comes back as it was sent. */
  metadata?: Record<string, unknown> | undefined
}

/** List dedicated accounts. */
export type ListDedicatedAccountsQuery = {
  /** Yours. */
  externalReference?: string | undefined
  /** Only those in this state. */
  status?: 'ACTIVE' | 'INACTIVE' | undefined
  /** Items per page. */
  limit?: number | undefined
  /** The `nextCursor` of the page before. */
  cursor?: string | undefined
}

/** Create a crypto wallet. */
export type CreateCryptoWalletInput = {
  /** Yours. */
  merchantReference: string
  asset: 'USDC' | 'USDT'
  network: 'SOLANA'
  /** A decimal amount; at most 6 digits after the point. */
  amount: string
  /** ISO 8601; at most 24 hours ahead. */
  expiresAt?: string | undefined
  /** Anything of yours; it comes back as it was sent. */
  metadata?: Record<string, unknown> | undefined
}

/** List crypto wallets. */
export type ListCryptoWalletsQuery = {
  /** Yours. */
  merchantReference?: string | undefined
  /** Only those in this state. */
  status?: 'ACTIVE' | 'PAID' | 'EXPIRED' | 'CANCELLED' | undefined
  /** Items per page. */
  limit?: number | undefined
  /** The `nextCursor` of the page before. */
  cursor?: string | undefined
}

/** Create a dedicated crypto wallet. */
export type CreateDedicatedCryptoWalletInput = {
  /** Yours. */
  externalReference: string
  network: 'SOLANA'
  /** Anything of yours; it comes back as it was sent. */
  metadata?: Record<string, unknown> | undefined
}

/** List dedicated crypto wallets. */
export type ListDedicatedCryptoWalletsQuery = {
  /** Yours. */
  externalReference?: string | undefined
  /** Only those in this state. */
  status?: 'ACTIVE' | undefined
  /** Items per page. */
  limit?: number | undefined
  /** The `nextCursor` of the page before. */
  cursor?: string | undefined
}

/** List payments. */
export type ListPaymentsQuery = {
  /** Only payments into this kind of account. */
  source?: 'virtual_account' | 'dedicated_account' | 'crypto_wallet' | 'dedicated_crypto_wallet' | undefined
  /** Only payments into the account or wallet with this reference. */
  accountReference?: string | undefined
  /** Only those in this state. */
  status?: 'HELD' | 'RETURNING' | 'ACCEPTED' | 'RETURNED' | undefined
  /** Items per page. */
  limit?: number | undefined
  /** The `nextCursor` of the page before. */
  cursor?: string | undefined
}

/** List returns of a payment. */
export type ListPaymentReturnsQuery = {
  /** Items per page. */
  limit?: number | undefined
  /** The `nextCursor` of the page before. */
  cursor?: string | undefined
}

/** Decide about held money. */
export type ResolvePaymentInput = {
  /** Such as `accept`. */
  action: 'accept' | 'return'
  /** Of naira: a bank account. Of coins: a wallet, which must always be named. */
  destination?: {
    /** Such as `058`. */
    bankCode: string
    /** Such as `0123456789`. */
    accountNumber: string
    /** Such as `ADA OBI`. */
    accountName?: string | undefined
  } | {
    /** A Solana wallet. There is no checksum: half of all typing errors are valid too. */
    address: string
  } | undefined
}

/** Refund a payment. */
export type RefundPaymentInput = {
  /** Of NGN: an integer of kobo. Of USDC and USDT: a decimal string. */
  amount?: number | string | undefined
  /** Of naira: a bank account. Of coins: a wallet, which must always be named. */
  destination?: {
    /** Such as `058`. */
    bankCode: string
    /** Such as `0123456789`. */
    accountNumber: string
    /** Such as `ADA OBI`. */
    accountName?: string | undefined
  } | {
    /** A Solana wallet. There is no checksum: half of all typing errors are valid too. */
    address: string
  } | undefined
}

/** Create a checkout session. */
export type CreateCheckoutSessionInput = {
  /** Naira in kobo. */
  amount: number
  currency?: 'NGN' | undefined
  /** Such as `Two loaves of agege bread`. */
  description: string
  customer: {
    /** Such as `Ada Obi`. */
    name: string
    /** Such as `ada@example.com`. */
    email: string
  }
  /** Yours. */
  merchantReference?: string | undefined
  /** ISO 8601; at most 24 hours ahead. */
  expiresAt?: string | undefined
  /**
   * Lets the customer pay in coins instead, at your price. Needs `paymentMethods.crypto` in the
   * settings.
   */
  crypto?: {
    asset: 'USDC' | 'USDT'
    network: 'SOLANA'
    /** A decimal amount; at most 6 digits after the point. */
    amount: string
  } | undefined
  /** Where the customer goes on when paid; `reference` is added to it. */
  successUrl?: string | undefined
  /** Where the customer goes back to; `reference` is added to it. */
  cancelUrl?: string | undefined
  /** Anything of yours; it comes back as it was sent. */
  metadata?: Record<string, unknown> | undefined
}

/** List checkout sessions. */
export type ListCheckoutSessionsQuery = {
  /** Yours. */
  merchantReference?: string | undefined
  /** Only those in this state. */
  status?: 'pending' | 'paid' | 'expired' | 'cancelled' | undefined
  /** Items per page. */
  limit?: number | undefined
  /** The `nextCursor` of the page before. */
  cursor?: string | undefined
}

/** Simulate a payment. */
export type SimulatePublicCheckoutInput = {
  /** Payment method; a bank transfer unless you say otherwise. */
  method?: 'bank_transfer' | 'crypto' | undefined
}

/** Create a crypto transfer. */
export type CreateCryptoTransferInput = {
  /** A decimal amount; at most 6 digits after the point. */
  amount: string
  asset: 'USDC' | 'USDT'
  network: 'SOLANA'
  /** A Solana wallet. There is no checksum: half of all typing errors are valid too. */
  destinationAddress: string
  /** Yours; no two may have the same. */
  merchantReference?: string | undefined
  /** Anything of yours; it comes back as it was sent. */
  metadata?: Record<string, unknown> | undefined
}

/** Price a crypto transfer. */
export type QuoteCryptoTransferInput = {
  /** A decimal amount; at most 6 digits after the point. */
  amount: string
  asset: 'USDC' | 'USDT'
  network: 'SOLANA'
  /** A Solana wallet. There is no checksum: half of all typing errors are valid too. */
  destinationAddress: string
}

/** List crypto transfers. */
export type ListCryptoTransfersQuery = {
  /** Yours; no two may have the same. */
  merchantReference?: string | undefined
  /** Only those in this state. */
  status?: 'SUBMITTED' | 'CONFIRMED' | 'FAILED' | undefined
  /** Items per page. */
  limit?: number | undefined
  /** The `nextCursor` of the page before. */
  cursor?: string | undefined
}

/** Create a bank transfer. */
export type CreateBankTransferInput = {
  /** Naira in kobo. */
  amount: number
  currency?: 'NGN' | undefined
  /** As in `GET /v1/banks`. */
  bankCode: string
  /** Ten digits. */
  accountNumber: string
  /** If sent, the transfer is refused when the account belongs to somebody else. */
  accountName?: string | undefined
  /** What the recipient reads. */
  narration?: string | undefined
  /** Yours; no two may have the same. */
  merchantReference?: string | undefined
  /** Anything of yours; it comes back as it was sent. */
  metadata?: Record<string, unknown> | undefined
}

/** Price a bank transfer. */
export type QuoteBankTransferInput = {
  /** Naira in kobo. */
  amount: number
  currency?: 'NGN' | undefined
  /** As in `GET /v1/banks`. */
  bankCode: string
  /** Ten digits. */
  accountNumber: string
  /** If sent, the transfer is refused when the account belongs to somebody else. */
  accountName?: string | undefined
}

/** List bank transfers. */
export type ListBankTransfersQuery = {
  /** Yours; no two may have the same. */
  merchantReference?: string | undefined
  /** Only those in this state. */
  status?: 'SUBMITTED' | 'COMPLETED' | 'FAILED' | 'REVERSED' | undefined
  /** Items per page. */
  limit?: number | undefined
  /** The `nextCursor` of the page before. */
  cursor?: string | undefined
}

/** Resolve the name of a bank account. */
export type ResolveBankAccountQuery = {
  /** As in `GET /v1/banks`. */
  bankCode: string
  /** Ten digits. */
  accountNumber: string
}

/** List balance entries. */
export type ListBalanceEntriesQuery = {
  /** Only entries of this asset. */
  asset?: 'NGN' | 'USDC' | 'USDT' | undefined
  /** Items per page. */
  limit?: number | undefined
  /** The `nextCursor` of the page before. */
  cursor?: string | undefined
}

/** Update settings. */
export type ChangeSettingsInput = {
  policies?: {
    bank?: {
      /** Such as `return`. */
      underpayment?: 'return' | 'accept' | 'hold' | undefined
      /** Such as `return`. */
      overpayment?: 'return' | 'accept' | 'hold' | undefined
      /** Such as `return`. */
      latePayment?: 'return' | 'accept' | 'hold' | undefined
      /** Such as `return`. */
      duplicatePayment?: 'return' | 'accept' | 'hold' | undefined
    } | undefined
    crypto?: {
      /** Such as `return`. */
      underpayment?: 'return' | 'accept' | 'hold' | undefined
      /** Such as `return`. */
      overpayment?: 'return' | 'accept' | 'hold' | undefined
      /** Such as `return`. */
      latePayment?: 'return' | 'accept' | 'hold' | undefined
      /** Such as `return`. */
      duplicatePayment?: 'return' | 'accept' | 'hold' | undefined
    } | undefined
  } | undefined
  checkout?: {
    /** The name that payers see; the name of the merchant until you set one. */
    displayName?: string | undefined
    /** Colour of the page, such as `#0a7d4f`. */
    colour?: string | null | undefined
    /** A PNG, JPEG or WebP picture of at most 32 kB as a `data:` URL in base64. */
    logo?: string | null | undefined
    /** Sites that may show the page in a frame, such as `https://shop.example`. */
    frameOrigins?: string[] | undefined
  } | undefined
  lowBalance?: {
    NGN?: number | null | undefined
    USDC?: string | null | undefined
    USDT?: string | null | undefined
  } | undefined
  paymentMethods?: {
    bankTransfer?: boolean | undefined
    crypto?: boolean | undefined
  } | undefined
}

/** Create a webhook endpoint. */
export type CreateWebhookEndpointInput = {
  /** Such as `https://shop.example/webhooks`. */
  url: string
  /** Event types or groups such as `payment.*`; `*` means all. */
  events?: ('*' | 'virtual_account.*' | 'dedicated_account.*' | 'checkout.session.*' | 'crypto_wallet.*' | 'dedicated_crypto_wallet.*' | 'payment.*' | 'crypto_transfer.*' | 'bank_transfer.*' | 'balance.*' | 'webhook_endpoint.*' | 'virtual_account.paid' | 'virtual_account.underpaid' | 'virtual_account.overpaid' | 'virtual_account.late_payment' | 'virtual_account.duplicate_payment' | 'virtual_account.expired' | 'virtual_account.cancelled' | 'dedicated_account.created' | 'dedicated_account.credited' | 'dedicated_account.deactivated' | 'checkout.session.paid' | 'checkout.session.expired' | 'checkout.session.cancelled' | 'crypto_wallet.paid' | 'crypto_wallet.underpaid' | 'crypto_wallet.overpaid' | 'crypto_wallet.late_payment' | 'crypto_wallet.duplicate_payment' | 'crypto_wallet.expired' | 'crypto_wallet.cancelled' | 'dedicated_crypto_wallet.created' | 'dedicated_crypto_wallet.credited' | 'payment.held' | 'payment.returning' | 'payment.returned' | 'payment.refunded' | 'payment.refund_failed' | 'crypto_transfer.submitted' | 'crypto_transfer.confirmed' | 'crypto_transfer.failed' | 'bank_transfer.submitted' | 'bank_transfer.completed' | 'bank_transfer.failed' | 'bank_transfer.reversed' | 'balance.low' | 'webhook_endpoint.disabled' | 'webhook_endpoint.test')[] | undefined
  /** Such as `Orders`. */
  description?: string | undefined
}

/** List webhook endpoints. */
export type ListWebhookEndpointsQuery = {
  /** Items per page. */
  limit?: number | undefined
  /** The `nextCursor` of the page before. */
  cursor?: string | undefined
}

/** Update a webhook endpoint. */
export type ChangeWebhookEndpointInput = {
  /** Such as `https://shop.example/webhooks`. */
  url?: string | undefined
  /** Event types or groups such as `payment.*`; `*` means all. */
  events?: ('*' | 'virtual_account.*' | 'dedicated_account.*' | 'checkout.session.*' | 'crypto_wallet.*' | 'dedicated_crypto_wallet.*' | 'payment.*' | 'crypto_transfer.*' | 'bank_transfer.*' | 'balance.*' | 'webhook_endpoint.*' | 'virtual_account.paid' | 'virtual_account.underpaid' | 'virtual_account.overpaid' | 'virtual_account.late_payment' | 'virtual_account.duplicate_payment' | 'virtual_account.expired' | 'virtual_account.cancelled' | 'dedicated_account.created' | 'dedicated_account.credited' | 'dedicated_account.deactivated' | 'checkout.session.paid' | 'checkout.session.expired' | 'checkout.session.cancelled' | 'crypto_wallet.paid' | 'crypto_wallet.underpaid' | 'crypto_wallet.overpaid' | 'crypto_wallet.late_payment' | 'crypto_wallet.duplicate_payment' | 'crypto_wallet.expired' | 'crypto_wallet.cancelled' | 'dedicated_crypto_wallet.created' | 'dedicated_crypto_wallet.credited' | 'payment.held' | 'payment.returning' | 'payment.returned' | 'payment.refunded' | 'payment.refund_failed' | 'crypto_transfer.submitted' | 'crypto_transfer.confirmed' | 'crypto_transfer.failed' | 'bank_transfer.submitted' | 'bank_transfer.completed' | 'bank_transfer.failed' | 'bank_transfer.reversed' | 'balance.low' | 'webhook_endpoint.disabled' | 'webhook_endpoint.test')[] | undefined
  /** Such as `Orders`. */
  description?: string | undefined
  /** Whether events are sent to it. */
  enabled?: boolean | undefined
}

/** Recover missed events. */
export type RecoverWebhookEndpointInput = {
  /** Recover events from this time on. */
  since: string
}

/** List events. */
export type ListEventsQuery = {
  /** Only events of this type, or of this group such as `payment.*`. */
  type?: '*' | 'virtual_account.*' | 'dedicated_account.*' | 'checkout.session.*' | 'crypto_wallet.*' | 'dedicated_crypto_wallet.*' | 'payment.*' | 'crypto_transfer.*' | 'bank_transfer.*' | 'balance.*' | 'webhook_endpoint.*' | 'virtual_account.paid' | 'virtual_account.underpaid' | 'virtual_account.overpaid' | 'virtual_account.late_payment' | 'virtual_account.duplicate_payment' | 'virtual_account.expired' | 'virtual_account.cancelled' | 'dedicated_account.created' | 'dedicated_account.credited' | 'dedicated_account.deactivated' | 'checkout.session.paid' | 'checkout.session.expired' | 'checkout.session.cancelled' | 'crypto_wallet.paid' | 'crypto_wallet.underpaid' | 'crypto_wallet.overpaid' | 'crypto_wallet.late_payment' | 'crypto_wallet.duplicate_payment' | 'crypto_wallet.expired' | 'crypto_wallet.cancelled' | 'dedicated_crypto_wallet.created' | 'dedicated_crypto_wallet.credited' | 'payment.held' | 'payment.returning' | 'payment.returned' | 'payment.refunded' | 'payment.refund_failed' | 'crypto_transfer.submitted' | 'crypto_transfer.confirmed' | 'crypto_transfer.failed' | 'bank_transfer.submitted' | 'bank_transfer.completed' | 'bank_transfer.failed' | 'bank_transfer.reversed' | 'balance.low' | 'webhook_endpoint.disabled' | 'webhook_endpoint.test' | undefined
  /** Only events about the resource with this reference. */
  resource?: string | undefined
  /** Only events at or after this time. */
  from?: string | undefined
  /** Only events before this time. */
  to?: string | undefined
  /** Items per page. */
  limit?: number | undefined
  /** The `nextCursor` of the page before. */
  cursor?: string | undefined
}

/** List deliveries of an event. */
export type ListEventDeliveriesQuery = {
  /** Items per page. */
  limit?: number | undefined
  /** The `nextCursor` of the page before. */
  cursor?: string | undefined
}

/** Redeliver an event. */
export type RedeliverEventInput = {
  /** The webhook endpoint. */
  endpointId?: string | undefined
}

/** List request logs. */
export type ListRequestLogsQuery = {
  /** Only responses with this status, such as `422`, or of this class, such as `4xx`. */
  status?: string | undefined
  /** Only requests with this method. */
  method?: 'GET' | 'HEAD' | 'POST' | 'PATCH' | 'DELETE' | undefined
  /** Only paths that start with this. */
  path?: string | undefined
  /** Only the request with this `X-Request-Id`. */
  requestId?: string | undefined
  /** Only requests at or after this time. */
  from?: string | undefined
  /** Only requests before this time. */
  to?: string | undefined
  /** Items per page. */
  limit?: number | undefined
  /** The `nextCursor` of the page before. */
  cursor?: string | undefined
}

/** Fund a test balance. */
export type FundTestBalanceInput = NairaFunding | CoinFunding

/** Set the outcome of a test transfer. */
export type SettleTestDisbursementInput = {
  /** Such as `complete`. */
  outcome: 'complete' | 'fail' | 'reverse' | 'stay_unknown' | 'lose' | 'land' | 'expire'
}

/** Send a test payment. */
export type PayTestAccountInput = {
  /** Such as `0000014572`. */
  accountNumber: string
  /** Naira in kobo. */
  amount: number
  sender?: {
    /** Name of the sender. */
    name?: string | undefined
    /** Such as `0123456789`. */
    accountNumber?: string | undefined
    /** Such as `058`. */
    bankCode?: string | undefined
    /** Whether the bank hides all but the last digits of the account number. */
    masked?: boolean | undefined
  } | undefined
  /** Text that the payer wrote. */
  narration?: string | undefined
  /** When the bank received the money. Defaults to now. */
  sentAt?: string | undefined
  /** How many times the bank sends the notice. */
  copies?: number | undefined
}

/** Send a test deposit. */
export type DepositTestCoinsInput = {
  /** Address of one of your wallets. */
  address: string
  asset: 'USDC' | 'USDT'
  /** A decimal amount; at most 6 digits after the point. */
  amount: string
}

/** Advance the test clock. */
export type AdvanceTestClockInput = {
  /** Seconds to advance. The clock cannot be moved back. */
  seconds: number
}

/** What comes with each type of event. */
export type EventData = {
  /** A virtual account was paid. Also sent along with `overpaid`. */
  'virtual_account.paid': VirtualAccount
  /** A payment was smaller than the amount of its virtual account. */
  'virtual_account.underpaid': VirtualAccount
  /** A payment was larger than the amount of its virtual account. */
  'virtual_account.overpaid': VirtualAccount
  /** A payment arrived after its virtual account expired or was cancelled. */
  'virtual_account.late_payment': VirtualAccount
  /** A payment arrived at a virtual account that was already paid. */
  'virtual_account.duplicate_payment': VirtualAccount
  /** A virtual account expired unpaid. */
  'virtual_account.expired': VirtualAccount
  /** You cancelled a virtual account. */
  'virtual_account.cancelled': VirtualAccount
  /** A dedicated account was created. */
  'dedicated_account.created': DedicatedAccount
  /** A payment arrived at a dedicated account. */
  'dedicated_account.credited': CreditedAccount
  /** You deactivated a dedicated account. */
  'dedicated_account.deactivated': DedicatedAccount
  /** A checkout session was paid. */
  'checkout.session.paid': CheckoutSession
  /** A checkout session expired unpaid. */
  'checkout.session.expired': CheckoutSession
  /** A checkout session was cancelled. */
  'checkout.session.cancelled': CheckoutSession
  /** A crypto wallet was paid and the deposit is final. */
  'crypto_wallet.paid': CryptoWallet
  /** A deposit was smaller than the amount of its crypto wallet. */
  'crypto_wallet.underpaid': CryptoWallet
  /** A deposit was larger than the amount of its crypto wallet. */
  'crypto_wallet.overpaid': CryptoWallet
  /** A deposit arrived after its crypto wallet expired or was cancelled. */
  'crypto_wallet.late_payment': CryptoWallet
  /** A deposit arrived at a crypto wallet that was already paid. */
  'crypto_wallet.duplicate_payment': CryptoWallet
  /** A crypto wallet expired unpaid. */
  'crypto_wallet.expired': CryptoWallet
  /** You cancelled a crypto wallet. */
  'crypto_wallet.cancelled': CryptoWallet
  /** A dedicated crypto wallet was created. */
  'dedicated_crypto_wallet.created': DedicatedCryptoWallet
  /** A deposit to a dedicated crypto wallet is final. */
  'dedicated_crypto_wallet.credited': CreditedCryptoWallet
  /** Money of a payment is held and waits for your decision. */
  'payment.held': Payment
  /** Money of a payment is on its way back to the sender. */
  'payment.returning': Payment
  /** Money of a payment was returned to the sender. */
  'payment.returned': Payment
  /** A refund reached the payer. */
  'payment.refunded': Payment
  /** A refund failed or was sent back. The money is in your balance again. */
  'payment.refund_failed': Payment
  /** A crypto transfer was submitted. */
  'crypto_transfer.submitted': CryptoTransfer
  /** A crypto transfer is final on the chain. */
  'crypto_transfer.confirmed': CryptoTransfer
  /** A crypto transfer failed. Amount and fee are available again. */
  'crypto_transfer.failed': CryptoTransfer
  /** A bank transfer was submitted. */
  'bank_transfer.submitted': BankTransfer
  /** The bank confirmed that a bank transfer arrived. */
  'bank_transfer.completed': BankTransfer
  /** A bank transfer failed. Amount and fee are available again. */
  'bank_transfer.failed': BankTransfer
  /** The bank returned a completed bank transfer. Amount and fee are available again. */
  'bank_transfer.reversed': BankTransfer
  /** An available balance fell below its threshold. */
  'balance.low': LowBalance
  /**
   * A webhook endpoint was disabled because it answered 410, or because every delivery failed for
   * five days.
   */
  'webhook_endpoint.disabled': WebhookEndpoint
  /** You requested a test event. */
  'webhook_endpoint.test': WebhookEndpoint
}

export type EventType = keyof EventData

/** An event of one type. */
export type EventOf<Type extends EventType> = {
  /** Identifies the event. Also sent in the `webhook-id` header. */
  id: string
  /** When the event happened. */
  timestamp: string
  mode: 'test' | 'live'
  /**
   * Increases with every event of the same resource, so that you can ignore events that arrive
   * late.
   */
  sequence: number
  type: Type
  /** The resource at that moment. */
  data: EventData[Type]
}

/** Any event: `type` says which, and so what `data` is. */
export type WebhookEvent = { [Type in EventType]: EventOf<Type> }[EventType]
