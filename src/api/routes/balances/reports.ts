import Type, { type TSchema } from 'typebox'
import { toJson } from '../../../base/json-text.js'
import { limits } from '../../../base/limits.js'
import { Refusal } from '../../../base/refusal.js'
import {
  anyAmount,
  anyAsset,
  orNull,
  resource,
  timestamp,
  withDescription,
  withExample,
} from '../../../base/shapes.js'
import { toWire } from '../../../money/amounts.js'
import type { Asset } from '../../../money/assets.js'
import { readBalances } from '../../../reports/balance.js'
import {
  type BucketSize,
  bucketSizes,
  listBuckets,
  type Period,
  timeZone,
} from '../../../reports/calendar.js'
import { type ConversionBucket, readConversion } from '../../../reports/conversion.js'
import type { EntrySum } from '../../../reports/entries.js'
import { type FeeKind, feeKinds, readFees, sumFees } from '../../../reports/fees.js'
import { reportLimits } from '../../../reports/limits.js'
import { type Money, type MoneyBucket, readMoney, sumMoney } from '../../../reports/money.js'
import { type ReportedKind, readPayoutTimes, reportedKinds } from '../../../reports/payout-times.js'
import { sees } from '../../../team/seen-with.js'
import { readPeriod } from '../../parse/read-period.js'
import { timeIn } from '../../parse/read-time.js'
import { closed, oneOf } from '../../parse/schemas.js'
import type { ApiParts } from '../../pipeline/api-parts.js'
import { answerList, type ListPage } from '../../server/answer-list.js'
import { csvColumns, inBothUnits } from '../../server/csv.js'
import { success } from '../../server/envelope.js'
import { type Route, route } from '../../server/route.js'

const base = { method: 'GET', access: 'secret', tag: 'Reports', isHeavy: true } as const
const { daysMax, hoursMax, daysDefault, hoursDefault } = reportLimits

export function reportRoutes(api: ApiParts): Route[] {
  return [received(api), conversion(api), balance(api), fees(api), payoutTimes(api)]
}

const periodQuery = {
  from: Type.Optional(
    timeIn(
      `Start of the period: a date (a day in Lagos) or a time, rounded down to a bucket. Default: ${daysDefault} days or ${hoursDefault} hours before \`to\`.`,
      '2026-01-01',
    ),
  ),
  to: Type.Optional(
    timeIn(
      `End of the period: a date (that day included) or a time, rounded up to a bucket. Default: now. At most ${daysMax} days or ${hoursMax} hours after \`from\`.`,
      '2026-01-31',
    ),
  ),
  bucket: Type.Optional(oneOf(Object.keys(bucketSizes), 'Size of a bucket. Default: `day`.')),
}

const bucketStart = withExample(
  timestamp('When the bucket began: a full hour, or midnight in Lagos (UTC+1).'),
  '2026-01-04T23:00:00.000Z',
)

const count = (example: number, description: string) =>
  Type.Integer({ description, examples: [example] })

/** The fields that all reports share, before and after their own. */
const reportOf = (title: string, own: Record<string, TSchema>, bucket: Record<string, TSchema>) =>
  resource(title, {
    ...own,
    bucket: Type.Enum(Object.keys(bucketSizes), {
      description: 'Size of a bucket.',
      examples: ['day'],
    }),
    timeZone: Type.Literal(timeZone, {
      description: 'Days begin at midnight in this time zone.',
      examples: [timeZone],
    }),
    from: withExample(timestamp('Start of the first bucket.'), '2026-01-04T23:00:00.000Z'),
    to: withExample(timestamp('End of the last bucket.'), '2026-01-05T23:00:00.000Z'),
    buckets: Type.Array(Type.Object({ from: bucketStart, ...bucket }), {
      description: 'All buckets of the period, oldest first, also those without anything in them.',
    }),
  })

const sum = (example: number, description: string) =>
  withExample(withDescription(anyAmount, description), example)

