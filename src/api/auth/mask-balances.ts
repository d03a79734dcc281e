import type { FastifyRequest } from 'fastify'

/** An amount of formatMoney in a sentence about what is available. */
const available = /−?(?:₦[\d,]+(?:\.\d+)?|[\d,]+(?:\.\d+)? [A-Z]{3,5}) is available/g

/**
 * Takes the balance out of refusals, for callers who may pay but not see balances: they learn that
 * the money does not suffice, not how much there is. Also in what the request log keeps of them.
 */
export function maskBalances(body: string): string {
  return body.includes(' is available') ? body.replace(available, 'less is available') : body
}

export function hidesBalances({ caller }: Pick<FastifyRequest, 'caller'>): boolean {
  return (
    caller !== undefined && caller.permissions !== null && !caller.permissions.has('balances.see')
  )
}
