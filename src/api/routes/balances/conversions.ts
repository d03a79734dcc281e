import Type, { type Static } from 'typebox'
import { prefixes } from '../../../base/ids.js'
import { toJson } from '../../../base/json-text.js'
import { invalidField } from '../../../base/refusal.js'
import { anyAsset, referenceSample, withDescription, withExample } from '../../../base/shapes.js'
import { createConversion, takeQuote } from '../../../conversions/create-conversion.js'
import { quoteConversion, type Wanted } from '../../../conversions/quote-conversion.js'
import {
  conversion,
  conversionQuote,
  showConversion,
  showQuote,
} from '../../../conversions/resource.js'
import {
  conversionList,
  getConversion,
  insertQuote,
  lockQuote,
} from '../../../conversions/store-conversions.js'
import { creatorOf } from '../../auth/creator-of.js'
import { withReasons } from '../../openapi/refusals-of.js'
import { readAnyAmount } from '../../parse/read-coins.js'
import { readTimeRange } from '../../parse/read-filters.js'
import { closed, decimalInput, inPath, koboInput, timeFilters } from '../../parse/schemas.js'
import type { ApiParts } from '../../pipeline/api-parts.js'
import { asNumber, csvColumns, inBothUnits } from '../../server/csv.js'
import { cursorOf } from '../../server/cursor.js'
import { success } from '../../server/envelope.js'
import { listRoute } from '../../server/list-route.js'
import { type Route, route } from '../../server/route.js'

const path = '/v1/conversions'
const base = { access: 'secret', tag: 'Conversions' } as const

export function conversionRoutes(api: ApiParts): Route[] {
  return [createQuote(api), create(api), list(api), read(api)]
}

const eitherAmount = (description: string, example: unknown) =>
  Type.Optional(
    Type.Union([koboInput, decimalInput], {
      description: `${description} An integer in kobo for NGN; a decimal string for coins.`,
      examples: [example],
    }),
  )

const quoteBody = withExample(
  closed({
    from: withDescription(anyAsset, 'The asset to convert.'),
    to: withDescription(anyAsset, 'The asset to receive. One of the two must be NGN.'),
    amount: eitherAmount('How much of `from` to convert, including the fee.', 100_000_000),
    targetAmount: eitherAmount(
      'How much of `to` to receive. Send it instead of `amount`.',
      '25.50',
    ),
  }),
  { from: 'NGN', to: 'USDC', amount: 100_000_000 },
)

const createQuote = (api: ApiParts) =>
  route({
    ...base,
    method: 'POST',
    path: `${path}/quotes`,
    isRead: true,
    permission: 'payouts.create',
    shows: ['conversion'],
    operation: 'createConversionQuote',
    summary: 'Quote a conversion',
    description:
      'Returns a price that is valid for 60 seconds. Send `amount` or `targetAmount`. The target amount is rounded down to the smallest unit. No money moves until you convert.',
    body: quoteBody,
    answers: { 201: conversionQuote },
    refusals: withReasons(
      'conversion_failed',
      'rate_unavailable',
      'amount_too_small',
      'amount_too_large',
    ),
    async handle({ environment, now, body }) {
      const wanted = readWanted(body)
      const direction = { source: body.from, target: body.to }
      const quote = await quoteConversion(api, now, { environment, direction, wanted })
      await insertQuote(api.db, quote)
      return success(201, 'Quote', showQuote(quote))
    },
  })

type QuoteBody = Static<typeof quoteBody>

function readWanted({ from, to, amount, targetAmount }: QuoteBody): Wanted {
  if ((from === 'NGN') === (to === 'NGN'))
    throw invalidField('to', `must be ${from === 'NGN' ? 'USDC or USDT' : 'NGN'}`)
  if (amount === undefined && targetAmount === undefined)
    throw invalidField('amount', 'must be sent, or `targetAmount` instead')
  if (amount !== undefined && targetAmount !== undefined)
    throw invalidField('targetAmount', 'cannot be sent together with `amount`; send one of them')
  return amount === undefined
    ? { targetAmount: readAnyAmount('targetAmount', targetAmount!, to) }
    : { sourceAmount: readAnyAmount('amount', amount, from) }
}

const create = (api: ApiParts) =>
  route({
    ...base,
    method: 'POST',
    path,
    requiresIdempotencyKey: true,
    stopsWhenSuspended: true,
    permission: 'payouts.create',
    shows: ['conversion'],
    stepUp: 'live',
    operation: 'createConversion',
    summary: 'Convert',
    description: 'Converts at the price of a quote. Both balances change at once, or neither does.',
    body: closed({
      quote: Type.String({
        minLength: 1,
        maxLength: 64,
        description: 'Reference of a quote that has not expired. A quote can be used once.',
        examples: [referenceSample(prefixes.conversionQuote)],
      }),
    }),
    answers: { 201: conversion },
    refusals: [
      'insufficient_balance',
      'not_found',
      ...withReasons(
        'conversion_failed',
        'quote_expired',
        'quote_used',
        'capacity',
        'balance_limit',
      ),
    ],
    async handle(request) {
      const { environment, now, body } = request
      const answered = await api.change(
        request,
        async (tx, realNow) => {
          const name = { environmentId: environment.id, reference: body.quote }
          const made = takeQuote(await lockQuote(tx, name), now, {
            ...creatorOf(request),
            payoutId: null,
          })
          const tools = { environment, backCoins: api.backCoins }
          await createConversion(tx, realNow, made, tools)
          return made
        },
        (made) => success(201, 'Conversion completed', showConversion(made)),
        { isKept: true },
      )
      await api.mintPending()
      return answered
    },
  })

const columns = csvColumns(
  'reference',
  'createdAt',
  'status',
  'from',
  'to',
  asNumber('rate'),
  inBothUnits('sourceAmount', 'from'),
  inBothUnits('fee', 'from'),
  inBothUnits('targetAmount', 'to'),
  'quote',
  'transferReference',
  inBothUnits('feeVat', 'from'),
)

const list = ({ openPage }: ApiParts) =>
  listRoute(openPage, {
    ...base,
    path,
    permission: 'balances.see',
    operation: 'listConversions',
    summary: 'List conversions',
    description:
      'Returns conversions, newest first. Send `Accept: text/csv` to export all of them.',
    title: 'Conversions',
    filters: timeFilters,
    item: conversion,
    columns,
    cursor: cursorOf(prefixes.conversion),
    toFilter: ({ query }) => readTimeRange(query),
    rows: conversionList,
    show: (converted) => toJson(showConversion(converted)),
  })

const read = ({ db }: ApiParts) =>
  route({
    ...base,
    method: 'GET',
    path: `${path}/:reference`,
    permission: 'balances.see',
    operation: 'getConversion',
    summary: 'Retrieve a conversion',
    description: 'Returns the conversion.',
    params: inPath('reference', referenceSample(prefixes.conversion)),
    answers: { 200: conversion },
    refusals: ['not_found'],
    async handle({ environment, params: { reference } }) {
      const conversion = await getConversion(db, { environmentId: environment.id, reference })
      return success(200, 'Conversion', showConversion(conversion))
    },
  })