const receivedFields = {
  amount: sum(
    1_200_000,
    'Received: payments, and held money that you kept, as they were credited to you.',
  ),
  count: count(3, 'Number of payments that arrived.'),
  arrived: sum(
    1_250_000,
    'Sum of the payments that arrived, also of those that are held or went back.',
  ),
  held: sum(50_000, 'Of the payments that arrived, what waits for your decision now.'),
  returned: sum(0, 'Sent back without having been received; less what came back.'),
  refunded: sum(100_000, 'Received before and sent back; less what came back.'),
  fees: orNull(
    withExample(anyAmount, 12_000),
    'Fees kept, of all kinds; less what was given back. Null without `balances.see`.',
  ),
  net: orNull(
    withExample(anyAmount, 1_088_000),
    '`amount` − `refunded` − `fees`. Null without `balances.see`.',
  ),
}

const receivedReport = reportOf(
  'ReceivedReport',
  {
    currency: withDescription(anyAsset, 'Currency of the payments.'),
    total: Type.Object(receivedFields, { description: 'The whole period.' }),
    previous: orNull(
      Type.Object({
        from: withExample(timestamp('Start of the period before.'), '2026-01-03T23:00:00.000Z'),
        to: withExample(timestamp('End of the period before.'), '2026-01-04T23:00:00.000Z'),
        ...receivedFields,
      }),
      'The period of the same length before this one, with `compare=previous`.',
    ),
    change: orNull(
      Type.Object({
        amount: sum(250_000, 'What was received, less that of the period before.'),
        count: count(1, 'Payments more than in the period before; negative if fewer.'),
        percent: orNull(
          Type.Number({ examples: [25] }),
          'Change of the amount in percent, with one decimal; null if nothing was received before.',
        ),
      }),
      'Difference from the period before, with `compare=previous`.',
    ),
  },
  receivedFields,
)

const received = ({ openPage }: ApiParts) =>
  route({
    ...base,
    path: '/v1/reports/received',
    permission: 'payments.see',
    shows: ['payment', 'balance_entry'],
    operation: 'getReceivedReport',
    summary: 'Report what was received',
    description:
      'Returns per day or hour what was received, returned, refunded and kept as fees, and what remains. Money counts when it is credited, sent back or charged; the number of payments and what is held, by `createdAt` of the payments. Send `Accept: text/csv` to export the buckets.',
    query: closed({
      currency: Type.Optional(
        withDescription(anyAsset, 'Only payments in this currency. Default: `NGN`.'),
      ),
      ...periodQuery,
      compare: Type.Optional(oneOf(['previous'], 'Compare with the period before.')),
    }),
    answers: { 200: receivedReport },
    hasCsv: true,
    async handle({ environment, query, now, permissions, wantsCsv, forExcel }) {
      const asset = (query.currency ?? 'NGN') as Asset
      const seesFees = sees(permissions, 'balance_entry')
      const show = (money: Money) => showMoney(money, { asset, seesFees })
      const bucket = bucketOf(query)
      const period = readPeriod(now, { ...query, bucket })
      const { db } = openPage(undefined)
      const read = (wanted: Period) =>
        readMoney(db, { environmentId: environment.id, asset }, { ...wanted, bucket })
      const rows = await read(period)
      const buckets = showBuckets(bucket, period, rows, (sums) => show(sums ?? sumMoney([])))
      if (wantsCsv)
        return answerList(
          { query: {}, wantsCsv, forExcel },
          { title: 'Received', columns: receivedColumns, readPage: () => toPage(asset, buckets) },
        )
      const total = sumMoney(rows)
      const compared = query.compare
        ? comparePrevious(total, await readPrevious(period, read), { asset, show })
        : { previous: null, change: null }
      return success(200, 'Received', {
        currency: asset,
        total: show(total),
        ...compared,
        ...showPeriod(bucket, period),
        buckets,
      })
    },
  })

const receivedColumns = csvColumns(
  'from',
  'currency',
  'count',
  ...Object.keys(receivedFields)
    .filter((name) => name !== 'count')
    .map((name) => inBothUnits(name)),
)

async function toPage(currency: Asset, buckets: object[]): Promise<ListPage> {
  return {
    items: buckets.map((bucket) => toJson({ currency, ...bucket })),
    nextCursor: null,
  }
}

type Previous = Money & Period

async function readPrevious(
  { from, to }: Period,
  read: (period: Period) => Promise<MoneyBucket[]>,
): Promise<Previous> {
  const period = { from: new Date(2 * from.getTime() - to.getTime()), to: from }
  return { ...sumMoney(await read(period)), ...period }
}

type Showing = { asset: Asset; show: (money: Money) => object }

