import { InvalidArgumentError } from 'commander'
import Type from 'typebox'
import { hour } from '../../base/clock.js'
import { limits } from '../../base/limits.js'
import { invalidField, Refusal } from '../../base/refusal.js'
import { orNull, resource } from '../../base/shapes.js'
import { type Coin, isCoin } from '../../money/assets.js'
import { formatRate, parseRate, type RatePair } from '../../money/rates.js'
import { formatPair } from '../../rates/combine-readings.js'
import { listRates } from '../../rates/store-rates.js'
import { type RateView, viewRates } from '../../rates/view-rates.js'
import {
  acceptRate,
  clearRate,
  compareRate,
  describeNoMedian,
  refuseInverted,
  setRate,
} from '../changes/change-rates.js'
import { type Confirmable, propose } from '../changes/operator-actions.js'
import { type Action, action, command, route } from '../definitions/definition.js'
import * as fields from '../definitions/fields.js'
import { formatTime, tableOf } from '../definitions/table.js'
import { coin, itemsOf, time, waiting } from '../definitions/views.js'

const coinArgument = fields.read(fields.readCoin, 'USDC or USDT; also as USDC/NGN')
const pairInput = {
  buy: Type.String({ minLength: 1, maxLength: 20 }),
  sell: Type.String({ minLength: 1, maxLength: 20 }),
}

/** Rates are decimals in naira. */
type RatePayload = {
  asset: Coin
  buy: string
  sell: string
  /** What it differs much from, when it was proposed. */
  previous: string
  /** Null: until it is cleared. */
  forHours: number | null
}

export const rateSetting: Confirmable<RatePayload> = {
  kind: 'rate.set',
  command: 'rates set',
  async perform(tx, { now, operator }, { asset, buy, sell, forHours }) {
    const heldMs = forHours === null ? undefined : forHours * hour
    const rate = { asset, ...readPair({ buy, sell }), heldMs, isConfirmed: true }
    const { expiresAt } = await setRate(tx, now, rate, operator)
    return { asset, expiresAt }
  },
}

const pair = { buy: Type.String(), sell: Type.String() }

const rateFields = {
  ...pair,
  origin: Type.Enum(['operator', 'sources']),
  givenBy: Type.String(),
  createdAt: time,
  expiresAt: orNull(time),
}

const coinRate = resource('CoinRate', {
  asset: coin,
  rate: orNull(resource('CurrentRate', rateFields)),
  isMissing: Type.Boolean(),
  median: orNull(resource('RatePair', pair), 'What accepting would store.'),
  sources: Type.Array(
    resource('RateSource', {
      source: Type.String(),
      buy: orNull(Type.String()),
      sell: orNull(Type.String()),
      readAt: orNull(time),
      problem: orNull(Type.String()),
    }),
  ),
})

