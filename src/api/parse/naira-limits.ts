import type { Environment } from '../../base/environment.js'
import { invalidField, type Refusal } from '../../base/refusal.js'
import { formatWithKobo } from '../../money/amounts.js'
import type { ApiParts } from '../pipeline/api-parts.js'

type NairaRequest = { environment: Pick<Environment, 'mode'>; body: { amount: number } }

/**
 * Refuses naira amounts outside the operator's limits for this mode. Called by handlers and not
 * part of the schema, so that a retry of a request from before a change of limits gets its first
 * answer.
 */
export function checkNairaLimits(api: Pick<ApiParts, 'naira'>, request: NairaRequest): void {
  checkNairaField(api, request.environment, 'amount', BigInt(request.body.amount))
}

/** The same for a field of another name. */
export function checkNairaField(
  { naira }: Pick<ApiParts, 'naira'>,
  { mode }: Pick<Environment, 'mode'>,
  field: string,
  amount: bigint,
): void {
  const { min, max } = naira[mode]
  if (amount < min) throw outOfBounds(field, 'at least', min)
  if (amount > max) throw outOfBounds(field, 'at most', max)
}

function outOfBounds(field: string, comparison: string, bound: bigint): Refusal {
  const issue = `must be ${comparison} ${formatWithKobo(bound)}`
  return invalidField(field, issue)
}
