import type { Environment } from '../../base/environment.js'
import { Refusal } from '../../base/refusal.js'
import { formatNaira } from '../../money/amounts.js'
import type { ApiParts } from '../api-parts.js'

type Asked = { environment: Pick<Environment, 'mode'>; body: { amount: number } }

/**
 * Refuses amounts of naira that the operator does not take in this mode. A handler calls it, not
 * the schema: it depends on configuration, and a retry of what was taken before limits changed
 * must get its first answer.
 */
export function refuseUnusualNaira({ naira }: Pick<ApiParts, 'naira'>, ask: Asked): void {
  const { min, max } = naira[ask.environment.mode]
  const amount = BigInt(ask.body.amount)
  if (amount < min) throw outOfBounds('at least', min)
  if (amount > max) throw outOfBounds('at most', max)
}

function outOfBounds(words: string, bound: bigint): Refusal {
  const issue = `must be ${words} ${formatNaira(bound)} (${bound} kobo)`
  return new Refusal('validation_failed', {
    message: `amount ${issue}.`,
    details: [{ field: 'amount', issue }],
  })
}
