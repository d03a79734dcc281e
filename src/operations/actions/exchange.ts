import Type from 'typebox'
import { type Mode, modes } from '../../base/environment.js'
import { orNull, resource } from '../../base/shapes.js'
import { inventoryOf, listPositions, type Position } from '../../conversions/positions.js'
import { sumConversionFees } from '../../conversions/store-conversions.js'
import { formatDecimal, formatMoney } from '../../money/amounts.js'
import { type Asset, isCoin } from '../../money/assets.js'
import { convert, type RatePair } from '../../money/rates.js'
import {
  addStock,
  type CheckedStock,
  checkStock,
  checkTake,
  limitPosition,
  takeStock,
} from '../changes/change-exchange.js'
import { type Confirmable, propose } from '../changes/operator-actions.js'
import {
  type Action,
  type ActionCall,
  command,
  type Facts,
  type InputOf,
  route,
} from '../definitions/definition.js'
import * as fields from '../definitions/fields.js'
import { tableOf } from '../definitions/table.js'
import { asset, itemsOf, mode, waiting } from '../definitions/views.js'

/** `amount` is a decimal of the asset. */
type StockPayload = { mode: Mode; asset: Asset; amount: string; note: string; once?: string }

export const adding: Confirmable<StockPayload, CheckedStock> = {
  kind: 'exchange.add',
  command: 'exchange add',
  prepare({ db, withRails }, payload) {
    const addition = toStockRequest(payload)
    return payload.asset === 'NGN'
      ? checkStock(db, addition, undefined)
      : withRails(({ solana }) => checkStock(db, addition, solana[payload.mode]))
  },
  async perform(tx, { now, operator }, payload, checked) {
    const addition = { ...toStockRequest(payload), checked }
    return showInventory(await addStock(tx, now, addition, operator))
  },
}

export const taking: Confirmable<StockPayload> = {
  kind: 'exchange.take',
  command: 'exchange take',
  perform: async (tx, { now, operator }, payload) =>
    showInventory(await takeStock(tx, now, toStockRequest(payload), operator)),
}

function toStockRequest({ amount, ...payload }: StockPayload) {
  return { ...payload, amount: fields.readAmount(amount, payload.asset) }
}

function showInventory(position: Position) {
  return { inventory: formatMoney(inventoryOf(position), position.asset) }
}

const stockArguments = {
  asset: fields.read(fields.readAsset, 'NGN, USDC or USDT'),
  amount: fields.text('2000 or ₦2,000.00 for NGN; 25.5 for a coin'),
  mode: fields.liveByDefault,
  note: fields.note('where it comes from or goes, for the audit log'),
  yes: fields.yes,
}

const stockBody = {
  mode: fields.mode,
  asset: fields.asset('asset'),
  amount: fields.amount('decimal'),
  note: fields.note('where it comes from or goes'),
}

const positionView = Type.Object({
  mode,
  asset,
  inventory: Type.String(),
  ceiling: orNull(Type.String()),
})

const modeExchange = resource('ModeExchange', {
  mode,
  positions: Type.Array(
    resource('Position', {
      asset,
      stock: Type.String(),
      bought: Type.String(),
      sold: Type.String(),
      inventory: Type.String(),
      ceiling: orNull(Type.String()),
      fees: Type.String(),
      worth: orNull(Type.String()),
    }),
  ),
  profit: orNull(Type.String()),
})

/**
 * The operator's own money that conversions sell. In live mode of the console another operator
 * confirms each change of it: no rail proves whose naira a bank holds.
 */
