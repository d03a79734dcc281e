// Written by `npm run generate` from openapi.json. Changes by hand are lost.

export type Balance = {
  asset: 'NGN' | 'USDC' | 'USDT'
  /** NGN: an integer of kobo. USDC and USDT: a decimal string. */
  available: number | string
  /** Set aside by open payouts. */
  held: number | string
  /** Received and not yet decided. */
  pending: number | string
}

export type BalanceEntry = {
  /** Its place in the statement of its asset: 1, 2, 3, … without gaps. */
  number: number
  asset: 'NGN' | 'USDC' | 'USDT'
  /** Why the balance changed. */
  type: string
  /** Counted at once, set aside for a payout, or given back by one. */
  effect: 'post' | 'hold' | 'release'
  /** The change of the available balance; negative where it fell. */
  amount: number | string
  /** NGN: an integer of kobo. USDC and USDT: a decimal string. */
  balanceAfter: number | string
  /** What caused it. */
  reference: string
  /** ISO 8601, UTC, with milliseconds. */
  createdAt: string
}

export type Bank = {
  /** Such as `058`. */
  code: string
  /** Such as `GTBank`. */
  name: string
}

export type BankAccount = {
  /** A bank code from `GET /v1/banks`. */
  bankCode: string
  /** Ten digits. */
  accountNumber: string
  /** Such as `GTBank`. */
  bankName: string
  /** Such as `ADA OBI`. */
  accountName: string
}

export type BankTransfer = {
  /** Such as `bt_06drtrktg1y337r4bb9bwrf0yw`. */
  reference: string
  /** Such as `payout-9`. */
  merchantReference?: string
  /** Naira in kobo. */
  amount: number
  /** Naira in kobo. */
  fee: number
  /** Naira in kobo. */
  totalDebit: number
  /** Such as `NGN`. */
  currency: 'NGN'
  /** Such as `058`. */
  bankCode: string
  /** Such as `GTBank`. */
  bankName: string
  /** Such as `0123456789`. */
  accountNumber: string
  /** Such as `ADA OBI`. */
  accountName: string
  narration: string | null
  status: 'SUBMITTED' | 'COMPLETED' | 'FAILED' | 'REVERSED'
  sessionId: string | null
  /** Nobody could say for three days what became of it. */
  reviewRequired: boolean
  failureReason: string | null
  /** As you sent it. */
  metadata: Record<string, unknown>
  /** ISO 8601, UTC, with milliseconds. */
  submittedAt: string
  completedAt: string | null
  failedAt: string | null
  reversedAt: string | null
  /** ISO 8601, UTC, with milliseconds. */
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
  /** Such as `cs_06dst4m7b0fgv3x0ba9bwrf0yx3k5r8c2h7m4q9`. */
  reference: string
  merchant: {
    /** Such as `mer_06drtrktg1y337r4bb9bwrf0yw`. */
    id: string
    /** Such as `Ada Stores`. */
    displayName: string
  }
  /** Naira in kobo. */
  amount: number
  /** Such as `NGN`. */
  currency: 'NGN'
  /** Such as `Two loaves of agege bread`. */
  description: string
  customer: {
    /** Such as `Ada Obi`. */
    name: string
    /** Such as `ada@example.com`. */
    email: string
  }
  paymentMethods: ({
    /** Such as `bank_transfer`. */
    code: string
    /** Such as `Bank transfer`. */
    label: string
    enabled: boolean
    available: boolean
    /** Such as `available`. */
    status: string
  })[]
  status: 'pending' | 'paid' | 'expired' | 'cancelled'
  /** ISO 8601, UTC, with milliseconds. */
  expiresAt: string
  /** Such as `order-1001`. */
  merchantReference?: string
  /** Such as `https://pay.example.com/checkout/cs_06dst4m7b0fgv3x0ba9bwrf0yx3k5r8c2h7m4q9`. */
  url: string
  /** Such as `va_06drtrktg1y337r4bb9bwrf0yw`. */
  virtualAccount: string
  crypto?: {
    asset: 'USDC' | 'USDT'
    /** Such as `SOLANA`. */
    network: 'SOLANA'
    /** A decimal amount. */
    amount: string
  }
  /** Such as `cw_06drtrktg1y337r4bb9bwrf0yw`. */
  cryptoWallet?: string
  successUrl: string | null
  cancelUrl: string | null
  /** As you sent it. */
  metadata: Record<string, unknown>
  /** ISO 8601, UTC, with milliseconds. */
  createdAt: string
}

export type CoinFunding = {
  asset: 'USDC' | 'USDT'
  /** A decimal amount; at most 6 digits after the point. */
  amount: string
}

