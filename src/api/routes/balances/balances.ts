import Type from 'typebox'
import { balance, showBalance } from '../../../ledger/balance-resource.js'
import { createBalanceReader } from '../../../ledger/balances.js'
import { showSubaccountBalance } from '../../../subaccounts/resource.js'
import { getSubaccount } from '../../../subaccounts/store-subaccounts.js'
import { findSubaccountBalances } from '../../../subaccounts/subaccount-balances.js'
import { seenWith, sees } from '../../../team/seen-with.js'
import { refuseUnseen } from '../../auth/refuse-unseen.js'
import { closed } from '../../parse/schemas.js'
import type { ApiParts } from '../../pipeline/api-parts.js'
import { success } from '../../server/envelope.js'
import { route } from '../../server/route.js'
import { ofSubaccount } from './balance-entries.js'

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
      'Returns one balance per asset: what you can spend, what open payouts have reserved, and what is still undecided. Of a sub-account, what is released to it later, and what it owes you.',
    tag: 'Balances',
    query: closed({ subaccount: Type.Optional(ofSubaccount) }),
    answers: { 200: Type.Object({ items: Type.Array(balance) }) },
    refusals: ['not_found'],
    async handle(request) {
      const environmentId = request.environment.id
      const reference = request.query.subaccount
      if (reference === undefined) return readBalances(environmentId)
      if (!sees(request.permissions, 'subaccount')) throw refuseUnseen(request, seenWith.subaccount)
      const subaccount = await getSubaccount(db, { environmentId, reference })
      const items = (await findSubaccountBalances(db, [subaccount])).get(subaccount.id)!
      return success(200, 'Balances', { items: items.map(showSubaccountBalance) })
    },
  })
}
