import { type Code, codes, type Reason, reasons } from '../../base/refusals.js'
import type { Access, Route } from './route.js'

/** A "no" that an operation can say: a code, with the finer word if there is one. */
export type RefusalText = { code: Code; reason?: Reason }

/** A code that comes with one of these reasons, and never without. */
export function refusedAs(code: Code, ...why: Reason[]): RefusalText[] {
  return why.map((reason) => ({ code, reason }))
}

/** What a bank can have against a transfer, and a chain against one. */
export const bankSays = [
  ...(['unknown_bank', 'account_not_found', 'name_mismatch', 'rail_unavailable'] as const),
]
export const chainSays = [
  ...(['destination_is_mint', 'destination_is_program', 'destination_not_a_wallet'] as const),
  ...(['destination_wrong_token', 'destination_frozen', 'destination_is_ours'] as const),
  ...(['simulation_failed', 'rail_unavailable', 'treasury_short'] as const),
]

export function isKeyed({ method, access }: Pick<Route, 'method' | 'access'>): boolean {
  return method === 'POST' && needsKey(access)
}

function needsKey(access: Access): boolean {
  return access === 'secret' || access === 'any_key'
}

/** Everything that this operation can refuse with, and what any request can meet. */
export function refusalsOf(route: Route): RefusalText[] {
  const isChange = route.method !== 'GET'
  return [
    { code: 'validation_failed' },
    // What comes with a DELETE is read, although nothing is asked for.
    ...(route.body || route.method === 'DELETE' ? unreadable : []),
    ...(isKeyed(route) ? repeated : []),
    ...(needsKey(route.access) ? [{ code: 'authentication_failed' } as const] : []),
    ...(route.isTestOnly ? refusedAs('forbidden', 'test_mode_only') : []),
    ...route.refusals.map((one) => (typeof one === 'string' ? { code: one } : one)),
    { code: 'rate_limited' },
    { code: 'internal_error' },
    ...refusedAs(
      'internal_error',
      'unavailable',
      ...(isChange ? (['outcome_unknown'] as const) : []),
    ),
  ]
}

const unreadable = refusedAs(
  'validation_failed',
  ...(['invalid_json', 'payload_too_large', 'unsupported_media_type'] as const),
)
const repeated = refusedAs(
  'validation_failed',
  ...(['idempotency_key_reused', 'idempotency_in_progress'] as const),
)

export function httpStatusOf({ code, reason }: RefusalText): number {
  return reason ? reasons[reason].status : codes[code].status
}

/** As the document names its example. */
export function refusalName({ code, reason }: RefusalText): string {
  return reason ? `${code}.${reason}` : code
}