function comparePrevious(total: Money, previous: Previous, { asset, show }: Showing) {
  const before = previous.received
  const change = total.received - before
  return {
    previous: {
      from: previous.from.toISOString(),
      to: previous.to.toISOString(),
      ...show(previous),
    },
    change: {
      amount: showAmount(change, asset),
      count: Number(total.count - previous.count),
      percent: before === 0n ? null : Number((change * 1_000n) / before) / 10,
    },
  }
}

/** Fees of payouts and conversions are on the statement. */
function showMoney(money: Money, { asset, seesFees }: { asset: Asset; seesFees: boolean }) {
  return {
    amount: showAmount(money.received, asset),
    count: Number(money.count),
    arrived: showAmount(money.arrived, asset),
    held: showAmount(money.held, asset),
    returned: showAmount(money.returned, asset),
    refunded: showAmount(money.refunded, asset),
    fees: seesFees ? showAmount(money.fees, asset) : null,
    net: seesFees ? showAmount(money.net, asset) : null,
  }
}

/** A sum of naira can exceed what JSON parsers agree on, although no balance can. */
function showAmount(amount: bigint, asset: Asset): number | string {
  const { wireMax } = limits.money
  if (asset === 'NGN' && (amount > wireMax || amount < -wireMax))
    throw new Refusal('validation_failed', {
      message: 'The sum of this period is too large to be written. Choose a shorter period.',
      details: [{ field: 'from', issue: 'must be closer to `to`' }],
    })
  return toWire(amount, asset)
}

const conversionFields = {
  created: count(20, 'Checkout sessions created in the bucket.'),
  opened: count(16, 'Of these, sessions whose checkout page was opened.'),
  paid: count(12, 'Of these, sessions that are paid.'),
  expired: count(5, 'Of these, sessions that expired unpaid.'),
  cancelled: count(1, 'Of these, sessions that were cancelled.'),
}

const conversionReport = reportOf(
  'ConversionReport',
  { total: Type.Object(conversionFields, { description: 'The whole period.' }) },
  conversionFields,
)

const conversion = ({ openPage }: ApiParts) =>
  route({
    ...base,
    path: '/v1/reports/conversion',
    permission: 'payments.see',
    operation: 'getConversionReport',
    summary: 'Report the checkout funnel',
    description:
      'Returns how many checkout sessions were created per day or hour, how many were opened and paid, and what became of the others until now. It has nothing to do with conversions between currencies. A session counts in the bucket in which it was created, also if it is paid or expires later; sessions that are in none of the last three counts are pending.',
    query: closed(periodQuery),
    answers: { 200: conversionReport },
    async handle({ environment, query, now }) {
      const bucket = bucketOf(query)
      const period = readPeriod(now, { ...query, bucket })
      const { db } = openPage(undefined)
      const rows = await readConversion(db, environment.id, { ...period, bucket })
      const total = rows.reduce(addConversion, noSessions)
      return success(200, 'Conversion', {
        total: showConversion(total),
        ...showPeriod(bucket, period),
        buckets: showBuckets(bucket, period, rows, (conversion) =>
          showConversion(conversion ?? noSessions),
        ),
      })
    },
  })

type Conversion = Omit<ConversionBucket, 'start'>

const noSessions: Conversion = { created: 0n, opened: 0n, paid: 0n, expired: 0n, cancelled: 0n }

function addConversion(sum: Conversion, conversion: Conversion): Conversion {
  return {
    created: sum.created + conversion.created,
    opened: sum.opened + conversion.opened,
    paid: sum.paid + conversion.paid,
    expired: sum.expired + conversion.expired,
    cancelled: sum.cancelled + conversion.cancelled,
  }
}

function showConversion({ created, opened, paid, expired, cancelled }: Conversion) {
  return {
    created: Number(created),
    opened: Number(opened),
    paid: Number(paid),
    expired: Number(expired),
    cancelled: Number(cancelled),
  }
}

const balanceReport = reportOf(
  'BalanceReport',
  {
    asset: withDescription(anyAsset, 'Asset of the balance.'),
    opening: withDescription(anyAmount, 'Available balance when the period began.'),
    closing: withDescription(anyAmount, 'Available balance at its end, or now.'),
    lowest: Type.Object(
      {
        amount: withDescription(anyAmount, 'The lowest available balance.'),
        from: bucketStart,
      },
      { description: 'The lowest balance of the period, and the first bucket that had it.' },
    ),
  },
  {
    closing: withDescription(
      anyAmount,
      'Available balance after the last balance entry before the end of the bucket.',
    ),
    lowest: withDescription(anyAmount, 'The lowest available balance within the bucket.'),
  },
)

