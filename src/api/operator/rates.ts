import Type from 'typebox'
import { hour } from '../../base/clock.js'
import { limits } from '../../base/limits.js'
import { noRateSources } from '../../base/rate-sources.js'
import { invalidField, Refusal } from '../../base/refusal.js'
import { type Coin, isCoin } from '../../money/assets.js'
import { formatRate, parseRate, type RatePair } from '../../money/rates.js'
import {
  acceptRate,
  clearRate,
  compareRate,
  refuseInverted,
  setRate,
} from '../../operations/actions/change-rates.js'
import { showRateView } from '../../operations/actions/show-rates.js'
import { formatPair } from '../../rates/combine-readings.js'
import { listRates } from '../../rates/store-rates.js'
import { viewRates } from '../../rates/view-rates.js'
import { closed, inPath } from '../parse/schemas.js'
import type { Route } from '../server/route.js'
import { propose } from './actions.js'
import type { OperatorParts } from './operator-parts.js'
import { operatorOf, operatorRoute } from './operator-route.js'

const oneCoin = inPath('coin', 'USDC')
const rateText = Type.String({ minLength: 1, maxLength: 20 })

/** Rates of live mode. */
export function operatorRateRoutes({
  db,
  config: { rates: config = noRateSources },
}: OperatorParts): Route[] {
  const list = operatorRoute({
    method: 'GET',
    path: '/rates',
    operation: 'listOperatorRates',
    summary: 'Rates',
    handle: async ({ now }) => ({
      items: (await viewRates({ db, config }, now)).map(showRateView),
      maxAgeSeconds: config.maxAgeMs / 1_000,
      maxDeviationPercent: config.maxDeviationPercent,
    }),
  })
  const history = operatorRoute({
    method: 'GET',
    path: '/rates/:coin/history',
    operation: 'listRateHistory',
    summary: 'Rates of a coin, newest first',
    params: oneCoin,
    handle: async ({ params }) => {
      const asset = readCoin(params.coin)
      const rates = await listRates(db, { asset, limit: limits.rates.listedMax })
      return {
        items: rates.map(({ id, buy, sell, ...rest }) => ({
          ...rest,
          buy: formatRate(buy),
          sell: formatRate(sell),
        })),
      }
    },
  })
  const set = operatorRoute({
    method: 'POST',
    path: '/rates/:coin/set',
    operation: 'setRate',
    summary: 'Set a rate',
    stepUp: 'always',
    params: oneCoin,
    body: closed({
      buy: rateText,
      sell: rateText,
      /** How long it is valid; without it, until it is cleared. */
      forHours: Type.Optional(Type.Integer({ minimum: 1, maximum: limits.rates.heldMaxMs / hour })),
      /** Proposes a rate that differs much to another operator; without it, it is refused. */
      isProposal: Type.Optional(Type.Boolean()),
    }),
    async handle(request) {
      const { forHours, isProposal = false } = request.body
      const asset = readCoin(request.params.coin)
      const { buy, sell } = readPair(request.body)
      const heldMs = forHours === undefined ? undefined : forHours * hour
      const operator = operatorOf(request)
      refuseInverted({ buy, sell })
      const { isFar, previous } = await compareRate(db, request.now, { asset, buy, sell })
      if (isFar && isProposal) {
        const payload = {
          asset,
          buy: formatRate(buy),
          sell: formatRate(sell),
          previous: previous ? formatPair(previous) : 'none',
          forHours: forHours ?? null,
        }
        // The market moves: a rate is confirmed while a rate of a source would still be used.
        const validMs = config.maxAgeMs
        return propose({ db }, request, { kind: 'rate.set', subject: asset, payload, validMs })
      }
      const order = { asset, buy, sell, heldMs, isConfirmed: false }
      await db.transaction((tx) => setRate(tx, request.now, order, operator))
    },
  })
  const clear = operatorRoute({
    method: 'POST',
    path: '/rates/:coin/clear',
    operation: 'clearRate',
    summary: 'Withdraw a rate',
    stepUp: 'always',
    params: oneCoin,
    async handle(request) {
      const asset = readCoin(request.params.coin)
      const operator = operatorOf(request)
      await db.transaction((tx) => clearRate(tx, request.now, asset, operator))
    },
  })
  const accept = operatorRoute({
    method: 'POST',
    path: '/rates/:coin/accept',
    operation: 'acceptRate',
    summary: 'Accept the median of the sources',
    stepUp: 'always',
    params: oneCoin,
    /** The median that the operator sees. */
    body: closed({ buy: rateText, sell: rateText }),
    async handle(request) {
      const asset = readCoin(request.params.coin)
      const seen = readPair(request.body)
      const operator = operatorOf(request)
      await db.transaction((tx) => acceptRate(tx, request.now, { asset, seen, config }, operator))
    },
  })
  return [list, history, set, clear, accept]
}

function readCoin(text: string): Coin {
  if (isCoin(text)) return text
  throw new Refusal('not_found', { message: 'No such coin exists. Use USDC or USDT.' })
}

function readPair(body: { buy: string; sell: string }): RatePair {
  const read = (field: 'buy' | 'sell') => {
    const rate = parseRate(body[field])
    if (rate !== undefined) return rate
    throw invalidField(field, 'must be naira per coin, such as 1580 or 1585.25')
  }
  return { buy: read('buy'), sell: read('sell') }
}
