/**
 * Every "no" of the service. This table sets the HTTP status and the next step of each refusal and
 * writes docs/reference/errors.md; a code or reason that is not here does not compile.
 */
type Row = { status: number; when: string; nextStep: string }

export const codes = {
  validation_failed: {
    status: 400,
    when: 'The body, a header, the query or the path is not as specified.',
    nextStep: 'Correct what `details` names and send the request again.',
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
    when: 'More requests came than the limit of this environment or address allows.',
    nextStep: 'Wait for the seconds that `Retry-After` says, then send the same request again.',
  },
  balance_funding_failed: {
    status: 422,
    when: 'A balance could not be funded.',
    nextStep: 'Change what the message names and try again.',
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
    when: 'The body is not declared as JSON.',
    nextStep: 'Send `Content-Type: application/json`.',
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
    nextStep: 'Retry in a moment with the same `Idempotency-Key`.',
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
  balance_limit: {
    status: 422,
    when: 'The balance would grow beyond what can be written exactly.',
    nextStep: 'Use a smaller amount.',
  },
} as const satisfies Record<string, Row>

export type Code = keyof typeof codes
export type Reason = keyof typeof reasons