const balance = ({ openPage }: ApiParts) =>
  route({
    ...base,
    path: '/v1/reports/balance',
    permission: 'balances.see',
    operation: 'getBalanceReport',
    summary: 'Report a balance over time',
    description:
      'Returns the closing and the lowest available balance per day or hour, by `createdAt` of the balance entries.',
    query: closed({
      asset: Type.Optional(withDescription(anyAsset, 'Which balance. Default: `NGN`.')),
      ...periodQuery,
    }),
    answers: { 200: balanceReport },
    async handle({ environment, query, now }) {
      const asset = (query.asset ?? 'NGN') as Asset
      const bucket = bucketOf(query)
      const period = readPeriod(now, { ...query, bucket })
      const { db } = openPage(undefined)
      const key = { environmentId: environment.id, asset }
      const { opening, buckets } = await readBalances(db, key, { ...period, bucket })
      const lowest = buckets.reduce((low, row) => (row.lowest < low.lowest ? row : low))
      return success(200, 'Balance', {
        asset,
        opening: toWire(opening, asset),
        closing: toWire(buckets.at(-1)!.closing, asset),
        lowest: { amount: toWire(lowest.lowest, asset), from: lowest.start.toISOString() },
        ...showPeriod(bucket, period),
        buckets: buckets.map((row) => ({
          from: row.start.toISOString(),
          closing: toWire(row.closing, asset),
          lowest: toWire(row.lowest, asset),
        })),
      })
    },
  })

const feeSums = {
  charged: withExample(
    withDescription(anyAmount, 'Taken from your balance, or held for open transfers.'),
    28_500,
  ),
  released: withExample(
    withDescription(anyAmount, 'Given back because the transfer failed or was rejected.'),
    2_500,
  ),
  reversed: withExample(
    withDescription(anyAmount, 'Given back because the bank returned the transfer.'),
    0,
  ),
  kept: withExample(withDescription(anyAmount, '`charged` − `released` − `reversed`.'), 26_000),
  vat: withExample(withDescription(anyAmount, 'VAT that `kept` contains.'), 0),
  net: withExample(withDescription(anyAmount, '`kept` − `vat`.'), 26_000),
}

const kindNames: Record<FeeKind, string> = {
  payment: 'Fees of payments.',
  bank_transfer: 'Fees of bank transfers, settlements included.',
  crypto_transfer: 'Fees of crypto transfers, settlements included.',
  conversion: 'Fees of conversions.',
}

const feeFields = {
  ...feeSums,
  kinds: Type.Object(
    Object.fromEntries(
      feeKinds.map((kind) => [kind, Type.Object(feeSums, { description: kindNames[kind] })]),
    ),
    { description: 'The same by what the fee was for.' },
  ),
}

const feeReport = reportOf(
  'FeeReport',
  {
    currency: withDescription(anyAsset, 'Currency of the fees.'),
    total: Type.Object(feeFields, { description: 'The whole period.' }),
  },
  feeFields,
)

const fees = ({ openPage }: ApiParts) =>
  route({
    ...base,
    path: '/v1/reports/fees',
    permission: 'balances.see',
    operation: 'getFeeReport',
    summary: 'Report fees',
    description:
      'Returns the fees per day or hour, by what they were for, as they are on your statement and those of your sub-accounts: charged when the money is taken or held, given back when a transfer fails or returns.',
    query: closed({
      currency: Type.Optional(
        withDescription(anyAsset, 'Only fees in this currency. Default: `NGN`.'),
      ),
      ...periodQuery,
    }),
    answers: { 200: feeReport },
    async handle({ environment, query, now }) {
      const asset = (query.currency ?? 'NGN') as Asset
      const bucket = bucketOf(query)
      const period = readPeriod(now, { ...query, bucket })
      const { db } = openPage(undefined)
      const key = { environmentId: environment.id, asset }
      const sums = await readFees(db, key, { ...period, bucket })
      const starts = new Map(sums.map(({ start }) => [start.getTime(), start]))
      const buckets = [...starts.values()].map((start) => ({
        start,
        rows: sums.filter((row) => row.start.getTime() === start.getTime()),
      }))
      return success(200, 'Fees', {
        currency: asset,
        total: showFeesByKind(sums, asset),
        ...showPeriod(bucket, period),
        buckets: showBuckets(bucket, period, buckets, (fees) =>
          showFeesByKind(fees?.rows ?? [], asset),
        ),
      })
    },
  })

