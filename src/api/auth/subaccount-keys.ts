import type { FastifyRequest } from 'fastify'
import { prefixes, toReference } from '../../base/ids.js'
import { notFound, Refusal } from '../../base/refusal.js'
import type { Route } from '../server/route.js'

/**
 * How an operation keeps a key that is bound to a sub-account to it:
 * - `query`: `subaccount` in the query is set, and must not name another one;
 * - `path`: `reference` in the path must be that of the sub-account;
 * - `handler`: the handler compares the owner of what it found, with `refuseOthers`.
 */
type Scope = 'query' | 'path' | 'handler'

/** Every operation that serves such keys; all others refuse them. A test lists the others. */
export const servedToSubaccountKeys: Readonly<Record<string, Scope>> = {
  getApiKey: 'handler',
  getSubaccount: 'path',
  listBalances: 'query',
  listBalanceEntries: 'query',
  summarizeBalanceEntries: 'query',
  listSettlements: 'query',
  summarizeSettlements: 'query',
  getSettlement: 'handler',
  listSettlementEntries: 'handler',
  listBankTransfers: 'query',
  getBankTransfer: 'handler',
  listCryptoTransfers: 'query',
  getCryptoTransfer: 'handler',
}

/** What such a key can be given. */
export const subaccountKeyPermissions = ['balances.see', 'payouts.see', 'subaccounts.see'] as const

/** Before the request is validated: the query that is validated names the sub-account. */
export function keepToSubaccount(
  request: FastifyRequest,
  { operation }: Pick<Route, 'operation'>,
  subaccountId: string,
): void {
  const scope = Object.hasOwn(servedToSubaccountKeys, operation)
    ? servedToSubaccountKeys[operation]
    : undefined
  const own = toReference(prefixes.subaccount, subaccountId)
  if (scope === undefined) throw refuse(own, 'This operation is not for such keys.')
  if (scope === 'query') {
    const query = request.query as { subaccount?: unknown }
    if (query.subaccount !== undefined && query.subaccount !== own)
      throw refuse(own, 'Send its reference as `subaccount`, or none.')
    query.subaccount = own
  }
  if (scope === 'path' && (request.params as { reference?: unknown }).reference !== own)
    throw refuse(own, 'It cannot read another one.')
}

/** What belongs to others does not exist for a key that is bound to a sub-account. */
export function refuseOthers(
  { boundTo }: { boundTo: string | null },
  { owner, noun, reference }: { owner: string | null; noun: string; reference: string },
): void {
  if (boundTo !== null && owner !== boundTo) throw notFound(noun, reference)
}

function refuse(own: string, why: string): Refusal {
  return new Refusal('forbidden', {
    reason: 'key_permission',
    message: `This API key reads ${own} and nothing else. ${why}`,
  })
}