/** Rates of live mode. */
export const rateActions: Action[] = [
  action({
    input: {},
    async run({ db, now, rateConfig }) {
      const config = rateConfig()
      return { views: await viewRates({ db, config }, now), config, now }
    },
    command: {
      name: 'rates show',
      description: 'show the live rates and their sources',
      print: ({ views, now }) => ({
        data: views.map(showRates),
        text: [...describeRates(views.map(showRates), now), ...views.flatMap(describeAccept)],
      }),
    },
    route: {
      request: 'GET /rates',
      operation: 'listOperatorRates',
      summary: 'Rates',
      view: resource('Rates', {
        items: Type.Array(coinRate),
        maxAgeSeconds: Type.Number(),
        maxDeviationPercent: Type.Number(),
      }),
      show: ({ views, config }) => ({
        items: views.map(showRates),
        maxAgeSeconds: config.maxAgeMs / 1_000,
        maxDeviationPercent: config.maxDeviationPercent,
      }),
    },
  }),
  command({
    name: 'rates set',
    description: 'set the live rate of a coin; it overrides the sources',
    args: ['coin'],
    input: {
      coin: coinArgument,
      buy: fields.read(fields.readRate, 'naira that a merchant gets for one coin', {
        placeholder: 'naira',
      }),
      sell: fields.read(fields.readRate, 'naira that a merchant pays for one coin', {
        placeholder: 'naira',
      }),
      for: Type.Optional(
        fields.read(readHeld, 'how long it is valid, such as 24h; without it, until cleared', {
          placeholder: 'duration',
        }),
      ),
      yes: fields.flag('do not ask if it is the first rate or differs much from the previous one'),
    },
    async run({ db, operator, confirm, now: startedAt }, { coin: asset, buy, sell, for: heldMs }) {
      if (sell < buy)
        throw new Refusal('validation_failed', { message: '--sell must be at least --buy.' })
      const { isFar, previous } = await compareRate(db, startedAt, { asset, buy, sell })
      const shown = formatPair({ buy, sell })
      const now = isFar
        ? await confirm({
            mode: 'live',
            facts: [
              ['Rate', `${asset} at ${shown}`],
              ['Previous', previous ? formatPair(previous) : 'no rate'],
            ],
          })
        : startedAt
      const rate = { asset, buy, sell, heldMs, isConfirmed: true }
      const { expiresAt } = await db.transaction((tx) => setRate(tx, now, rate, operator))
      const until = expiresAt ? ` until ${formatTime(expiresAt)}` : ''
      return {
        data: { asset, ...showPair({ buy, sell }), expiresAt },
        text: `${asset}: ${shown}${until}.`,
      }
    },
  }),
  route({
    request: 'POST /rates/:coin/set',
    operation: 'setRate',
    summary: 'Set a rate',
    stepUp: 'always',
    input: {
      coin: coinArgument,
      ...pairInput,
      /** How long it is valid; without it, until it is cleared. */
      forHours: Type.Optional(Type.Integer({ minimum: 1, maximum: limits.rates.heldMaxMs / hour })),
      /** Proposes a rate that differs much to another operator; without it, it is refused. */
      isProposal: Type.Optional(Type.Boolean()),
    },
    view: Type.Partial(waiting),
    async run(call, { coin, forHours, isProposal = false, ...given }) {
      const { db, now, operator, rateConfig } = call
      const asset = getCoin(coin)
      const { buy, sell } = readPair(given)
      refuseInverted({ buy, sell })
      const { isFar, previous } = await compareRate(db, now, { asset, buy, sell })
      if (isFar && isProposal)
        return propose(call, rateSetting, {
          subject: asset,
          payload: {
            asset,
            ...showPair({ buy, sell }),
            previous: previous ? formatPair(previous) : 'none',
            forHours: forHours ?? null,
          },
          // The market moves: a rate is confirmed while a rate of a source would still be used.
          validMs: rateConfig().maxAgeMs,
        })
      const heldMs = forHours === undefined ? undefined : forHours * hour
      const rate = { asset, buy, sell, heldMs, isConfirmed: false }
      await db.transaction((tx) => setRate(tx, now, rate, operator))
      return {}
    },
  }),
  action({
    input: { coin: coinArgument },
    run: ({ db, now, operator }, { coin }) =>
      db.transaction((tx) => clearRate(tx, now, getCoin(coin), operator)),
    command: {
      name: 'rates clear',
      description: 'withdraw the rate that an operator set; the sources apply again',
      args: ['coin'],
      print: (_, { coin: asset }) => ({
        data: { asset },
        text: `${asset}: withdrawn. The sources apply, if any are configured.`,
      }),
    },
    route: {
      request: 'POST /rates/:coin/clear',
      operation: 'clearRate',
      summary: 'Withdraw a rate',
      stepUp: 'always',
      view: Type.Object({}),
      show: () => ({}),
    },
  }),
  command({
    name: 'rates accept',
    description: 'accept the median of the sources although it jumped',
    args: ['coin'],
    input: { coin: coinArgument, yes: fields.flag('do not ask') },
    async run({ db, operator, confirm, rateConfig, now: startedAt }, { coin: asset }) {
      const config = rateConfig()
      const views = await viewRates({ db, config }, startedAt)
      const view = views.find((candidate) => candidate.asset === asset)!
      const seen = view.median
      if (!seen) throw new Refusal('validation_failed', { message: describeNoMedian(view) })
      const now = await confirm({
        mode: 'live',
        facts: [
          ['Rate', `${asset} at ${formatPair(seen)}`],
          ['Previous', view.rate ? formatPair(view.rate) : 'no rate'],
        ],
      })
      const accepted = await db.transaction((tx) =>
        acceptRate(tx, now, { asset, seen, config }, operator),
      )
      return {
        data: { asset, ...showPair(accepted) },
        text: `${asset}: ${formatPair(accepted)}. The sources are compared with it from now on.`,
      }
    },
  }),
  route({
    request: 'POST /rates/:coin/accept',
    operation: 'acceptRate',
    summary: 'Accept the median of the sources',
    stepUp: 'always',
    /** The median that the operator sees. */
    input: { coin: coinArgument, ...pairInput },
    view: Type.Object({}),
    async run({ db, now, operator, rateConfig }, { coin, ...given }) {
      const accepted = { asset: getCoin(coin), seen: readPair(given), config: rateConfig() }
      await db.transaction((tx) => acceptRate(tx, now, accepted, operator))
      return {}
    },
  }),
  command({
    name: 'rates history',
    description: 'list rates, newest first',
    args: ['coin'],
    input: { coin: coinArgument, limit: fields.rowLimit('number of rates') },
    async run({ db }, { coin: asset, limit }) {
      const data = (await listRates(db, { asset, limit })).map(
        ({ buy, sell, origin, givenBy, createdAt, expiresAt, withdrawnAt }) => ({
          ...showPair({ buy, sell }),
          origin,
          givenBy,
          createdAt,
          expiresAt,
          withdrawnAt,
        }),
      )
      const text = tableOf(
        data,
        {
          since: 'createdAt',
          buy: 'buy',
          sell: 'sell',
          from: ({ origin, givenBy }) => `${origin}: ${givenBy}`,
          until: ({ withdrawnAt, expiresAt }) => withdrawnAt ?? expiresAt,
        },
        { amounts: ['buy', 'sell'], empty: 'No rates yet.' },
      )
      return { data, text }
    },
  }),
  route({
    request: 'GET /rates/:coin/history',
    operation: 'listRateHistory',
    summary: 'Rates of a coin, newest first',
    input: { coin: coinArgument },
    view: itemsOf(resource('PastRate', { ...rateFields, asset: coin, withdrawnAt: orNull(time) })),
    async run({ db }, { coin }) {
      const rates = await listRates(db, { asset: getCoin(coin), limit: limits.rates.listedMax })
      return {
        items: rates.map(({ id: _, buy, sell, ...rest }) => ({
          ...rest,
          ...showPair({ buy, sell }),
        })),
      }
    },
  }),
]