export const exchangeActions: Action[] = [
  command({
    name: 'exchange show',
    description: 'show stock, what was bought and sold, limits, fees and profit',
    input: { mode: Type.Optional(fields.mode) },
    async run(call, { mode }) {
      const shown = mode ? [mode] : modes
      const data = await Promise.all(shown.map((mode) => viewExchange(call, mode)))
      return {
        data,
        text: data.flatMap((view, index) => [...(index === 0 ? [] : ['']), ...describe(view)]),
      }
    },
  }),
  route({
    request: 'GET /exchange',
    operation: 'readExchange',
    summary: 'Exchange',
    view: itemsOf(modeExchange),
    run: async (call) => ({
      items: await Promise.all(modes.map((mode) => viewExchange(call, mode))),
    }),
  }),
  command({
    name: 'exchange add',
    description: 'add money that you sent to the treasury or hold at the bank',
    args: ['asset', 'amount'],
    input: {
      ...stockArguments,
      once: Type.Optional(
        fields.text('reference of your transfer; a second addition with it is refused', {
          placeholder: 'reference',
        }),
      ),
    },
    async run(call, payload) {
      const checked = await adding.prepare!(call, payload)
      const now = await call.confirm({ mode: payload.mode, facts: factsOf('Add', payload) })
      const result = await call.db.transaction((tx) =>
        adding.perform(tx, { ...call, now }, payload, checked),
      )
      return describeChange('added', payload, result)
    },
  }),
  command({
    name: 'exchange take',
    description: 'remove money that was not sold',
    args: ['asset', 'amount'],
    input: stockArguments,
    async run(call, payload) {
      const now = await call.confirm({ mode: payload.mode, facts: factsOf('Take', payload) })
      const result = await call.db.transaction((tx) =>
        taking.perform(tx, { ...call, now }, payload, undefined),
      )
      return describeChange('took', payload, result)
    },
  }),
  route({
    request: 'POST /exchange/add',
    operation: 'addExchangeStock',
    summary: 'Add to the exchange',
    stepUp: 'always',
    input: stockBody,
    view: Type.Union([positionView, waiting]),
    async run(call, input) {
      const { db, rails, now, operator } = call
      const requested = readStockRequest(input)
      const checked = await checkStock(db, requested, rails.solana[requested.mode])
      if (requested.mode === 'live') return propose(call, adding, proposalOf(requested))
      const addition = { ...requested, checked }
      return showPosition(await db.transaction((tx) => addStock(tx, now, addition, operator)))
    },
  }),
  route({
    request: 'POST /exchange/take',
    operation: 'takeExchangeStock',
    summary: 'Take from the exchange',
    stepUp: 'always',
    input: stockBody,
    view: Type.Union([positionView, waiting]),
    async run(call, input) {
      const { db, now, operator } = call
      const requested = readStockRequest(input)
      if (requested.mode === 'live') {
        await checkTake(db, requested)
        return propose(call, taking, proposalOf(requested))
      }
      return showPosition(await db.transaction((tx) => takeStock(tx, now, requested, operator)))
    },
  }),
  command({
    name: 'exchange limit',
    description: 'refuse conversions that would increase a position beyond this amount',
    args: ['asset', 'amount'],
    input: {
      asset: stockArguments.asset,
      amount: fields.text('the most that you want to have, or none'),
      mode: fields.liveByDefault,
    },
    async run({ db, now, operator }, { asset, amount, mode }) {
      const ceiling = amount === 'none' ? null : fields.readAmount(amount, asset)
      await db.transaction((tx) => limitPosition(tx, now, { mode, asset, ceiling }, operator))
      const limit = ceiling === null ? 'none' : formatMoney(ceiling, asset)
      return { data: { mode, asset, limit }, text: `${mode}: the limit of ${asset} is ${limit}.` }
    },
  }),
  route({
    request: 'POST /exchange/limit',
    operation: 'limitExchange',
    summary: 'Limit a position',
    stepUp: 'always',
    input: {
      mode: fields.mode,
      asset: fields.asset('asset'),
      /** Null: no limit. */
      amount: orNull(fields.amount('decimal')),
    },
    view: positionView,
    async run({ db, now, operator }, { mode, asset, amount }) {
      const ceiling = amount === null ? null : fields.readAmountField('amount', amount, asset)
      const limited = await db.transaction((tx) =>
        limitPosition(tx, now, { mode, asset, ceiling }, operator),
      )
      return showPosition(limited)
    },
  }),
]

function factsOf(verb: string, { asset, amount, note }: StockPayload): Facts {
  return [
    [verb, formatMoney(fields.readAmount(amount, asset), asset)],
    ['Note', note],
  ]
}

function describeChange(
  verb: string,
  { mode, asset, amount }: StockPayload,
  { inventory }: { inventory?: unknown },
) {
  const size = formatMoney(fields.readAmount(amount, asset), asset)
  return {
    data: { mode, asset, amount: size, inventory },
    text: `${mode}: ${verb} ${size}; ${inventory} to sell.`,
  }
}

function readStockRequest({ amount, ...input }: InputOf<typeof stockBody>) {
  return { ...input, amount: fields.readAmountField('amount', amount, input.asset) }
}

/** One waiting change of each kind per asset. */
function proposalOf({ mode, asset, amount, note }: ReturnType<typeof readStockRequest>) {
  const payload = { mode, asset, amount: formatDecimal(amount, asset), note }
  return { subject: `${mode}/${asset}`, payload }
}

function showPosition(position: Position) {
  const { mode, asset, ceiling } = position
  return {
    mode,
    asset,
    ...showInventory(position),
    ceiling: ceiling === null ? null : formatMoney(ceiling, asset),
  }
}

function describe({ mode, positions, profit }: Awaited<ReturnType<typeof viewExchange>>) {
  const amounts = ['stock', 'bought', 'sold', 'to sell', 'limit', 'fees']
  return [
    tableOf(
      positions,
      {
        [mode]: 'asset',
        stock: 'stock',
        bought: 'bought',
        sold: 'sold',
        'to sell': 'inventory',
        limit: ({ ceiling }) => ceiling ?? 'none',
        fees: 'fees',
      },
      { amounts },
    ),
    `Profit in ${mode} mode, at the midpoint of the current rates: ${profit ?? 'unknown: a coin has no rate'}`,
  ]
}

/** The operator's positions of a mode, and what conversions earned. Amounts are for people. */
async function viewExchange({ db, now, rateBook }: ActionCall, mode: Mode) {
  const rates = rateBook()
  const fees = await sumConversionFees(db, mode)
  const positions = []
  let profit: bigint | null = 0n
  for (const position of await listPositions(db, mode)) {
    const { asset, stock, bought, sold, ceiling } = position
    const show = (amount: bigint) => formatMoney(amount, asset)
    const earned = fees.get(asset) ?? 0n
    const rate = isCoin(asset) ? await rates.find({ mode }, asset, now) : undefined
    const worth = toNaira(asset, bought - sold + earned, rate)
    profit = profit === null || worth === null ? null : profit + worth
    positions.push({
      asset,
      stock: show(stock),
      bought: show(bought),
      sold: show(sold),
      inventory: show(inventoryOf(position)),
      ceiling: ceiling === null ? null : show(ceiling),
      fees: show(earned),
      worth: worth === null ? null : formatMoney(worth, 'NGN'),
    })
  }
  return { mode, positions, profit: profit === null ? null : formatMoney(profit, 'NGN') }
}

/** Net amount bought plus fees, in kobo at the midpoint of the rate; null: there is no rate. */
function toNaira(asset: Asset, amount: bigint, rate: RatePair | undefined): bigint | null {
  if (asset === 'NGN' || amount === 0n) return amount
  if (!rate) return null
  return convert({ source: asset, target: 'NGN' }, rate.buy + rate.sell, amount) / 2n
}
