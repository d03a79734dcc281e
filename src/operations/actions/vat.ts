import Type from 'typebox'
import { hour } from '../../base/clock.js'
import { prefixes, toReference } from '../../base/ids.js'
import { invalidField } from '../../base/refusal.js'
import { resource } from '../../base/shapes.js'
import {
  addVatRate,
  createVatReader,
  listVatRates,
  type StoredVatRate,
} from '../../ledger/vat-rates.js'
import { formatMoney, toWire } from '../../money/amounts.js'
import { formatPercent } from '../../money/percent.js'
import { type Period, startOf } from '../../reports/calendar.js'
import { type MerchantFees, readFeesOfMerchants } from '../../reports/fees-of-merchants.js'
import { reportLimits } from '../../reports/limits.js'
import { type Margin, readMargins } from '../../reports/margins.js'
import { auditOperator, operatorName } from '../changes/audit-operator.js'
import { type Action, action } from '../definitions/definition.js'
import * as fields from '../definitions/fields.js'
import { tableOf } from '../definitions/table.js'
import { amount, asset, itemsOf, mode, time } from '../definitions/views.js'

/** Rates by the name of a country, in hundredths of a percent. */
const presets: Record<string, number> = { nigeria: 750 }

const vatRate = resource('VatRate', {
  mode,
  basisPoints: Type.Integer(),
  holdsFrom: time,
  givenBy: Type.String(),
  createdAt: time,
})

const merchantFees = resource('FeesOfMerchant', {
  merchant: Type.String(),
  merchantName: Type.String(),
  asset,
  fees: amount,
  vat: amount,
  net: amount,
})

const margin = resource('Margin', {
  day: Type.String({ description: 'Date in Lagos.' }),
  rail: Type.String(),
  asset,
  fees: amount,
  vat: amount,
  providerFees: amount,
  unknown: Type.Integer({ description: 'Payments and payouts without a known provider fee.' }),
  margin: amount,
})

const dayText = (description: string) =>
  Type.String({ minLength: 10, maxLength: 10, description, placeholder: 'date' })

/** VAT on our fees, and what remains of them after VAT and the fees of providers. */
export const vatActions: Action[] = [
  action({
    input: {
      mode: fields.mode,
      rate: Type.String({
        minLength: 1,
        maxLength: 20,
        description: 'percent, such as 7.5; or nigeria, which is 7.5',
        placeholder: 'percent',
      }),
      from: Type.Optional(
        Type.String({
          maxLength: 40,
          description: 'when it begins: a date in Lagos or a time; default: as soon as possible',
          placeholder: 'time',
        }),
      ),
    },
    async run({ db, now, operator }, { mode, rate, from }) {
      const wanted = {
        mode,
        basisPoints: readPercent(rate),
        holdsFrom: from === undefined ? undefined : readStart(from),
        givenBy: operatorName(operator),
      }
      const added = await db.transaction(async (tx) => {
        const stored = await addVatRate(tx, now, wanted)
        const { basisPoints, holdsFrom } = stored
        auditOperator(tx, now, operator, {
          action: 'vat.set',
          details: { mode, basisPoints, holdsFrom },
        })
        return stored
      })
      await createVatReader(db)()
      return added
    },
    command: {
      name: 'vat set',
      description: 'set the rate of VAT that our fees contain; fees themselves do not change',
      args: ['rate'],
      print: (rate) => ({
        data: rate,
        text: `${rate.mode}: VAT of ${formatPercent(rate.basisPoints)} % from ${rate.holdsFrom.toISOString()} on.`,
      }),
    },
    route: {
      request: 'POST /vat-rates',
      operation: 'setVatRate',
      summary: 'Set the rate of VAT',
      stepUp: 'always',
      view: vatRate,
      show: (rate) => rate,
    },
  }),
  action({
    input: {},
    run: ({ db }) => listVatRates(db),
    command: {
      name: 'vat list',
      description: 'list the rates of VAT, newest first; before the first one it is 0 %',
      print: (rates) => ({ data: rates, text: describeRates(rates) }),
    },
    route: {
      request: 'GET /vat-rates',
      operation: 'listVatRates',
      summary: 'Rates of VAT',
      view: itemsOf(vatRate),
      show: (rates) => ({ items: rates }),
    },
  }),
  action({
    input: {
      mode: fields.mode,
      month: Type.String({
        minLength: 7,
        maxLength: 7,
        description: 'month, such as 2026-11',
        placeholder: 'month',
      }),
    },
    run: ({ db }, { mode, month }) => readFeesOfMerchants(db, mode, readMonth(month)),
    command: {
      name: 'fees report',
      description: 'fees of a month by merchant: kept, VAT and net',
      args: ['month'],
      print: (rows) => ({ data: rows.map(showMerchantFees), text: describeFees(rows) }),
    },
    route: {
      request: 'GET /fee-report',
      operation: 'reportFees',
      summary: 'Fees of a month',
      view: itemsOf(merchantFees),
      show: (rows) => ({ items: rows.map(showMerchantFees) }),
    },
  }),
  action({
    input: {
      mode: fields.mode,
      from: dayText('first day, such as 2026-11-01'),
      to: dayText('last day'),
    },
    run: ({ db }, { mode, from, to }) => readMargins(db, mode, readDays(from, to)),
    command: {
      name: 'fees margin',
      description: 'fees, VAT, what providers charged and what remains, by rail and day',
      print: (rows) => ({ data: rows.map(showMargin), text: describeMargins(rows) }),
    },
    route: {
      request: 'GET /margins',
      operation: 'reportMargins',
      summary: 'Margins by rail and day',
      view: itemsOf(margin),
      show: (rows) => ({ items: rows.map(showMargin) }),
    },
  }),
]

