import Type from 'typebox'
import { listBalances } from '../../ledger/balances.js'
import { toWire } from '../../money/amounts.js'
import { described, resource, showing } from '../../resources/shapes.js'
import type { ApiParts } from '../api-parts.js'
import { success } from '../edge/envelope.js'
import { route } from '../edge/route.js'
import { amountOut, anyAsset } from '../edge/schemas.js'

const balance = resource('Balance', {
  asset: anyAsset,
  available: amountOut,
  held: described(showing(amountOut, 0), 'Set aside by open payouts.'),
  pending: described(showing(amountOut, 0), 'Received and not yet decided.'),
})

export const balances = ({ db }: ApiParts) =>
  route({
    method: 'GET',
    path: '/v1/balances',
    access: 'secret',
    operation: 'listBalances',
    summary: 'List balances',
    description: 'What you may spend, what open payouts hold, and what is not decided yet.',
    tag: 'Balances',
    answers: { 200: Type.Object({ items: Type.Array(balance) }) },
    async handle({ environment }) {
      const items = await listBalances(db, environment.id)
      return success(200, 'Balances', {
        items: items.map(({ asset, available, held, pending }) => ({
          asset,
          available: toWire(available, asset),
          held: toWire(held, asset),
          pending: toWire(pending, asset),
        })),
      })
    },
  })
