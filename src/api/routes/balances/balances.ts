import Type from 'typebox'
import { balance, showBalance } from '../../../ledger/balance-resource.js'
import { createBalanceReader } from '../../../ledger/balances.js'
import type { ApiParts } from '../../pipeline/api-parts.js'
import { success } from '../../server/envelope.js'
import { route } from '../../server/route.js'

export const balances = ({ db }: ApiParts) => {
  const readBalances = createBalanceReader(db, (items) =>
    success(200, 'Balances', { items: items.map(showBalance) }),
  )
  return route({
    method: 'GET',
    path: '/v1/balances',
    access: 'secret',
    permission: 'balances.see',
    operation: 'listBalances',
    summary: 'List balances',
    description:
      'Returns one balance per asset: what you can spend, what open payouts have reserved, and what is still undecided.',
    tag: 'Balances',
    answers: { 200: Type.Object({ items: Type.Array(balance) }) },
    handle: ({ environment }) => readBalances(environment.id),
  })
}