export type CreditedAccount = {
  /** Such as `customer-77`. */
  externalReference: string
  /** Such as `da_06drtrktg1y337r4bb9bwrf0yw`. */
  accountReference: string
  /** Such as `0000000223`. */
  accountNumber: string
  /** Such as `Ada Stores`. */
  accountName: string
  /** Such as `999`. */
  bankCode: string
  /** Such as `Sandbox Bank`. */
  bankName: string
  status: 'ACTIVE' | 'INACTIVE'
  /** As you sent it. */
  metadata: Record<string, unknown>
  /** ISO 8601, UTC, with milliseconds. */
  createdAt: string
  payment: Payment
}

export type CreditedCryptoWallet = {
  /** Such as `customer-77`. */
  externalReference: string
  /** Such as `dw_06drtrktg1y337r4bb9bwrf0yw`. */
  reference: string
  /** Such as `HAgk14JpMQLgt6rVgv7cBQFJWFto5Dqxi472uT3DKpqk`. */
  address: string
  assets: ('USDC' | 'USDT')[]
  /** Such as `SOLANA`. */
  network: 'SOLANA'
  status: 'ACTIVE'
  /**
   * What came and is not for this wallet: kept there, and not credited. Shown where one wallet is
   * read, not in lists and events.
   */
  otherDeposits?: ({
    /** USDC, USDT, or the address of another mint. */
    asset: string
    /** In the smallest unit of the token. */
    units: string
    /**
     * Such as
     * `5h6xBEauJ3PK6SWCZ1PGjBvj8vDdWG3KpwATGy1ARAXFSDwt8GFXM7W5Ncn16wmqokgpiKRLuS83KUxyZyv2sUYv`.
     */
    signature: string
    /** ISO 8601, UTC, with milliseconds. */
    receivedAt: string
  })[]
  /** As you sent it. */
  metadata: Record<string, unknown>
  /** ISO 8601, UTC, with milliseconds. */
  createdAt: string
  payment: Payment
}

