/**
 * Every "no" of the service. This table sets the HTTP status and the next step of each refusal and
 * writes docs/reference/errors.md; a code or reason that is not here does not compile.
 */
type Row = { status: number; when: string; nextStep: string }

export const codes = {
  validation_failed: {
    status: 400,
    when: 'The body, a header, the query or the path is not as specified.',
    nextStep:
      'Correct what the message names (`details` has it by field) and send the request again.',
  },
  authentication_failed: {
    status: 401,
    when: 'The API key is missing, malformed, unknown, revoked or expired, or is a public key where a secret one is required.',
    nextStep: 'Send `Authorization: Bearer <SECRET_KEY>` with a current key of the mode you mean.',
  },
  insufficient_balance: {
    status: 402,
    when: 'The available balance cannot cover amount plus fee.',
    nextStep: 'Fund the balance or lower the amount; `GET /v1/balances` shows what is available.',
  },
  forbidden: {
    status: 403,
    when: 'The key may not do this.',
    nextStep: 'Use a key of the mode and kind that the operation needs.',
  },
  not_found: {
    status: 404,
    when: 'There is no such route, or no such resource in this environment.',
    nextStep: 'Check the path, the reference and the mode of the key.',
  },
  method_not_allowed: {
    status: 405,
    when: 'The path exists, but not with this method.',
    nextStep: 'Use one of the methods that the `Allow` header lists.',
  },
  rate_limited: {
    status: 429,
    when: 'More requests came than the limit of this environment or address allows, or too many lists of the environment are being read at once.',
    nextStep: 'Wait for the seconds that `Retry-After` says, then send the same request again.',
  },
  balance_funding_failed: {
    status: 422,
    when: 'A balance could not be funded.',
    nextStep: 'Change what the message names and try again.',
  },
  crypto_transfer_failed: {
    status: 422,
    when: 'A crypto transfer cannot be made. It is certain that nothing left.',
    nextStep: 'Change what the message names and try again with a new `Idempotency-Key`.',
  },
  bank_transfer_failed: {
    status: 422,
    when: 'A bank transfer cannot be made. It is certain that nothing left.',
    nextStep: 'Change what the message names and try again with a new `Idempotency-Key`.',
  },
  virtual_account_creation_failed: {
    status: 422,
    when: 'A virtual account could not be created.',
    nextStep: 'Change what the message names and try again.',
  },
  dedicated_account_creation_failed: {
    status: 422,
    when: 'A dedicated account could not be created.',
    nextStep: 'Change what the message names and try again.',
  },
  crypto_wallet_creation_failed: {
    status: 422,
    when: 'A crypto wallet could not be created.',
    nextStep: 'Change what the message names and try again.',
  },
  dedicated_crypto_wallet_creation_failed: {
    status: 422,
    when: 'A dedicated crypto wallet could not be created.',
    nextStep: 'Change what the message names and try again.',
  },
  checkout_session_failed: {
    status: 422,
    when: 'A checkout session could not be created or changed.',
    nextStep: 'Change what the message names and try again.',
  },
  checkout_session_not_found: {
    status: 404,
    when: 'There is no such checkout session.',
    nextStep: 'Ask the merchant for a new link.',
  },
  account_action_failed: {
    status: 422,
    when: 'An account cannot be changed like this.',
    nextStep: 'Verify the account to see how it stands.',
  },
  payment_action_failed: {
    status: 422,
    when: 'A payment cannot be resolved or refunded like this.',
    nextStep: 'Read the payment to see how it stands, and change what the message names.',
  },
  webhook_endpoint_failed: {
    status: 422,
    when: 'A webhook endpoint could not be made or used.',
    nextStep: 'Change what the message names and try again.',
  },
  internal_error: {
    status: 500,
    when: 'A bug of ours. It was logged whole.',
    nextStep: 'Retry with the same `Idempotency-Key`; if it stays, report the `requestId`.',
  },
} as const satisfies Record<string, Row>