/** The JSON that commands print with `--json` and the console reads. */
function showRates({ asset, rate, isMissing, median, sources }: RateView) {
  return {
    asset,
    rate: rate
      ? {
          ...showPair(rate),
          origin: rate.origin,
          givenBy: rate.givenBy,
          createdAt: rate.createdAt,
          expiresAt: rate.expiresAt,
        }
      : null,
    isMissing,
    median: median ? showPair(median) : null,
    sources: sources.map(({ source, buy, sell, readAt, problem }) => ({
      source,
      buy: buy === null ? null : formatRate(buy),
      sell: sell === null ? null : formatRate(sell),
      readAt,
      problem,
    })),
  }
}

function showPair({ buy, sell }: RatePair) {
  return { buy: formatRate(buy), sell: formatRate(sell) }
}

function describeRates(rates: ReturnType<typeof showRates>[], now: Date) {
  const amounts = ['buy', 'sell']
  return [
    tableOf(
      rates,
      {
        coin: 'asset',
        buy: ({ rate }) => rate?.buy,
        sell: ({ rate }) => rate?.sell,
        from: ({ rate }) => (rate ? `${rate.origin}: ${rate.givenBy}` : 'no rate'),
        age: ({ rate }) => rate && describeAge(rate.createdAt, now),
        until: ({ rate }) => rate?.expiresAt,
      },
      { amounts },
    ),
    '',
    tableOf(
      rates.flatMap(({ asset, sources }) => sources.map((source) => ({ asset, ...source }))),
      {
        coin: 'asset',
        source: 'source',
        buy: 'buy',
        sell: 'sell',
        read: ({ readAt }) => readAt && describeAge(readAt, now),
        state: ({ problem }) => problem ?? 'used',
      },
      { amounts, empty: 'No sources are configured (RATE_SOURCES).' },
    ),
  ]
}

/** How to accept a jump that is real, or why nothing can be accepted. */
function describeAccept(view: RateView): string[] {
  const { asset, median, isDisputed, sources } = view
  if (isDisputed) return ['', describeNoMedian(view)]
  if (!median || sources.some(({ problem }) => problem === null)) return []
  return [
    '',
    `The median of the sources of ${asset} is ${formatPair(median)}. To accept it: manilla rates accept ${asset}`,
  ]
}

function describeAge(at: Date, now: Date): string {
  const seconds = Math.max(0, Math.round((now.getTime() - at.getTime()) / 1_000))
  if (seconds < 120) return `${seconds} s`
  return seconds < 7_200 ? `${Math.floor(seconds / 60)} min` : `${Math.floor(seconds / 3_600)} h`
}

function readHeld(text: string): number {
  const heldMs = fields.readDuration(text)
  if (heldMs > 0 && heldMs <= limits.rates.heldMaxMs) return heldMs
  throw new InvalidArgumentError('Must be positive and at most 365d.')
}

function getCoin(text: string): Coin {
  if (isCoin(text)) return text
  throw new Refusal('not_found', { message: 'No such coin exists. Use USDC or USDT.' })
}

function readPair(given: { buy: string; sell: string }): RatePair {
  const read = (field: 'buy' | 'sell') => {
    const rate = parseRate(given[field])
    if (rate !== undefined) return rate
    throw invalidField(field, 'must be naira per coin, such as 1580 or 1585.25')
  }
  return { buy: read('buy'), sell: read('sell') }
}