function showFeesByKind(rows: EntrySum[], asset: Asset) {
  return {
    ...showFees(rows, asset),
    kinds: Object.fromEntries(feeKinds.map((kind) => [kind, showFees(rows, asset, kind)])),
  }
}

function showFees(rows: EntrySum[], asset: Asset, kind?: FeeKind) {
  const { charged, released, reversed, kept, vat } = sumFees(rows, kind)
  return {
    charged: showAmount(charged, asset),
    released: showAmount(released, asset),
    reversed: showAmount(reversed, asset),
    kept: showAmount(kept, asset),
    vat: showAmount(vat, asset),
    net: showAmount(kept - vat, asset),
  }
}

const payoutFields = {
  count: count(40, 'Payouts that were completed.'),
  failed: count(1, 'Payouts that failed, without those that members rejected or did not approve.'),
}
const durationMs = (example: number, description: string) =>
  orNull(Type.Integer({ examples: [example] }), description)

const payoutTimesReport = reportOf(
  'PayoutTimesReport',
  {
    kind: oneOf([...reportedKinds], 'Kind of the payouts.'),
    total: Type.Object(payoutFields, { description: 'The whole period.' }),
  },
  {
    medianMs: durationMs(
      4_200,
      'Half of the completed payouts took at most this many milliseconds; null if there were none.',
    ),
    p95Ms: durationMs(
      11_500,
      '95 % of the completed payouts took at most this many milliseconds; null if there were none.',
    ),
    ...payoutFields,
  },
)

const payoutTimes = ({ openPage }: ApiParts) =>
  route({
    ...base,
    path: '/v1/reports/payout-times',
    permission: 'payouts.see',
    operation: 'getPayoutTimesReport',
    summary: 'Report how long payouts take',
    description:
      'Returns per day or hour how many payouts ended and how long the completed ones took from submission. A payout counts in the bucket in which it ended; one that its bank reversed later still counts as completed.',
    query: closed({
      kind: Type.Optional(
        oneOf([...reportedKinds], 'Only payouts of this kind. Default: `bank_transfer`.'),
      ),
      ...periodQuery,
    }),
    answers: { 200: payoutTimesReport },
    async handle({ environment, query, now }) {
      const kind = (query.kind ?? 'bank_transfer') as ReportedKind
      const bucket = bucketOf(query)
      const period = readPeriod(now, { ...query, bucket })
      const { db } = openPage(undefined)
      const key = { environmentId: environment.id, kind }
      const rows = await readPayoutTimes(db, key, { ...period, bucket })
      const sum = (field: 'completed' | 'failed') =>
        Number(rows.reduce((total, times) => total + times[field], 0n))
      return success(200, 'Payout times', {
        kind,
        total: { count: sum('completed'), failed: sum('failed') },
        ...showPeriod(bucket, period),
        buckets: showBuckets(bucket, period, rows, (times) => ({
          medianMs: toNumber(times?.medianMs),
          p95Ms: toNumber(times?.p95Ms),
          count: Number(times?.completed ?? 0n),
          failed: Number(times?.failed ?? 0n),
        })),
      })
    },
  })

function toNumber(value: bigint | null | undefined): number | null {
  return value === null || value === undefined ? null : Number(value)
}

function bucketOf({ bucket = 'day' }: { bucket?: unknown }): BucketSize {
  return bucket as BucketSize
}

function showPeriod(bucket: BucketSize, { from, to }: Period) {
  return { bucket, timeZone, from: from.toISOString(), to: to.toISOString() }
}

/** Every bucket of the period, with what was found in it. */
function showBuckets<Row extends { start: Date }>(
  bucket: BucketSize,
  period: Period,
  rows: Row[],
  show: (row: Row | undefined) => object,
): object[] {
  const byStart = new Map(rows.map((row) => [row.start.getTime(), row]))
  return listBuckets(bucket, period).map((start) => ({
    from: start.toISOString(),
    ...show(byStart.get(start.getTime())),
  }))
}