export const reasons = {
  invalid_json: {
    status: 400,
    when: 'The body is not JSON.',
    nextStep: 'Send a JSON object.',
  },
  payload_too_large: {
    status: 413,
    when: 'The body is over 64 kB.',
    nextStep: 'Send a smaller body.',
  },
  unsupported_media_type: {
    status: 415,
    when: 'The body is not declared as JSON, or is compressed.',
    nextStep: 'Send `Content-Type: application/json`, and no `Content-Encoding`.',
  },
  idempotency_key_reused: {
    status: 422,
    when: 'The `Idempotency-Key` was used before with a different request.',
    nextStep: 'Use a new key for a new request; reuse a key only to retry the very same request.',
  },
  idempotency_in_progress: {
    status: 409,
    when: 'The first request with this `Idempotency-Key` has not finished yet.',
    nextStep: 'Wait a moment and retry with the same key.',
  },
  outcome_unknown: {
    status: 503,
    when: 'The connection to the database was lost while the work was being committed.',
    nextStep: 'Retry with the same `Idempotency-Key`: it runs at most once.',
  },
  unavailable: {
    status: 503,
    when: 'The service cannot take the request now; nothing was done.',
    nextStep:
      'Retry in a moment, or when `Retry-After` says; a POST with the same `Idempotency-Key`.',
  },
  test_mode_only: {
    status: 403,
    when: 'The operation exists in test mode only.',
    nextStep: 'Use a key that starts with `sk_test_`.',
  },
  too_many: {
    status: 422,
    when: 'There are as many of these as there may be.',
    nextStep: 'Delete one that you do not need.',
  },
  endpoint_disabled: {
    status: 409,
    when: 'The webhook endpoint is disabled.',
    nextStep: 'Enable it with PATCH, then try again.',
  },
  duplicate_reference: {
    status: 409,
    when: 'A reference that must be unique was used before.',
    nextStep: 'Use a new reference, or look up what was made with this one.',
  },
  invalid_state: {
    status: 409,
    when: 'It has come so far that this can no longer be done with it.',
    nextStep: 'Verify it to see how it stands.',
  },
  not_simulated: {
    status: 422,
    when: 'The bank or chain of this mode is not simulated, so it takes no test instructions.',
    nextStep: 'Try it on a service whose test mode simulates, such as that of `npm start`.',
  },
  rail_unavailable: {
    status: 503,
    when: 'The bank or chain of this mode is not configured or does not answer; nothing was done.',
    nextStep: 'Retry later with the same `Idempotency-Key`.',
  },
  treasury_short: {
    status: 503,
    when: 'The hot wallet, less what is on its way out, cannot cover the transfer; nothing was done.',
    nextStep: 'Retry later with the same `Idempotency-Key`; the operator has been alarmed.',
  },
  destination_is_mint: {
    status: 422,
    when: 'The destination is the mint of a token.',
    nextStep: 'Send the address of a wallet.',
  },
  destination_is_program: {
    status: 422,
    when: 'The destination is a program.',
    nextStep: 'Send the address of a wallet.',
  },
  destination_not_a_wallet: {
    status: 422,
    when: 'The destination is no wallet that somebody holds the key of.',
    nextStep: 'Send the address of a wallet; of a token account, that of its owner.',
  },
  destination_wrong_token: {
    status: 422,
    when: 'The token account of the destination belongs to somebody else now.',
    nextStep: 'Ask the recipient for another wallet.',
  },
  destination_frozen: {
    status: 422,
    when: 'The issuer has frozen the token account of the destination.',
    nextStep: 'Ask the recipient for another wallet.',
  },
  destination_is_ours: {
    status: 422,
    when: 'The destination is an account of this service.',
    nextStep: 'Send the address of the recipient.',
  },
  simulation_failed: {
    status: 422,
    when: 'The chain would refuse the transaction.',
    nextStep: 'Check the destination, then try again with a new `Idempotency-Key`.',
  },
  unknown_bank: {
    status: 422,
    when: 'No bank has this code.',
    nextStep: '`GET /v1/banks` lists the codes.',
  },
  account_not_found: {
    status: 422,
    when: 'The bank does not know the account number.',
    nextStep: 'Check the account number with the recipient.',
  },
  name_mismatch: {
    status: 422,
    when: 'The account belongs to another name than the one that was sent.',
    nextStep: 'Check name and number with the recipient, or leave the name out.',
  },
  kyc_missing: {
    status: 403,
    when: 'The live environment of the merchant has not been approved yet.',
    nextStep: 'Ask the operator to approve the merchant; test mode works meanwhile.',
  },
  no_bank_account: {
    status: 422,
    when: 'The merchant has no primary active bank account in live mode.',
    nextStep: 'Ask the operator to add one and make it primary.',
  },
  account_refused: {
    status: 422,
    when: 'The bank refuses to open the account.',
    nextStep: 'Read the message; use another reference if it names it.',
  },
  no_payment_method: {
    status: 422,
    when: 'No payment method is enabled in the settings.',
    nextStep: 'Enable one with `PATCH /v1/settings`.',
  },
  no_destination: {
    status: 422,
    when: 'Nobody knows where the money could go.',
    nextStep: 'Send `destination`: the bank account, or of coins the wallet, that it shall go to.',
  },
  amount_too_large: {
    status: 422,
    when: 'The amount is more than there is of this payment.',
    nextStep: 'Read the payment to see how much is left.',
  },
  balance_limit: {
    status: 422,
    when: 'The balance would grow beyond what can be written exactly.',
    nextStep: 'Use a smaller amount.',
  },
} as const satisfies Record<string, Row>

export type Code = keyof typeof codes
export type Reason = keyof typeof reasons
