import { type Code, codes, type Reason, reasons } from '../../base/refusals.js'
import { isClosedToWaitingKeys } from '../auth/waiting-keys.js'
import type { RefusalText, Route, RouteAccess } from '../server/route.js'

/** A code that always comes with one of these reasons. */
export function withReasons(code: Code, ...why: Reason[]): RefusalText[] {
  return why.map((reason) => ({ code, reason }))
}

/** Why an account that stays the same cannot be opened. */
export const dedicatedAccountRefusals = withReasons(
  'dedicated_account_creation_failed',
  'duplicate_reference',
  'kyc_missing',
  'no_bank_account',
  'account_refused',
  'rail_unavailable',
)

/** Why a bank or a chain may refuse a transfer. */
export const bankRefusalReasons: Reason[] = [
  'unknown_bank',
  'account_not_found',
  'name_mismatch',
  'rail_unavailable',
  'payouts_frozen',
]
/** Reasons of a transfer that is paid from another balance. */
export const fundFromReasons: Reason[] = [
  'rate_unavailable',
  'rate_exceeded',
  'quote_expired',
  'quote_used',
  'quote_mismatch',
  'capacity',
  'amount_too_small',
  'amount_too_large',
  'balance_limit',
]
/** Reasons of a transfer to a recipient that cannot be paid. */
export const recipientReasons: Reason[] = [
  'recipient_disabled',
  'recipient_not_saved',
  'recipient_cooling_off',
]
export const chainRefusalReasons: Reason[] = [
  'destination_is_mint',
  'destination_is_program',
  'destination_not_a_wallet',
  'destination_wrong_token',
  'destination_frozen',
  'destination_is_ours',
  'simulation_failed',
  'rail_unavailable',
  'payouts_frozen',
  'treasury_short',
]

/**
 * Every POST by the holder of an API key that changes something; some routes require it:
 * `requiresIdempotencyKey`. Elsewhere the header is ignored, and nothing is stored under it.
 */
export function acceptsIdempotencyKey({
  method,
  access,
  isRead,
  fileBytesMax,
}: Pick<Route, 'method' | 'access' | 'isRead' | 'fileBytesMax'>): boolean {
  const isChange = method === 'POST' && !isRead && fileBytesMax === 0
  return isChange && (needsApiKey(access) || access === 'user')
}

/** Answers that exist only as JSON: a client that accepts nothing but CSV gets 406. */
export function isJsonOnly({
  method,
  hasCsv,
  isCsvOnly,
  isPdf,
  isStream,
  isPage,
}: Pick<Route, 'method' | 'hasCsv' | 'isCsvOnly' | 'isPdf' | 'isStream' | 'isPage'>): boolean {
  return method === 'GET' && !hasCsv && !isCsvOnly && !isPdf && !isStream && !isPage
}

function needsApiKey(access: RouteAccess): boolean {
  return access === 'secret' || access === 'any_key' || access === 'key_only'
}

/** Every refusal of this operation, including those that any request can meet. */
export function refusalsOf(route: Route): RefusalText[] {
  const isChange = route.method !== 'GET' && !route.isRead
  return [
    { code: 'validation_failed' },
    // The body of a DELETE is parsed, although it has no meaning.
    ...(route.body || route.method === 'DELETE' ? unreadable : []),
    ...(acceptsIdempotencyKey(route) ? repeated : []),
    ...(isJsonOnly(route) ? withReasons('validation_failed', 'not_acceptable') : []),
    ...(needsApiKey(route.access)
      ? [
          { code: 'authentication_failed' } as const,
          ...(route.access === 'key_only' ? [] : withReasons('forbidden', 'key_permission')),
          ...(isClosedToWaitingKeys(route) ? withReasons('forbidden', 'payouts_wait') : []),
        ]
      : []),
    ...(route.isTestOnly ? withReasons('forbidden', 'test_mode_only') : []),
    ...(route.stopsWhenSuspended ? withReasons('forbidden', 'merchant_suspended') : []),
    ...route.refusals.map((refusal) => (typeof refusal === 'string' ? { code: refusal } : refusal)),
    { code: 'rate_limited' },
    { code: 'internal_error' },
    ...withReasons(
      'internal_error',
      'unavailable',
      ...(isChange ? (['outcome_unknown'] as const) : []),
    ),
  ]
}

const unreadable = withReasons(
  'validation_failed',
  'invalid_json',
  'payload_too_large',
  'unsupported_media_type',
)
const repeated = withReasons(
  'validation_failed',
  'idempotency_key_reused',
  'idempotency_in_progress',
)

export function httpStatusOf({ code, reason }: RefusalText): number {
  return reason ? reasons[reason].status : codes[code].status
}

/** Name of its example in the OpenAPI document. */
export function refusalName({ code, reason }: RefusalText): string {
  return reason ? `${code}.${reason}` : code
}
