import type { Resources } from '../../../../sdk/src/resources'
import { ResourceList } from '../../frame/resource-list'
import { paymentTexts as words } from './texts'
import './payments.css'
import type { ListedPayment, ReceivedReport } from '../../../../sdk/src/types'
import { usePages, useRead } from '../../api/reads'
import { useMay } from '../../api/session'
import { Button } from '../../parts/button'
import { formatCount, StatusTabs } from '../../parts/count-tab'
import type { Column } from '../../parts/data-table'
import { type Filter, useFilters } from '../../parts/filters'
import { Money } from '../../parts/money'
import { type Asset, formatMoney, toUnits } from '../../parts/money-format'
import { Status } from '../../parts/status'
import { Time } from '../../parts/time'
import { dayOf, daysAgo } from '../../parts/time-format'
import { statusWords } from '../../texts/status'
import { differenceOf, nameOf, placeOf, purposeOf } from './describe-payment'

const path = '/v1/collections/payments'
const statuses = ['ACCEPTED', 'HELD', 'RETURNING', 'RETURNED'] as const

const choices = (labels: Record<string, string>) =>
  Object.entries(labels).map(([value, label]) => ({ value, label }))

const allFilters: Filter[] = [
  { kind: 'period', label: words.filters.period },
  { kind: 'amount', label: words.filters.amount },
  {
    kind: 'choice',
    name: 'source',
    label: words.filters.method,
    options: choices(words.methods),
  },
  {
    kind: 'choice',
    name: 'variance',
    label: words.filters.variance,
    options: choices(words.variances).filter(({ value }) => value !== 'NONE'),
  },
  { kind: 'text', name: 'sender', label: words.filters.payer },
  { kind: 'text', name: 'merchantReference', label: words.filters.reference },
  { kind: 'text', name: 'q', label: words.filters.search },
]
/** People who do not see payers cannot search for them. */
const filtersWithoutPayer = allFilters.filter((one) => !('name' in one) || one.name !== 'sender')

const columns: Column<ListedPayment>[] = [
  {
    name: 'amount',
    head: words.columns.amount,
    align: 'end',
    phone: 2,
    cell: ({ amount, currency }) => (
      <b className="bold">
        <Money amount={amount} asset={currency} />
      </b>
    ),
  },
  {
    name: 'status',
    head: words.columns.status,
    phone: 4,
    cell: (payment) => (
      <>
        <Status value={payment.status} />
        {payment.variance !== 'NONE' && (
          <span className="soft small difference">{differenceOf(payment)}</span>
        )}
      </>
    ),
  },
  {
    name: 'from',
    head: words.columns.from,
    phone: 1,
    cell: (payment) => <span className="under-name">{nameOf(payment)}</span>,
  },
  {
    name: 'paidFrom',
    head: words.columns.paidFrom,
    isWideOnly: true,
    cell: (payment) => <span className="soft no-wrap">{placeOf(payment)}</span>,
  },
  { name: 'for', head: words.columns.for, isGrowing: true, cell: purposeOf },
  {
    name: 'received',
    head: words.columns.received,
    phone: 3,
    cell: (payment) => (
      <span className="soft no-wrap">
        <Time value={payment.createdAt} show="clock" />
        {purposeOf(payment) !== '' && <span className="phone-only"> · {purposeOf(payment)}</span>}
      </span>
    ),
  },
]

type PaymentStatus = (typeof statuses)[number]
type Counts = Awaited<ReturnType<Resources['payments']['counts']>>

export function Screen() {
  const maySeePayers = useMay('payers.see')
  const filters = maySeePayers ? allFilters : filtersWithoutPayer
  const filtering = useFilters(filters, ['status'])
  const { values, change, isFiltered } = filtering
  const list = usePages<ListedPayment>(path, values)
  const { status, ...others } = values
  const counts = useRead<Counts>('payment counts', `${path}/counts`, others).data
  const totals = useDayTotals(!isFiltered)
  const mayCollect = useMay('collect.create')
  const create = mayCollect && (
    <Button kind="primary" icon="link" to="/collect?new=link">
      {words.link}
    </Button>
  )
  const countOf = (tabStatus?: PaymentStatus) =>
    tabStatus ? counts?.byStatus[tabStatus] : counts?.total
  const shown = countOf(status as PaymentStatus)
  return (
    <ResourceList
      title={words.title}
      path={path}
      pagePath="/payments"
      fileName="payments.csv"
      filters={filters}
      filtering={filtering}
      list={list}
      columns={columns}
      icon="payIn"
      create={create}
      besideDay={(day) => totals.get(day)}
      foot={shown !== undefined && words.shownOf(list.rows.length, formatCount(shown))}
      words={words}
    >
      <StatusTabs
        words={words}
        statuses={statuses}
        names={statusWords.payment}
        chosen={status}
        onChoose={(chosen) => change({ status: chosen })}
        countOf={(tabStatus) => ({ count: countOf(tabStatus) })}
      />
    </ResourceList>
  )
}

const assets: Asset[] = ['NGN', 'USDC', 'USDT']
const daysShown = 30

/**
 * ` · 41 payments · ₦388,150.00 and 150.00 USDC received · ₦5,000.00 held` by day. Only the
 * unfiltered list has totals.
 */
function useDayTotals(isEnabled: boolean): Map<string, string> {
  const from = daysAgo(daysShown)
  const useReport = (currency: Asset) =>
    useRead<ReceivedReport>('received', '/v1/reports/received', { currency, from }, { isEnabled })
      .data
  const reports = [useReport('NGN'), useReport('USDC'), useReport('USDT')]
  if (!isEnabled || reports.some((report) => !report)) return new Map()
  const starts = reports[0]!.buckets.map((bucket) => bucket.from)
  return new Map(
    starts.map((start, at) => [dayOf(start), describeDay(reports.map((one) => one!.buckets[at]!))]),
  )
}

/** The buckets of one day, one per asset. */
function describeDay(buckets: ReceivedReport['buckets']): string {
  const sums = (name: 'amount' | 'held' | 'returned' | 'refunded') =>
    new Intl.ListFormat('en').format(
      buckets.flatMap((bucket, at) =>
        toUnits(bucket[name], assets[at]!) === 0n ? [] : [formatMoney(bucket[name], assets[at]!)],
      ),
    )
  const count = buckets.reduce((sum, bucket) => sum + bucket.count, 0)
  const others = [
    [words.dayHeld, sums('held')],
    [words.dayReturned, sums('returned')],
    [words.dayRefunded, sums('refunded')],
  ] as const
  return [
    '',
    words.dayCount(count),
    words.dayReceived(sums('amount') || formatMoney(0n, 'NGN')),
    ...others.flatMap(([say, amounts]) => (amounts === '' ? [] : [say(amounts)])),
  ].join(' · ')
}
