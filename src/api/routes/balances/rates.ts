import { coins } from '../../../money/assets.js'
import { rate, showRate } from '../../../rates/resource.js'
import { closed, page, pageQuery } from '../../parse/schemas.js'
import type { ApiParts } from '../../pipeline/api-parts.js'
import { success } from '../../server/envelope.js'
import { pageOf } from '../../server/page-of.js'
import { type Route, route } from '../../server/route.js'

export function rateRoutes(api: ApiParts): Route[] {
  return [list(api)]
}

const list = ({ rates }: ApiParts) =>
  route({
    access: 'secret',
    tag: 'Conversions',
    method: 'GET',
    path: '/v1/rates',
    permission: 'payouts.see',
    operation: 'listRates',
    summary: 'List rates',
    description:
      'Returns the current rate of each coin. A coin without a rate is not listed. Your conversion fee is charged on top; quotes include it. In test mode rates are simulated and depend only on the test clock.',
    query: closed(pageQuery),
    answers: { 200: page(rate) },
    async handle({ environment, now, query }) {
      const found = await Promise.all(coins.map((coin) => rates.find(environment, coin, now)))
      const items = found.flatMap((current) => (current ? [showRate(current)] : []))
      return success(
        200,
        'Rates',
        pageOf(items, query, ({ asset }) => asset),
      )
    },
  })
