/**
 * Every refusal of the API: its HTTP status, what it means and what the caller should do. Unlisted
 * codes and reasons do not compile. docs/reference/errors.md is generated from this table.
 */
type Row = {
  status: number
  when: string
  nextStep: string
  /** When to try again, unless the refusal says so itself. */
  retryAfterSeconds?: number
  /** The field that it concerns: the first of these that the request has. */
  fields?: readonly string[]
  /** Completes the sentence that the name of the field begins. */
  issue?: string
}

export const codes = {
  validation_failed: {
    status: 400,
    when: 'The body, a header, the query or the path is invalid.',
    nextStep:
      'Correct what the message names (`details` lists the fields) and send the request again.',
  },
  authentication_failed: {
    status: 401,
    when: 'The API key is missing, malformed, unknown, revoked or expired, or a public key was sent where a secret key is required.',
    nextStep: 'Send `Authorization: Bearer <SECRET_KEY>` with an active key of the right mode.',
  },
  insufficient_balance: {
    status: 402,
    when: 'The available balance does not cover the amount plus the fee.',
    nextStep: 'Fund the balance or lower the amount. `GET /v1/balances` shows what is available.',
    fields: ['amount', 'quote'],
    issue: 'is more than the available balance covers',
  },
  forbidden: {
    status: 403,
    when: 'The API key is not allowed to do this.',
    nextStep: 'Use a key of the mode and kind that the operation requires.',
  },
  not_found: {
    status: 404,
    when: 'The route does not exist, or the resource does not exist in this environment.',
    nextStep: 'Check the path, the reference and the mode of the key.',
  },
  method_not_allowed: {
    status: 405,
    when: 'The path exists, but not for this method.',
    nextStep: 'Use a method listed in the `Allow` header.',
  },
  rate_limited: {
    status: 429,
    when: 'This environment or address has sent too many requests, or has too many list requests running at once.',
    nextStep: 'Wait for the number of seconds in `Retry-After`, then send the same request again.',
  },
  balance_funding_failed: {
    status: 422,
    when: 'The balance could not be funded.',
    nextStep: 'Correct what the message names and try again.',
  },
  crypto_transfer_failed: {
    status: 422,
    when: 'The crypto transfer could not be submitted. No money left your balance.',
    nextStep: 'Correct what the message names and try again with a new `Idempotency-Key`.',
  },
  bank_transfer_failed: {
    status: 422,
    when: 'The bank transfer could not be submitted. No money left your balance.',
    nextStep: 'Correct what the message names and try again with a new `Idempotency-Key`.',
  },
  conversion_failed: {
    status: 422,
    when: 'The conversion was not made. No balance changed.',
    nextStep: 'Follow the message, get a new quote and try again with a new `Idempotency-Key`.',
  },
  subaccount_failed: {
    status: 422,
    when: 'The sub-account could not be changed, or its money could not be moved.',
    nextStep: 'Read the sub-account again and correct what the message names.',
  },
  claim_failed: {
    status: 422,
    when: 'The claim could not be created or changed.',
    nextStep: 'Read the claim again and correct what the message names.',
  },
  recipient_failed: {
    status: 422,
    when: 'The recipient could not be saved.',
    nextStep: 'Read the recipient that the message names, or correct what it names.',
  },
  case_failed: {
    status: 422,
    when: 'The case cannot be changed like this.',
    nextStep: 'Read the case again and correct what the message names.',
  },
  invoice_failed: {
    status: 422,
    when: 'The invoice or schedule cannot be changed like this.',
    nextStep: 'Read the invoice or schedule again: its status says what is possible.',
  },
  customer_failed: {
    status: 422,
    when: 'The customer cannot be changed.',
    nextStep: 'Read the customer again and correct what the message names.',
  },
  approval_failed: {
    status: 422,
    when: 'The transfer cannot be approved or rejected.',
    nextStep: 'Read the transfer again and correct what the message names.',
  },
  batch_failed: {
    status: 422,
    when: 'The batch cannot be submitted, cancelled or retried.',
    nextStep: 'Retrieve the batch to see its status, and follow the message.',
  },
  virtual_account_creation_failed: {
    status: 422,
    when: 'The virtual account could not be created.',
    nextStep: 'Correct what the message names and try again.',
  },
  dedicated_account_creation_failed: {
    status: 422,
    when: 'The dedicated account could not be created.',
    nextStep: 'Correct what the message names and try again.',
  },
  crypto_wallet_creation_failed: {
    status: 422,
    when: 'The crypto wallet could not be created.',
    nextStep: 'Correct what the message names and try again.',
  },
  dedicated_crypto_wallet_creation_failed: {
    status: 422,
    when: 'The dedicated crypto wallet could not be created.',
    nextStep: 'Correct what the message names and try again.',
  },
  checkout_session_failed: {
    status: 422,
    when: 'The checkout session could not be created or changed.',
    nextStep: 'Correct what the message names and try again.',
  },
  checkout_session_not_found: {
    status: 404,
    when: 'No checkout session with this reference exists.',
    nextStep: 'Ask the merchant for a new link.',
  },
  account_action_failed: {
    status: 422,
    when: 'The account cannot be changed in this way.',
    nextStep: 'Verify the account to see its current state.',
  },
  payment_action_failed: {
    status: 422,
    when: 'The payment cannot be resolved or refunded in this way.',
    nextStep: 'Retrieve the payment to see its current state and correct what the message names.',
  },
  clock_advance_failed: {
    status: 422,
    when: 'The test clock could not be advanced.',
    nextStep: 'Read the message. To start again at real time, create a new merchant.',
  },
  webhook_endpoint_failed: {
    status: 422,
    when: 'The webhook endpoint could not be created or used.',
    nextStep: 'Correct what the message names and try again.',
  },
  internal_error: {
    status: 500,
    when: 'An unexpected error on our side.',
    nextStep:
      'Retry with the same `Idempotency-Key`. If the error persists, report the `requestId`.',
  },
} as const satisfies Record<string, Row>

