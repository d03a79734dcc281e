import Type from 'typebox'
import type { Mode } from '../../base/environment.js'
import { Refusal } from '../../base/refusal.js'
import { getEnvironment } from '../../merchants/environments.js'
import { formatDecimal, parseMoney } from '../../money/amounts.js'
import type { Asset } from '../../money/assets.js'
import { closed } from '../parse/schemas.js'
import type { Route } from '../server/route.js'
import { propose } from './actions.js'
import { oneMerchant } from './merchants.js'
import type { OperatorParts } from './operator-parts.js'
import { assetText, modeText, operatorRoute, reasonText, shortText } from './operator-route.js'

/** Money that arrived outside of the rails. */
export function creditRoutes({ db }: OperatorParts): Route[] {
  const credit = operatorRoute({
    method: 'POST',
    path: '/merchants/:id/credits',
    operation: 'creditMerchant',
    summary: 'Propose a credit',
    params: oneMerchant,
    body: closed({
      mode: modeText,
      asset: assetText,
      /** A decimal in the main unit: 2000.00 is two thousand naira. */
      amount: Type.String({ minLength: 1, maxLength: 30 }),
      note: reasonText,
      /** The bank's reference: it is credited once. */
      once: shortText,
    }),
    async handle(request) {
      const { note, once } = request.body
      const mode = request.body.mode as Mode
      const asset = request.body.asset as Asset
      const merchant = request.params.id
      const amount = parseMoney(request.body.amount, asset)
      if (typeof amount !== 'bigint')
        throw new Refusal('validation_failed', {
          message: `amount ${amount.issue}.`,
          details: [{ field: 'amount', issue: amount.issue }],
        })
      const { merchantId } = await getEnvironment(db, { merchant, mode })
      const payload = { merchant, mode, asset, amount: formatDecimal(amount, asset), note, once }
      const subject = `${merchant}/${mode}/${once}`
      return propose({ db }, request, { kind: 'balance.credit', subject, payload, merchantId })
    },
  })
  return [credit]
}
