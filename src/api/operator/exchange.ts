import Type from 'typebox'
import { type Mode, modes } from '../../base/environment.js'
import { invalidField } from '../../base/refusal.js'
import { inventoryOf, type Position } from '../../conversions/positions.js'
import { formatDecimal, formatMoney, parseMoney } from '../../money/amounts.js'
import type { Asset } from '../../money/assets.js'
import {
  addStock,
  checkStock,
  checkTake,
  limitPosition,
  type StockOrder,
  takeStock,
} from '../../operations/actions/change-exchange.js'
import { showExchange } from '../../operations/actions/show-exchange.js'
import { viewExchange } from '../../operations/actions/view-exchange.js'
import { closed } from '../parse/schemas.js'
import type { Route } from '../server/route.js'
import { propose } from './actions.js'
import type { OperatorParts } from './operator-parts.js'
import { assetText, modeText, operatorOf, operatorRoute, reasonText } from './operator-route.js'

/** A decimal in the main unit: 2000.00 is two thousand naira. */
const amountText = Type.String({ minLength: 1, maxLength: 30 })

/**
 * The operator's own money that conversions sell. In live mode another operator confirms each
 * change of it: no rail proves whose naira a bank holds.
 */
export function exchangeRoutes({ db, rails, rates }: OperatorParts): Route[] {
  const show = operatorRoute({
    method: 'GET',
    path: '/exchange',
    operation: 'readExchange',
    summary: 'Exchange',
    async handle({ now }) {
      const views = await Promise.all(modes.map((mode) => viewExchange({ db, rates }, mode, now)))
      return { items: views.map(showExchange) }
    },
  })
  const stockBody = closed({
    mode: modeText,
    asset: assetText,
    amount: amountText,
    note: reasonText,
  })
  const add = operatorRoute({
    method: 'POST',
    path: '/exchange/add',
    operation: 'addExchangeStock',
    summary: 'Add to the exchange',
    stepUp: 'always',
    body: stockBody,
    async handle(request) {
      const order = readOrder(request.body)
      const operator = operatorOf(request)
      const checked = await checkStock(db, order, rails.solana[order.mode])
      if (order.mode === 'live')
        return propose({ db }, request, { kind: 'exchange.add', ...proposalOf(order) })
      return showPosition(
        await db.transaction((tx) => addStock(tx, request.now, { ...order, checked }, operator)),
      )
    },
  })
  const take = operatorRoute({
    method: 'POST',
    path: '/exchange/take',
    operation: 'takeExchangeStock',
    summary: 'Take from the exchange',
    stepUp: 'always',
    body: stockBody,
    async handle(request) {
      const order = readOrder(request.body)
      const operator = operatorOf(request)
      if (order.mode === 'live') {
        await checkTake(db, order)
        return propose({ db }, request, { kind: 'exchange.take', ...proposalOf(order) })
      }
      return showPosition(await db.transaction((tx) => takeStock(tx, request.now, order, operator)))
    },
  })
  const limit = operatorRoute({
    method: 'POST',
    path: '/exchange/limit',
    operation: 'limitExchange',
    summary: 'Limit a position',
    stepUp: 'always',
    body: closed({
      mode: modeText,
      asset: assetText,
      /** Null: no limit. */
      amount: Type.Union([amountText, Type.Null()]),
    }),
    async handle(request) {
      const { amount } = request.body
      const mode = request.body.mode as Mode
      const asset = request.body.asset as Asset
      const ceiling = amount === null ? null : readAmount(amount, asset)
      const operator = operatorOf(request)
      return showPosition(
        await db.transaction((tx) =>
          limitPosition(tx, request.now, { mode, asset, ceiling }, operator),
        ),
      )
    },
  })
  return [show, add, take, limit]
}

function readOrder(body: {
  mode: string
  asset: string
  amount: string
  note: string
}): StockOrder {
  const asset = body.asset as Asset
  const amount = readAmount(body.amount, asset)
  return { mode: body.mode as Mode, asset, amount, note: body.note }
}

/** One waiting change of each kind per asset. */
function proposalOf({ mode, asset, amount, note }: StockOrder) {
  const payload = { mode, asset, amount: formatDecimal(amount, asset), note }
  return { subject: `${mode}/${asset}`, payload }
}

function readAmount(text: string, asset: Asset): bigint {
  const amount = parseMoney(text, asset)
  if (typeof amount === 'bigint') return amount
  throw invalidField('amount', amount.issue)
}

function showPosition(position: Position) {
  const { mode, asset, ceiling } = position
  return {
    mode,
    asset,
    inventory: formatMoney(inventoryOf(position), asset),
    ceiling: ceiling === null ? null : formatMoney(ceiling, asset),
  }
}
