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
export function checkNairaLimits({ naira }: Pick<ApiParts, 'naira'>, request: NairaRequest): void {
  const { min, max } = naira[request.environment.mode]
  const amount = BigInt(request.body.amount)
  if (amount < min) throw outOfBounds('at least', min)
  if (amount > max) throw outOfBounds('at most', max)
}

function outOfBounds(comparison: string, bound: bigint): Refusal {
  const issue = `must be ${comparison} ${formatWithKobo(bound)}`
  return invalidField('amount', issue)
}