function readPercent(text: string): number {
  const name = text.toLowerCase()
  if (Object.hasOwn(presets, name)) return presets[name]!
  const [, whole, fraction = ''] = /^(\d{1,3})(?:\.(\d{1,2}))?$/.exec(text) ?? []
  const basisPoints = Number(whole) * 100 + Number(fraction.padEnd(2, '0'))
  if (whole === undefined || basisPoints > 10_000)
    throw invalidField('rate', 'must be a percentage from 0 to 100 such as 7.5, or nigeria')
  return basisPoints
}

const isDay = /^\d{4}-\d{2}-\d{2}$/
const isTime = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d{1,3})?)?(Z|[+-]\d{2}:\d{2})$/

/** Midnight in Lagos of a date, or undefined. */
function findDay(text: string): Date | undefined {
  const midnight = new Date(`${text}T00:00:00+01:00`)
  const isReal = isDay.test(text) && !Number.isNaN(midnight.getTime())
  // JavaScript reads 30 February as 2 March.
  return isReal && dayOf(midnight) === text ? midnight : undefined
}

/** The date in Lagos. */
function dayOf(time: Date): string {
  return new Date(time.getTime() + hour).toISOString().slice(0, 10)
}

function readStart(text: string): Date {
  const day = findDay(text)
  if (day) return day
  const time = new Date(text)
  const isReal = isTime.test(text) && !Number.isNaN(time.getTime()) && findDay(text.slice(0, 10))
  if (isReal) return time
  throw invalidField('from', 'must be a date such as 2027-01-01, or a time with its zone')
}

function readMonth(text: string): Period {
  const from = findDay(`${text}-01`)
  if (!from) throw invalidField('month', 'must be a month such as 2026-11')
  // 32 days later is in the next month, whichever month it is.
  const next = dayOf(new Date(from.getTime() + 32 * 24 * hour)).slice(0, 7)
  return { from, to: findDay(`${next}-01`)! }
}

function readDays(fromText: string, toText: string): Period {
  const [from, last] = [findDay(fromText), findDay(toText)]
  if (!from) throw invalidField('from', 'must be a date such as 2026-11-01')
  if (!last) throw invalidField('to', 'must be a date such as 2026-11-30')
  const to = startOf('day', new Date(last.getTime() + 24 * hour))
  const days = (to.getTime() - from.getTime()) / (24 * hour)
  if (days < 1) throw invalidField('to', 'must not be before from')
  if (days > reportLimits.marginDaysMax)
    throw invalidField('to', `must be at most ${reportLimits.marginDaysMax} days after from`)
  return { from, to }
}

function describeRates(rates: StoredVatRate[]) {
  return tableOf(
    rates,
    {
      mode: 'mode',
      VAT: ({ basisPoints }) => `${formatPercent(basisPoints)} %`,
      from: 'holdsFrom',
      'set by': 'givenBy',
      'set at': 'createdAt',
    },
    { empty: 'No rate of VAT was set: it is 0 %.' },
  )
}

function showMerchantFees({ merchantId, merchantName, asset, kept, vat }: MerchantFees) {
  return {
    merchant: toReference(prefixes.merchant, merchantId),
    merchantName,
    asset,
    fees: toWire(kept, asset),
    vat: toWire(vat, asset),
    net: toWire(kept - vat, asset),
  }
}

function describeFees(rows: MerchantFees[]) {
  return tableOf(
    rows,
    {
      merchant: ({ merchantId }) => toReference(prefixes.merchant, merchantId),
      name: 'merchantName',
      fees: ({ kept, asset }) => formatMoney(kept, asset),
      VAT: ({ vat, asset }) => formatMoney(vat, asset),
      net: ({ kept, vat, asset }) => formatMoney(kept - vat, asset),
    },
    { amounts: ['fees', 'VAT', 'net'], empty: 'No fees in this month.' },
  )
}

function marginOf({ fees, vat, providerFees }: Margin): bigint {
  return fees - vat - providerFees
}

function showMargin(row: Margin) {
  const { rail, asset, day, unknown } = row
  return {
    day: dayOf(day),
    rail,
    asset,
    fees: toWire(row.fees, asset),
    vat: toWire(row.vat, asset),
    providerFees: toWire(row.providerFees, asset),
    unknown,
    margin: toWire(marginOf(row), asset),
  }
}

function describeMargins(rows: Margin[]) {
  return tableOf(
    rows,
    {
      day: ({ day }) => dayOf(day),
      rail: 'rail',
      fees: ({ fees, asset }) => formatMoney(fees, asset),
      VAT: ({ vat, asset }) => formatMoney(vat, asset),
      'provider fees': ({ providerFees, asset }) => formatMoney(providerFees, asset),
      unknown: 'unknown',
      margin: (row) => formatMoney(marginOf(row), row.asset),
    },
    {
      amounts: ['fees', 'VAT', 'provider fees', 'unknown', 'margin'],
      empty: 'No payments, payouts or conversions in these days.',
    },
  )
}