export type CryptoTransfer = {
  /** Such as `ct_06drtrktg1y337r4bb9bwrf0yw`. */
  reference: string
  /** Such as `payout-9`. */
  merchantReference?: string
  asset: 'USDC' | 'USDT'
  /** Such as `SOLANA`. */
  network: 'SOLANA'
  /** A decimal amount. */
  amount: string
  /** A decimal amount. */
  fee: string
  /** A decimal amount. */
  totalDebit: string
  /** Such as `HAgk14JpMQLgt6rVgv7cBQFJWFto5Dqxi472uT3DKpqk`. */
  destinationAddress: string
  status: 'SUBMITTED' | 'CONFIRMED' | 'FAILED'
  /** Of the latest attempt. */
  transactionSignature: string
  failureReason: string | null
  /** As you sent it. */
  metadata: Record<string, unknown>
  /** ISO 8601, UTC, with milliseconds. */
  submittedAt: string
  confirmedAt: string | null
  failedAt: string | null
  /** ISO 8601, UTC, with milliseconds. */
  createdAt: string
  attempts: ({
    /**
     * Such as
     * `5h6xBEauJ3PK6SWCZ1PGjBvj8vDdWG3KpwATGy1ARAXFSDwt8GFXM7W5Ncn16wmqokgpiKRLuS83KUxyZyv2sUYv`.
     */
    signature: string
    /** ISO 8601, UTC, with milliseconds. */
    submittedAt: string
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
  /** Such as `cw_06drtrktg1y337r4bb9bwrf0yw`. */
  reference: string
  /** Such as `order-1001`. */
  merchantReference: string
  /** Such as `HAgk14JpMQLgt6rVgv7cBQFJWFto5Dqxi472uT3DKpqk`. */
  address: string
  asset: 'USDC' | 'USDT'
  /** Such as `SOLANA`. */
  network: 'SOLANA'
  /** A decimal amount. */
  amount: string
  status: 'ACTIVE' | 'PAID' | 'EXPIRED' | 'CANCELLED'
  /** The latest payment that did not match. */
  variance: 'NONE' | 'UNDERPAID' | 'OVERPAID' | 'LATE' | 'DUPLICATE'
  /** A decimal amount. */
  amountReceived: string
  /** A decimal amount. */
  amountAccepted: string
  /** A decimal amount. */
  amountHeld: string
  /** A decimal amount. */
  amountReturning: string
  /** A decimal amount. */
  amountReturned: string
  /** The latest fifty, newest first. */
  payments: Payment[]
  /**
   * What came and is not for this wallet: kept there, and not credited. Shown where one wallet is
   * read, not in lists and events.
   */
  otherDeposits?: ({
    /** USDC, USDT, or the address of another mint. */
    asset: string
    /** In the smallest unit of the token. */
    units: string
    /**
     * Such as
     * `5h6xBEauJ3PK6SWCZ1PGjBvj8vDdWG3KpwATGy1ARAXFSDwt8GFXM7W5Ncn16wmqokgpiKRLuS83KUxyZyv2sUYv`.
     */
    signature: string
    /** ISO 8601, UTC, with milliseconds. */
    receivedAt: string
  })[]
  /** As you sent it. */
  metadata: Record<string, unknown>
  /** ISO 8601, UTC, with milliseconds. */
  expiresAt: string
  /** ISO 8601, UTC, with milliseconds. */
  createdAt: string
  paidAt: string | null
}

export type DedicatedAccount = {
  /** Such as `customer-77`. */
  externalReference: string
  /** Such as `da_06drtrktg1y337r4bb9bwrf0yw`. */
  accountReference: string
  /** Such as `0000000223`. */
  accountNumber: string
  /** Such as `Ada Stores`. */
  accountName: string
  /** Such as `999`. */
  bankCode: string
  /** Such as `Sandbox Bank`. */
  bankName: string
  status: 'ACTIVE' | 'INACTIVE'
  /** As you sent it. */
  metadata: Record<string, unknown>
  /** ISO 8601, UTC, with milliseconds. */
  createdAt: string
}

export type DedicatedCryptoWallet = {
  /** Such as `customer-77`. */
  externalReference: string
  /** Such as `dw_06drtrktg1y337r4bb9bwrf0yw`. */
  reference: string
  /** Such as `HAgk14JpMQLgt6rVgv7cBQFJWFto5Dqxi472uT3DKpqk`. */
  address: string
  assets: ('USDC' | 'USDT')[]
  /** Such as `SOLANA`. */
  network: 'SOLANA'
  status: 'ACTIVE'
  /**
   * What came and is not for this wallet: kept there, and not credited. Shown where one wallet is
   * read, not in lists and events.
   */
  otherDeposits?: ({
    /** USDC, USDT, or the address of another mint. */
    asset: string
    /** In the smallest unit of the token. */
    units: string
    /**
     * Such as
     * `5h6xBEauJ3PK6SWCZ1PGjBvj8vDdWG3KpwATGy1ARAXFSDwt8GFXM7W5Ncn16wmqokgpiKRLuS83KUxyZyv2sUYv`.
     */
    signature: string
    /** ISO 8601, UTC, with milliseconds. */
    receivedAt: string
  })[]
  /** As you sent it. */
  metadata: Record<string, unknown>
  /** ISO 8601, UTC, with milliseconds. */
  createdAt: string
}

export type DeliveryAttempt = {
  number: number
  /** Where it went. */
  url: string
  /** ISO 8601, UTC, with milliseconds. */
  startedAt: string
  durationMs: number
  status: number | null
  error: string | null
  /** The first 4096 bytes of the answer. */
  response: string
}

export type EventDelivery = {
  /** Such as `we_06drtrktg1y337r4bb9bwrf0yw`. */
  endpointId: string
  /** Such as `https://shop.example/webhooks`. */
  url: string
  status: 'PENDING' | 'DELIVERED' | 'GIVEN_UP'
  /** Null when it is over, and while an attempt is under way. */
  nextAttemptAt: string | null
  attempts: DeliveryAttempt[]
}

export type LowBalance = {
  asset: 'NGN' | 'USDC' | 'USDT'
  /** NGN: an integer of kobo. USDC and USDT: a decimal string. */
  available: number | string
  /** NGN: an integer of kobo. USDC and USDT: a decimal string. */
  threshold: number | string
}

export type NairaFunding = {
  /** Such as `NGN`. */
  asset: 'NGN'
  /** Naira in kobo. */
  amount: number
}

export type Payment = {
  /** Such as `pay_06drtrktg1y337r4bb9bwrf0yw`. */
  reference: string
  source: 'virtual_account' | 'dedicated_account' | 'crypto_wallet' | 'dedicated_crypto_wallet'
  /** Such as `va_06drtrktg1y337r4bb9bwrf0yw`. */
  accountReference: string
  /** NGN: an integer of kobo. USDC and USDT: a decimal string. */
  amount: number | string
  /** NGN: an integer of kobo. USDC and USDT: a decimal string. */
  amountAccepted: number | string
  /** NGN: an integer of kobo. USDC and USDT: a decimal string. */
  amountHeld: number | string
  /** NGN: an integer of kobo. USDC and USDT: a decimal string. */
  amountReturning: number | string
  /** NGN: an integer of kobo. USDC and USDT: a decimal string. */
  amountReturned: number | string
  /** NGN: an integer of kobo. USDC and USDT: a decimal string. */
  fee: number | string
  currency: 'NGN' | 'USDC' | 'USDT'
  status: 'HELD' | 'RETURNING' | 'ACCEPTED' | 'RETURNED'
  /** The latest payment that did not match. */
  variance: 'NONE' | 'UNDERPAID' | 'OVERPAID' | 'LATE' | 'DUPLICATE'
  sender: {
    /** Such as `ADA OBI`. */
    name: string
    /** Such as `058`. */
    bankCode: string
    /** Such as `0123456789`. */
    accountNumber: string
    /** Such as `GTBank`. */
    bankName: string
  } | {
    address: string | null
  }
  sessionId: string | null
  narration: string | null
  /** ISO 8601, UTC, with milliseconds. */
  receivedAt: string
  /** ISO 8601, UTC, with milliseconds. */
  createdAt: string
}

export type PaymentReturn = {
  /** Such as `rf_06drtrktg1y337r4bb9bwrf0yw`. */
  reference: string
  /** A return is of money that was never accepted. */
  kind: 'return' | 'refund'
  /** NGN: an integer of kobo. USDC and USDT: a decimal string. */
  amount: number | string
  currency: 'NGN' | 'USDC' | 'USDT'
  /** FAILED and REVERSED: the money is where it was before. */
  status: 'WAITING' | 'SENT' | 'RETURNED' | 'FAILED' | 'REVERSED'
  failureReason: string | null
  endedAt: string | null
  destination: {
    /** Such as `058`. */
    bankCode: string
    /** Such as `0123456789`. */
    accountNumber: string
    /** Such as `GTBank`. */
    bankName: string
    /** Such as `ADA OBI`. */
    accountName: string
  } | {
    /** Such as `HAgk14JpMQLgt6rVgv7cBQFJWFto5Dqxi472uT3DKpqk`. */
    address: string
  }
  /** ISO 8601, UTC, with milliseconds. */
  createdAt: string
}

export type Profile = {
  merchant: {
    /** Such as `mer_06drtrktg1y337r4bb9bwrf0yw`. */
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
  /** Such as `cs_06dst4m7b0fgv3x0ba9bwrf0yx3k5r8c2h7m4q9`. */
  reference: string
  merchant: {
    /** Such as `mer_06drtrktg1y337r4bb9bwrf0yw`. */
    id: string
    /** Such as `Ada Stores`. */
    displayName: string
  }
  /** Naira in kobo. */
  amount: number
  /** Such as `NGN`. */
  currency: 'NGN'
  /** Such as `Two loaves of agege bread`. */
  description: string
  customer: {
    /** Such as `Ada Obi`. */
    name: string
    /** Such as `ada@example.com`. */
    email: string
  }
  paymentMethods: ({
    /** Such as `bank_transfer`. */
    code: string
    /** Such as `Bank transfer`. */
    label: string
    enabled: boolean
    available: boolean
    /** Such as `available`. */
    status: string
  })[]
  status: 'pending' | 'paid' | 'expired' | 'cancelled'
  /** ISO 8601, UTC, with milliseconds. */
  expiresAt: string
  bankTransfer?: {
    /** Such as `0000014572`. */
    accountNumber: string
    /** Such as `Ada Stores`. */
    accountName: string
    /** Such as `Sandbox Bank`. */
    bankName: string
    /** Such as `999`. */
    bankCode: string
    /** Naira in kobo. */
    amount: number
  }
  crypto?: {
    /** Such as `HAgk14JpMQLgt6rVgv7cBQFJWFto5Dqxi472uT3DKpqk`. */
    address: string
    asset: 'USDC' | 'USDT'
    /** Such as `SOLANA`. */
    network: 'SOLANA'
    /** A decimal amount. */
    amount: string
  }
  /** Naira in kobo. */
  amountReceived: number
  /** Naira in kobo. */
  amountAccepted: number
  /** What was asked for in coins, what came, and what the merchant has of it. */
  cryptoAmounts?: {
    asset: 'USDC' | 'USDT'
    /** A decimal amount. */
    amount: string
    /** A decimal amount. */
    amountReceived: string
    /** A decimal amount. */
    amountAccepted: string
  }
  /** What came, newest first, and where that money is now. */
  received: ({
    /** NGN: an integer of kobo. USDC and USDT: a decimal string. */
    amount: number | string
    currency: 'NGN' | 'USDC' | 'USDT'
    /** NGN: an integer of kobo. USDC and USDT: a decimal string. */
    amountAccepted: number | string
    /** NGN: an integer of kobo. USDC and USDT: a decimal string. */
    amountHeld: number | string
    /** NGN: an integer of kobo. USDC and USDT: a decimal string. */
    amountReturning: number | string
    /** NGN: an integer of kobo. USDC and USDT: a decimal string. */
    amountReturned: number | string
    status: 'HELD' | 'RETURNING' | 'ACCEPTED' | 'RETURNED'
    /** The latest payment that did not match. */
    variance: 'NONE' | 'UNDERPAID' | 'OVERPAID' | 'LATE' | 'DUPLICATE'
    sentBackTo: {
      /** Such as `GTBank`. */
      bankName: string
      /** Such as `******6789`. */
      accountNumber: string
    } | null
    /** ISO 8601, UTC, with milliseconds. */
    receivedAt: string
  })[]
  /** More came: `received` has the fifty that matter. */
  moreReceived: boolean
  /** ISO 8601, UTC, with milliseconds. */
  serverTime: string
  cancelUrl: string | null
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
   * Such as `Correct what the message names (`details` has it by field) and send the request
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
  /** ISO 8601, UTC, with milliseconds. */
  now: string
  /** By this request. */
  advancedBySeconds: number
  /** Of the world, in all. */
  aheadBySeconds: number
}

export type TestDeposit = {
  /** Of the transaction, which any Solana client can look at. */
  signature: string
  /** Of a wallet of yours. */
  address: string
  asset: 'USDC' | 'USDT'
  /** A decimal amount; at most 6 digits after the point. */
  amount: string
}

export type TestFunding = {
  /** Such as `fund_06drtrktg1y337r4bb9bwrf0yw`. */
  reference: string
  asset: 'NGN' | 'USDC' | 'USDT'
  /** NGN: an integer of kobo. USDC and USDT: a decimal string. */
  amount: number | string
  /** ISO 8601, UTC, with milliseconds. */
  createdAt: string
}

export type VirtualAccount = {
  /** Such as `va_06drtrktg1y337r4bb9bwrf0yw`. */
  reference: string
  /** Such as `order-1001`. */
  merchantReference: string
  /** Such as `0000014572`. */
  accountNumber: string
  /** Such as `Ada Stores`. */
  accountName: string
  /** Such as `999`. */
  bankCode: string
  /** Such as `Sandbox Bank`. */
  bankName: string
  /** Naira in kobo. */
  amount: number
  /** Such as `NGN`. */
  currency: 'NGN'
  status: 'ACTIVE' | 'PAID' | 'EXPIRED' | 'CANCELLED'
  /** The latest payment that did not match. */
  variance: 'NONE' | 'UNDERPAID' | 'OVERPAID' | 'LATE' | 'DUPLICATE'
  /** Naira in kobo. */
  amountReceived: number
  /** Naira in kobo. */
  amountAccepted: number
  /** Naira in kobo. */
  amountHeld: number
  /** Naira in kobo. */
  amountReturning: number
  /** Naira in kobo. */
  amountReturned: number
  /** The latest fifty, newest first. */
  payments: Payment[]
  /** As you sent it. */
  metadata: Record<string, unknown>
  /** ISO 8601, UTC, with milliseconds. */
  expiresAt: string
  /** ISO 8601, UTC, with milliseconds. */
  createdAt: string
  paidAt: string | null
}

export type WebhookEndpoint = {
  /** Such as `we_06drtrktg1y337r4bb9bwrf0yw`. */
  id: string
  /** Such as `https://example.com/webhooks`. */
  url: string
  events: string[]
  /** Such as `Orders`. */
  description: string
  enabled: boolean
  disabledReason: 'merchant' | 'gone' | 'failing' | null
  failingSince: string | null
  /** Ed25519, for the `v1a` signature. */
  publicKey: string
  /** ISO 8601, UTC, with milliseconds. */
  createdAt: string
}

export type WebhookEndpointWithSecret = {
  /** Such as `we_06drtrktg1y337r4bb9bwrf0yw`. */
  id: string
  /** Such as `https://example.com/webhooks`. */
  url: string
  events: string[]
  /** Such as `Orders`. */
  description: string
  enabled: boolean
  disabledReason: 'merchant' | 'gone' | 'failing' | null
  failingSince: string | null
  /** Ed25519, for the `v1a` signature. */
  publicKey: string
  /** ISO 8601, UTC, with milliseconds. */
  createdAt: string
  /** Shown once. For the `v1` signature. */
  secret: string
}

/** Create a virtual account. */
export type CreateVirtualAccountInput = {
  /** Your own reference, such as an order number. */
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
  /** Your own reference, such as an order number. */
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
  /** Your own reference, such as an order number. */
  externalReference: string
  /** Anything of yours; it comes back as it was sent. */
  metadata?: Record<string, unknown> | undefined
}

/** List dedicated accounts. */
export type ListDedicatedAccountsQuery = {
  /** Your own reference, such as an order number. */
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
  /** Your own reference, such as an order number. */
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
  /** Your own reference, such as an order number. */
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
  /** Your own reference, such as an order number. */
  externalReference: string
  network: 'SOLANA'
  /** Anything of yours; it comes back as it was sent. */
  metadata?: Record<string, unknown> | undefined
}

/** List dedicated crypto wallets. */
export type ListDedicatedCryptoWalletsQuery = {
  /** Your own reference, such as an order number. */
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
  /** Only those that came this way. */
  source?: 'virtual_account' | 'dedicated_account' | 'crypto_wallet' | 'dedicated_crypto_wallet' | undefined
  /** What was paid into. */
  accountReference?: string | undefined
  /** Only those in this state. */
  status?: 'HELD' | 'RETURNING' | 'ACCEPTED' | 'RETURNED' | undefined
  /** Items per page. */
  limit?: number | undefined
  /** The `nextCursor` of the page before. */
  cursor?: string | undefined
}

/** List what went back of a payment. */
export type ListPaymentReturnsQuery = {
  /** Items per page. */
  limit?: number | undefined
  /** The `nextCursor` of the page before. */
  cursor?: string | undefined
}

/** Resolve a held payment. */
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
  /** Your own reference, such as an order number. */
  merchantReference?: string | undefined
  /** ISO 8601; at most 24 hours ahead. */
  expiresAt?: string | undefined
  /**
   * Lets the customer pay this amount in coins instead. Needs `paymentMethods.crypto` in the
   * settings.
   */
  crypto?: {
    asset: 'USDC' | 'USDT'
    network: 'SOLANA'
    /** A decimal amount; at most 6 digits after the point. */
    amount: string
  } | undefined
  /** Where the customer continues after paying. `reference` is added to the query. */
  successUrl?: string | undefined
  /** Where the customer goes back to. `reference` is added to the query. */
  cancelUrl?: string | undefined
  /** Anything of yours; it comes back as it was sent. */
  metadata?: Record<string, unknown> | undefined
}

/** List checkout sessions. */
export type ListCheckoutSessionsQuery = {
  /** Your own reference, such as an order number. */
  merchantReference?: string | undefined
  /** Only those in this state. */
  status?: 'pending' | 'paid' | 'expired' | 'cancelled' | undefined
  /** Items per page. */
  limit?: number | undefined
  /** The `nextCursor` of the page before. */
  cursor?: string | undefined
}

/** Pay a checkout session of test mode. */
export type SimulatePublicCheckoutInput = {
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
  /** A bank code from `GET /v1/banks`. */
  bankCode: string
  /** Ten digits. */
  accountNumber: string
  /** If sent, the transfer is refused unless the account has this name. */
  accountName?: string | undefined
  /** Shown to the recipient. */
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
  /** A bank code from `GET /v1/banks`. */
  bankCode: string
  /** Ten digits. */
  accountNumber: string
  /** If sent, the transfer is refused unless the account has this name. */
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
  /** A bank code from `GET /v1/banks`. */
  bankCode: string
  /** Ten digits. */
  accountNumber: string
}

/** List the statement. */
export type ListBalanceEntriesQuery = {
  /** Only its. */
  asset?: 'NGN' | 'USDC' | 'USDT' | undefined
  /** Items per page. */
  limit?: number | undefined
  /** The `nextCursor` of the page before. */
  cursor?: string | undefined
}

/** Change the settings. */
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
  /** Types or groups such as `payment.*`; `*` for everything. */
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

/** Change a webhook endpoint. */
export type ChangeWebhookEndpointInput = {
  /** Such as `https://shop.example/webhooks`. */
  url?: string | undefined
  /** Types or groups such as `payment.*`; `*` for everything. */
  events?: ('*' | 'virtual_account.*' | 'dedicated_account.*' | 'checkout.session.*' | 'crypto_wallet.*' | 'dedicated_crypto_wallet.*' | 'payment.*' | 'crypto_transfer.*' | 'bank_transfer.*' | 'balance.*' | 'webhook_endpoint.*' | 'virtual_account.paid' | 'virtual_account.underpaid' | 'virtual_account.overpaid' | 'virtual_account.late_payment' | 'virtual_account.duplicate_payment' | 'virtual_account.expired' | 'virtual_account.cancelled' | 'dedicated_account.created' | 'dedicated_account.credited' | 'dedicated_account.deactivated' | 'checkout.session.paid' | 'checkout.session.expired' | 'checkout.session.cancelled' | 'crypto_wallet.paid' | 'crypto_wallet.underpaid' | 'crypto_wallet.overpaid' | 'crypto_wallet.late_payment' | 'crypto_wallet.duplicate_payment' | 'crypto_wallet.expired' | 'crypto_wallet.cancelled' | 'dedicated_crypto_wallet.created' | 'dedicated_crypto_wallet.credited' | 'payment.held' | 'payment.returning' | 'payment.returned' | 'payment.refunded' | 'payment.refund_failed' | 'crypto_transfer.submitted' | 'crypto_transfer.confirmed' | 'crypto_transfer.failed' | 'bank_transfer.submitted' | 'bank_transfer.completed' | 'bank_transfer.failed' | 'bank_transfer.reversed' | 'balance.low' | 'webhook_endpoint.disabled' | 'webhook_endpoint.test')[] | undefined
  /** Such as `Orders`. */
  description?: string | undefined
  enabled?: boolean | undefined
}

/** Send again what was missed. */
export type RecoverWebhookEndpointInput = {
  /** ISO 8601, UTC, with milliseconds. */
  since: string
}

/** List events. */
export type ListEventsQuery = {
  /** Only those of this type or group. */
  type?: '*' | 'virtual_account.*' | 'dedicated_account.*' | 'checkout.session.*' | 'crypto_wallet.*' | 'dedicated_crypto_wallet.*' | 'payment.*' | 'crypto_transfer.*' | 'bank_transfer.*' | 'balance.*' | 'webhook_endpoint.*' | 'virtual_account.paid' | 'virtual_account.underpaid' | 'virtual_account.overpaid' | 'virtual_account.late_payment' | 'virtual_account.duplicate_payment' | 'virtual_account.expired' | 'virtual_account.cancelled' | 'dedicated_account.created' | 'dedicated_account.credited' | 'dedicated_account.deactivated' | 'checkout.session.paid' | 'checkout.session.expired' | 'checkout.session.cancelled' | 'crypto_wallet.paid' | 'crypto_wallet.underpaid' | 'crypto_wallet.overpaid' | 'crypto_wallet.late_payment' | 'crypto_wallet.duplicate_payment' | 'crypto_wallet.expired' | 'crypto_wallet.cancelled' | 'dedicated_crypto_wallet.created' | 'dedicated_crypto_wallet.credited' | 'payment.held' | 'payment.returning' | 'payment.returned' | 'payment.refunded' | 'payment.refund_failed' | 'crypto_transfer.submitted' | 'crypto_transfer.confirmed' | 'crypto_transfer.failed' | 'bank_transfer.submitted' | 'bank_transfer.completed' | 'bank_transfer.failed' | 'bank_transfer.reversed' | 'balance.low' | 'webhook_endpoint.disabled' | 'webhook_endpoint.test' | undefined
  /** What they are about. */
  resource?: string | undefined
  /** ISO 8601, UTC, with milliseconds. */
  from?: string | undefined
  /** ISO 8601, UTC, with milliseconds. */
  to?: string | undefined
  /** Items per page. */
  limit?: number | undefined
  /** The `nextCursor` of the page before. */
  cursor?: string | undefined
}

/** List the deliveries of an event. */
export type ListEventDeliveriesQuery = {
  /** Items per page. */
  limit?: number | undefined
  /** The `nextCursor` of the page before. */
  cursor?: string | undefined
}

/** Send an event again. */
export type RedeliverEventInput = {
  /** Such as `we_06drtrktg1y337r4bb9bwrf0yw`. */
  endpointId?: string | undefined
}

/** List what your servers asked. */
export type ListRequestLogsQuery = {
  /** One, such as `422`, or a class, such as `4xx`. */
  status?: string | undefined
  /** Only those with this method. */
  method?: 'GET' | 'HEAD' | 'POST' | 'PATCH' | 'DELETE' | undefined
  /** What the path begins with. */
  path?: string | undefined
  /** As in `X-Request-Id`. */
  requestId?: string | undefined
  /** ISO 8601, UTC, with milliseconds. */
  from?: string | undefined
  /** ISO 8601, UTC, with milliseconds. */
  to?: string | undefined
  /** Items per page. */
  limit?: number | undefined
  /** The `nextCursor` of the page before. */
  cursor?: string | undefined
}

/** Fund a test balance. */
export type FundTestBalanceInput = NairaFunding | CoinFunding

/** Decide how a test transfer ends. */
export type SettleTestDisbursementInput = {
  /** Such as `complete`. */
  outcome: 'complete' | 'fail' | 'reverse' | 'stay_unknown' | 'lose' | 'land' | 'expire'
}

/** Pay into an account as a customer would. */
export type PayTestAccountInput = {
  /** Such as `0000014572`. */
  accountNumber: string
  /** Naira in kobo. */
  amount: number
  sender?: {
    /** Such as `ADA OBI`. */
    name?: string | undefined
    /** Such as `0123456789`. */
    accountNumber?: string | undefined
    /** Such as `058`. */
    bankCode?: string | undefined
    /** The bank shows only the last digits of the sender. */
    masked?: boolean | undefined
  } | undefined
  /** Such as `Two loaves of agege bread`. */
  narration?: string | undefined
  /** When the bank had the money; now unless it is said. */
  sentAt?: string | undefined
  /** How often the bank tells of it. */
  copies?: number | undefined
}

/** Send coins to a wallet as a customer would. */
export type DepositTestCoinsInput = {
  /** Of a wallet of yours. */
  address: string
  asset: 'USDC' | 'USDT'
  /** A decimal amount; at most 6 digits after the point. */
  amount: string
}

/** Move the clock of test mode ahead. */
export type AdvanceTestClockInput = {
  /** How far; there is no way back. */
  seconds: number
}

/** What comes with each type of event. */
export type EventData = {
  /** A virtual account was paid; also beside `overpaid`. */
  'virtual_account.paid': VirtualAccount
  /** A payment was too small. */
  'virtual_account.underpaid': VirtualAccount
  /** A payment was too large. */
  'virtual_account.overpaid': VirtualAccount
  /** A payment came after expiry or cancellation. */
  'virtual_account.late_payment': VirtualAccount
  /** A payment came to an account that was paid before. */
  'virtual_account.duplicate_payment': VirtualAccount
  /** Nobody paid in time. */
  'virtual_account.expired': VirtualAccount
  /** You cancelled it. */
  'virtual_account.cancelled': VirtualAccount
  /** A dedicated account was opened. */
  'dedicated_account.created': DedicatedAccount
  /** A payment came to a dedicated account. */
  'dedicated_account.credited': CreditedAccount
  /** You deactivated it. */
  'dedicated_account.deactivated': DedicatedAccount
  /** A checkout session was paid. */
  'checkout.session.paid': CheckoutSession
  /** Nobody paid in time. */
  'checkout.session.expired': CheckoutSession
  /** It was cancelled. */
  'checkout.session.cancelled': CheckoutSession
  /** A wallet was paid and the payment is final. */
  'crypto_wallet.paid': CryptoWallet
  /** A deposit was too small. */
  'crypto_wallet.underpaid': CryptoWallet
  /** A deposit was too large. */
  'crypto_wallet.overpaid': CryptoWallet
  /** A deposit came after expiry or cancellation. */
  'crypto_wallet.late_payment': CryptoWallet
  /** A deposit came to a wallet that was paid before. */
  'crypto_wallet.duplicate_payment': CryptoWallet
  /** Nobody paid in time. */
  'crypto_wallet.expired': CryptoWallet
  /** You cancelled it. */
  'crypto_wallet.cancelled': CryptoWallet
  /** A dedicated wallet was made. */
  'dedicated_crypto_wallet.created': DedicatedCryptoWallet
  /** A deposit came to a dedicated wallet and is final. */
  'dedicated_crypto_wallet.credited': CreditedCryptoWallet
  /** Money waits for your decision. */
  'payment.held': Payment
  /** Money is on its way back to the sender. */
  'payment.returning': Payment
  /** Money arrived back at the sender. */
  'payment.returned': Payment
  /** A refund arrived at the payer. */
  'payment.refunded': Payment
  /** A refund did not arrive, or was sent back; the money is yours again. */
  'payment.refund_failed': Payment
  /** A crypto transfer was accepted. */
  'crypto_transfer.submitted': CryptoTransfer
  /** It is final on the chain. */
  'crypto_transfer.confirmed': CryptoTransfer
  /** It failed for certain; the money is available again. */
  'crypto_transfer.failed': CryptoTransfer
  /** A bank transfer was accepted. */
  'bank_transfer.submitted': BankTransfer
  /** The bank says that it arrived. */
  'bank_transfer.completed': BankTransfer
  /** It failed for certain; the money is available again. */
  'bank_transfer.failed': BankTransfer
  /** The bank sent it back after completion; amount and fee are available again. */
  'bank_transfer.reversed': BankTransfer
  /** An available balance fell below its threshold. */
  'balance.low': LowBalance
  /** An endpoint answered 410, or only failed for five days. */
  'webhook_endpoint.disabled': WebhookEndpoint
  /** You asked for a test. */
  'webhook_endpoint.test': WebhookEndpoint
}

export type EventType = keyof EventData

/** An event of one type. */
export type EventOf<Type extends EventType> = {
  /** Also in `webhook-id`. */
  id: string
  /** ISO 8601, UTC, with milliseconds. */
  timestamp: string
  mode: 'test' | 'live'
  /** Grows with every event of the resource. */
  sequence: number
  type: Type
  /** The resource at that moment. */
  data: EventData[Type]
}

/** Any event: `type` says which, and so what `data` is. */
export type WebhookEvent = { [Type in EventType]: EventOf<Type> }[EventType]