export const reasons = {
  invalid_json: {
    status: 400,
    when: 'The body is not valid JSON.',
    nextStep: 'Send a JSON object.',
  },
  payload_too_large: {
    status: 413,
    when: 'The body is larger than 64 kB.',
    nextStep: 'Send a smaller body.',
  },
  unsupported_media_type: {
    status: 415,
    when: 'The body is not declared as JSON, names a charset other than UTF-8, or is compressed.',
    nextStep: 'Send `Content-Type: application/json` in UTF-8 and no `Content-Encoding`.',
  },
  not_acceptable: {
    status: 406,
    when: 'The `Accept` header asks for CSV only, and this operation answers in JSON only.',
    nextStep: 'Send `Accept: application/json`, or leave the header out.',
  },
  idempotency_key_reused: {
    status: 422,
    when: 'The `Idempotency-Key` was already used with a different request.',
    nextStep: 'Use a new key for a new request. Reuse a key only to retry the same request.',
  },
  secret_of_another_caller: {
    status: 409,
    when: 'Another API key or user sent the first request with this `Idempotency-Key`, and its response contains a secret.',
    nextStep: 'Repeat it with the API key or user of the first request, or use a new key.',
  },
  idempotency_in_progress: {
    status: 409,
    when: 'The first request with this `Idempotency-Key` is still in progress.',
    nextStep: 'Wait a moment and retry with the same key.',
    retryAfterSeconds: 1,
  },
  outcome_unknown: {
    status: 503,
    when: 'It is not certain whether the change happened: the database, the bank or the chain stopped responding in the middle of it.',
    nextStep: 'Retry with the same `Idempotency-Key`. The change happens at most once.',
    retryAfterSeconds: 2,
  },
  unavailable: {
    status: 503,
    when: 'The service cannot process the request right now. Nothing was changed.',
    nextStep:
      'Retry after the time in `Retry-After`, or in a moment. Send a POST with the same `Idempotency-Key`.',
    retryAfterSeconds: 2,
  },
  test_mode_only: {
    status: 403,
    when: 'The operation is only available in test mode.',
    nextStep: 'Use a key that starts with `sk_test_`.',
  },
  too_many: {
    status: 422,
    when: 'The maximum number of these resources already exists.',
    nextStep: 'Delete one that you no longer need.',
  },
  endpoint_disabled: {
    status: 409,
    when: 'The webhook endpoint is disabled.',
    nextStep: 'Enable it with `PATCH`, then try again.',
  },
  duplicate_reference: {
    status: 409,
    when: 'The reference was already used and must be unique.',
    nextStep: 'Use a new reference, or retrieve the resource that was created with this one.',
    fields: ['merchantReference', 'externalReference'],
    issue: 'must be unique',
  },
  invalid_state: {
    status: 409,
    when: 'The resource is in a state that does not allow this.',
    nextStep: 'Retrieve the resource to see its current state.',
  },
  own_payout: {
    status: 403,
    when: 'The transfer was created by the member who wants to approve it, or by an API key of that member.',
    nextStep: 'Ask another member of your team to approve it.',
  },
  rate_unavailable: {
    status: 503,
    when: 'No rate is available: the operator has set none, or the rate sources do not respond or disagree.',
    nextStep: 'Wait for the number of seconds in `Retry-After`, then send the same request again.',
    retryAfterSeconds: 60,
  },
  rate_exceeded: {
    status: 409,
    when: 'The rate is worse than the `maxRate` that you sent.',
    nextStep:
      'Send another `maxRate`, or wait for a better rate. Use a new `Idempotency-Key` either way.',
    fields: ['fundFrom.maxRate'],
    issue: 'must be at least the current rate',
  },
  large_rate_change: {
    status: 400,
    when: 'An operator sets the first rate of a coin, or a rate that differs by more than 10 % from the previous one or from that of a day ago.',
    nextStep: 'Check the rate. If it is right, propose it to another operator.',
  },
  quote_expired: {
    status: 409,
    when: 'The quote is no longer valid.',
    nextStep: 'Get a new quote and use it with a new `Idempotency-Key`.',
    fields: ['quote', 'fundFrom.quote'],
    issue: 'must be a quote that has not expired',
  },
  quote_used: {
    status: 409,
    when: 'The quote was already used.',
    nextStep:
      'Retrieve the conversion that used it. To convert again, get a new quote and use a new `Idempotency-Key`.',
    fields: ['quote', 'fundFrom.quote'],
    issue: 'must be a quote that was not used before',
  },
  quote_mismatch: {
    status: 422,
    when: 'The quote is not from `fundFrom.asset` to the asset of the transfer.',
    nextStep:
      'Get a quote from `fundFrom.asset` to the asset of the transfer and use a new `Idempotency-Key`.',
    fields: ['fundFrom.quote'],
    issue: 'must be from `fundFrom.asset` to the asset of the transfer',
  },
  capacity: {
    status: 409,
    when: 'The operator has too little of the target asset, or accepts no more of the source asset.',
    nextStep: 'Convert less, or try again later, either way with a new `Idempotency-Key`.',
    fields: ['amount', 'targetAmount', 'quote'],
    issue: 'is more than the operator can convert now',
  },
  amount_too_small: {
    status: 422,
    when: 'The amount is worth less than the smallest naira amount of the mode, does not cover the fee, or converts to less than the smallest unit.',
    nextStep: 'Use a larger amount.',
    fields: ['amount', 'targetAmount', 'quote'],
    issue: 'must be larger',
  },
  has_invalid_items: {
    status: 409,
    when: 'Some items of the batch cannot be paid.',
    nextStep:
      'List the items with `status=INVALID`. Send `skipInvalid` to pay the others, or create a new batch.',
  },
  nothing_to_retry: {
    status: 422,
    when: 'No item of the batch failed.',
    nextStep: 'No action is needed: no item failed.',
  },
  shared_access: {
    status: 403,
    when: 'Less than 72 hours ago one of the two members joined, set a password or became an approver by what the other did, or by a third member who did so for both.',
    nextStep:
      'Wait until the time in the message, or ask another member. In test mode you can advance the clock, or simulate the decision.',
  },
  order_changed: {
    status: 409,
    when: 'The order hash is not that of the transfer.',
    nextStep: 'Read the transfer again, check it and send its `orderHash`.',
    fields: ['orderHash'],
    issue: 'must be the hash of what you approve, as it is now',
  },
  name_changed: {
    status: 409,
    when: 'The bank reports another account name than when the transfer was created, or its recipient was saved.',
    nextStep:
      'Check with the recipient. If the account is not theirs, reject the transfer that waits, or disable the saved recipient.',
  },
  recipient_exists: {
    status: 409,
    when: 'The bank account or wallet is saved already.',
    nextStep: 'Use the recipient that the message names; enable it if it is disabled.',
    fields: ['accountNumber', 'address'],
    issue: 'must not be saved already',
  },
  recipient_disabled: {
    status: 409,
    when: 'The recipient is disabled.',
    nextStep:
      'Enable the recipient if it may be paid, then try again with a new `Idempotency-Key`.',
    fields: ['recipient', 'accountNumber', 'destinationAddress'],
    issue: 'must not be disabled',
  },
  recipient_not_saved: {
    status: 422,
    when: 'Your rule allows transfers to saved recipients only.',
    nextStep: 'Save the recipient, then try again with a new `Idempotency-Key`.',
    fields: ['accountNumber', 'destinationAddress'],
    issue: 'must be that of a saved recipient',
  },
  recipient_cooling_off: {
    status: 422,
    when: 'The recipient was saved or enabled recently, and your rule limits what it can get until the time in the message.',
    nextStep:
      'Send less, or wait until the time in the message, either way with a new `Idempotency-Key`.',
    fields: ['amount'],
    issue: 'is more than a new recipient can get',
  },
  approval_expired: {
    status: 409,
    when: 'It waited for other members for too long.',
    nextStep: 'Create it again after it has failed or expired.',
  },
  too_few_approvers: {
    status: 422,
    when: 'Fewer than two members of the team may approve transfers.',
    nextStep: 'Invite a second member who may approve, then set the rule.',
  },
  console_only: {
    status: 403,
    when: 'Only members can change this, in the console.',
    nextStep: 'Ask an owner to change it in the console.',
  },
  second_member_required: {
    status: 403,
    when: 'A member wants to confirm their own change, or to thaw payouts that they froze or asked to thaw. A frozen member cannot thaw their own payouts.',
    nextStep: 'Ask another owner or admin; for what the operator froze, another operator.',
  },
  not_simulated: {
    status: 422,
    when: 'The bank or chain of this mode is not simulated, so test outcomes cannot be set.',
    nextStep: 'Use a service with simulated test rails, such as the one `npm start` runs.',
  },
  rail_unavailable: {
    status: 503,
    when: 'The bank or chain of this mode is not configured or not responding. Nothing was changed.',
    nextStep: 'Retry after the time in `Retry-After`, or later, with the same `Idempotency-Key`.',
    retryAfterSeconds: 5,
  },
  treasury_short: {
    status: 503,
    when: 'The hot wallet, minus transfers in progress, cannot cover the transfer. Nothing was changed.',
    nextStep:
      'Retry after the seconds of `Retry-After`; a transfer with the same `Idempotency-Key`. The operator has been alerted.',
    retryAfterSeconds: 60,
  },
  destination_is_mint: {
    status: 422,
    when: 'The destination is the mint of a token.',
    nextStep: 'Send the address of a wallet.',
    fields: ['destinationAddress', 'destination.address'],
    issue: 'must be the address of a wallet, not of a mint',
  },
  destination_is_program: {
    status: 422,
    when: 'The destination is a program.',
    nextStep: 'Send the address of a wallet.',
    fields: ['destinationAddress', 'destination.address'],
    issue: 'must be the address of a wallet, not of a program',
  },
  destination_not_a_wallet: {
    status: 422,
    when: 'The destination is not a wallet that a private key controls.',
    nextStep: 'Send the address of a wallet. For a token account, send the address of its owner.',
    fields: ['destinationAddress', 'destination.address'],
    issue: 'must be the address of a wallet',
  },
  destination_wrong_token: {
    status: 422,
    when: 'The token account of the destination now belongs to a different owner.',
    nextStep: 'Ask the recipient for another wallet.',
    fields: ['destinationAddress', 'destination.address'],
    issue: 'must be another wallet',
  },
  destination_frozen: {
    status: 422,
    when: 'The issuer has frozen the token account of the destination.',
    nextStep: 'Ask the recipient for another wallet.',
    fields: ['destinationAddress', 'destination.address'],
    issue: 'must be another wallet: this one is frozen',
  },
  destination_is_ours: {
    status: 422,
    when: 'The destination is an account or deposit wallet of this service.',
    nextStep: 'Send the address of the recipient.',
    fields: ['destinationAddress', 'destination.address'],
    issue: 'must be the wallet of the recipient',
  },
  simulation_failed: {
    status: 422,
    when: 'The chain would reject the transaction.',
    nextStep: 'Check the destination, then try again with a new `Idempotency-Key`.',
    fields: ['destinationAddress', 'destination.address'],
    issue: 'cannot receive this transfer',
  },
  unknown_bank: {
    status: 422,
    when: 'No bank with this code exists.',
    nextStep: 'Use a code listed by `GET /v1/banks`.',
    fields: ['bankCode', 'destination.bankCode'],
    issue: 'must be a code listed by `GET /v1/banks`',
  },
  account_not_found: {
    status: 422,
    when: 'The bank has no account with this number.',
    nextStep: 'Check the account number with the recipient.',
    fields: ['accountNumber', 'destination.accountNumber'],
    issue: 'must be an account at this bank',
  },
  name_mismatch: {
    status: 422,
    when: 'The account belongs to a different name than the one you sent.',
    nextStep: 'Check the name and number with the recipient, or leave the name out.',
    fields: ['accountName', 'destination.accountName'],
    issue: 'must be the name of the account holder; leave it out if you are not sure',
  },
  merchant_suspended: {
    status: 403,
    when: 'The operator has suspended the merchant. Nothing was changed.',
    nextStep:
      'Ask the operator to resume the merchant, then repeat the request. Reads and webhooks work in the meantime.',
  },
  nothing_to_settle: {
    status: 422,
    when: 'The available naira above the reserve does not cover a transfer and its fee.',
    nextStep: 'Lower the reserve of settlements with `PATCH /v1/settings`, or wait for payments.',
  },
  session_expired: {
    status: 401,
    when: 'The console session ended, or there is none.',
    nextStep: 'Sign in to the console again.',
  },
  role: {
    status: 403,
    when: 'Your role at this merchant does not allow this.',
    nextStep: 'Ask a member with one of the named roles, or an owner to change your role.',
  },
  step_up_required: {
    status: 403,
    when: 'The console needs a fresh proof that it is you.',
    nextStep: 'Confirm with your passkey, code or password, then repeat the request.',
  },
  second_factor_missing: {
    status: 403,
    when: 'Live mode and operator pages need a second factor, and this session has none.',
    nextStep: 'Add a passkey or an authenticator app under "You", then sign in with it.',
  },
  foreign_origin: {
    status: 403,
    when: 'A page of another origin sent a request with the cookie of the console.',
    nextStep: 'Use the console itself, or an API key.',
  },
  kyc_missing: {
    status: 403,
    when: 'The merchant is not yet approved for live mode.',
    nextStep:
      'Submit your KYC in the console, or ask the operator. Test mode works in the meantime.',
  },
  no_bank_account: {
    status: 422,
    when: 'The merchant has no primary active bank account in this mode.',
    nextStep: 'Add one in the console and make it primary, or ask the operator.',
  },
  bank_account_waiting: {
    status: 422,
    when: 'The primary bank account was chosen less than 24 hours ago. Settlements to it wait.',
    nextStep: 'Wait until the time in the message, then try again with a new `Idempotency-Key`.',
  },
  no_wallet: {
    status: 422,
    when: 'No wallet for settlements is configured.',
    nextStep: 'Ask an owner or admin to choose one in the console.',
  },
  wallet_waiting: {
    status: 422,
    when: 'The wallet for settlements was chosen less than 72 hours ago and cannot be used yet.',
    nextStep: 'Wait until the time in the message, then try again with a new `Idempotency-Key`.',
  },
  velocity_limit: {
    status: 422,
    when: 'Your rules allow less in this time, per merchant, recipient, key or member.',
    nextStep: 'Send it later, with a new `Idempotency-Key`, or ask an owner to change the rules.',
  },
  possible_duplicate: {
    status: 409,
    when: 'The same amount went to the same recipient recently, and your rules ask to confirm a repetition.',
    nextStep:
      'If it is another transfer, send it with `confirmDuplicate: true` and a new `Idempotency-Key`.',
  },
  approval_required: {
    status: 422,
    when: 'The approval rule or a payout control requires a second member, and a settlement of a sub-account cannot wait for one.',
    nextStep: 'Create a bank transfer from the sub-account; another member approves it.',
  },
  payouts_frozen: {
    status: 422,
    when: 'A member or the operator has frozen payouts of this merchant, API key, member, recipient, bank or chain. Nothing was changed.',
    nextStep:
      'Two owners or admins thaw it in the console, or the operator does. Then try again with a new `Idempotency-Key`.',
  },
  destination_unconfirmed: {
    status: 422,
    when: 'One member chose the destination of settlements, and it waits for a confirmation: under an approval rule, or because the bank names another holder.',
    nextStep:
      'Ask another owner or admin to confirm it in the console; the operator can confirm a bank account, too. Then try again with a new `Idempotency-Key`.',
    retryAfterSeconds: 600,
  },
  key_permission: {
    status: 403,
    when: 'The API key is restricted and lacks the permission for this operation.',
    nextStep: 'Use a key with the permission that the message names.',
  },
  payouts_wait: {
    status: 403,
    when: 'Every payout made with this API key waits for a member, and this request would move money, or decide where money or events go, without one.',
    nextStep: 'Ask a member to do it in the console.',
  },
  account_refused: {
    status: 422,
    when: 'The bank refused to open the account.',
    nextStep: 'Read the message. If it names the reference, use another one.',
  },
  no_payment_method: {
    status: 422,
    when: 'The payment method is not enabled.',
    nextStep: 'Enable it with `PATCH /v1/settings`.',
    fields: ['crypto'],
    issue: 'must be left out, or enabled in the settings',
  },
  subaccount_not_covered: {
    status: 422,
    when: 'A sub-account has less than the refund takes back from it, and your settings require that sub-accounts cover refunds.',
    nextStep:
      'Move money to the sub-account, name other amounts in `splits`, or switch `refunds.subaccountsMustCover` off.',
  },
  screening: {
    status: 422,
    when: 'A payment is held for screening, so no API key and no single member decides about it; or the recipient of a transfer that you approve cannot be screened, or was put on a list since.',
    nextStep:
      'Payments: in the console, one member asks to accept or return it, and another member who may decide about payments does so. Transfers: do what the message names.',
  },
  no_destination: {
    status: 422,
    when: 'The service does not know where to send the money.',
    nextStep: 'Send `destination`: a bank account for naira, a wallet for stablecoins.',
  },
  amount_too_large: {
    status: 422,
    when: 'The amount is larger than what remains of the payment, or the conversion is larger than the API can write.',
    nextStep: 'Use a smaller amount. A payment shows how much of it remains.',
    fields: ['amount', 'targetAmount'],
    issue: 'must be smaller',
  },
  balance_limit: {
    status: 422,
    when: 'The balance would exceed the largest amount that can be represented exactly.',
    nextStep: 'Use a smaller amount.',
    fields: ['amount', 'quote'],
    issue: 'must be smaller',
  },
  sign_in_failed: {
    status: 401,
    when: 'The e-mail address, password, code or passkey is wrong.',
    nextStep: 'Check what you typed. An owner or the operator can make a link for a new password.',
  },
  too_many_guesses: {
    status: 429,
    when: 'Too many wrong passwords or codes were sent for this person, or from this network.',
    nextStep: 'Wait for the number of seconds in `Retry-After`, or sign in with a passkey.',
  },
  weak_password: {
    status: 422,
    when: 'The password is too short or easy to guess.',
    nextStep: 'Choose a longer one, such as four words that do not belong together.',
  },
  last_owner: {
    status: 409,
    when: 'The merchant would have no owner.',
    nextStep: 'Make another member an owner first.',
  },
} as const satisfies Record<string, Row>

export type Code = keyof typeof codes
export type Reason = keyof typeof reasons

/** After how many seconds a refusal for this reason may have passed. */
export function waitOf(reason: Reason): number | undefined {
  const { retryAfterSeconds }: Row = reasons[reason]
  return retryAfterSeconds
}

/** The field that a refusal of this code or reason concerns, if the request has it. */
export function detailOf(
  code: Code,
  reason: Reason | undefined,
  sent: unknown,
): { field: string; issue: string } | undefined {
  const { fields = [], issue }: Row = reason ? reasons[reason] : codes[code]
  const field = fields.find((path) => has(sent, path.split('.')))
  return field === undefined ? undefined : { field, issue: issue! }
}

function has(value: unknown, [name, ...deeper]: string[]): boolean {
  if (name === undefined) return value !== undefined
  return typeof value === 'object' && value !== null && name in value
    ? has((value as Record<string, unknown>)[name], deeper)
    : false
}
