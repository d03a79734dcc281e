import type { ListedPayment, ReceivedReport } from '../../../../sdk/src/types'
import { usePages, useRead } from '../../api/reads'
import { useMay } from '../../api/session'
import { TableByDay } from '../../frame/table-by-day'
import { Button } from '../../parts/button'
import { CountTab, formatCount } from '../../parts/count-tab'
import type { Column } from '../../parts/data-table'
import { ExportButton } from '../../parts/export-button'
import { type Filter, Filters, useFilters } from '../../parts/filters'
import { LiveBadge } from '../../parts/live-badge'
import { Money } from '../../parts/money'
import { type Asset, formatMoney } from '../../parts/money-format'
import { PageHead } from '../../parts/page'
import { Status } from '../../parts/status'
import { Time } from '../../parts/time'
import { dayOf, daysAgo } from '../../parts/time-format'
import { texts } from '../../texts/en'
import { statusWords } from '../../texts/status'
import { differenceOf, nameOf, placeOf, purposeOf } from './describe-payment'

const words = texts.payments
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
      <b className="b">
        <Money amount={amount} asset={currency} />
      </b>
    ),
  },
  {
    name: 'status',
    head: words.columns.status,
    phone: 4,
    cell: (payment) => (
      <span className="nw">
        <Status value={payment.status} />{' '}
        <span className="soft sm dk">{differenceOf(payment)}</span>
      </span>
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
    cell: (payment) => <span className="soft nw">{placeOf(payment)}</span>,
  },
  { name: 'for', head: words.columns.for, isGrowing: true, cell: purposeOf },
  {
    name: 'received',
    head: words.columns.received,
    phone: 3,
    cell: (payment) => (
      <span className="soft nw">
        <Time value={payment.createdAt} show="clock" />
        {purposeOf(payment) !== '' && <span className="ph"> · {purposeOf(payment)}</span>}
      </span>
    ),
  },
]

type Counts = {
  total: number | string
  byStatus: Record<(typeof statuses)[number], number | string>
}

export function Screen() {
  const maySeePayers = useMay('payers.see')
  const filters = maySeePayers ? allFilters : filtersWithoutPayer
  const { values, change } = useFilters(filters, ['status'])
  const list = usePages<ListedPayment>(path, values)
  const { status, ...others } = values
  const counts = useRead<Counts>('payment counts', `${path}/counts`, others).data
  const totals = useDayTotals(Object.keys(values).length === 0)
  const mayExport = useMay('exports.make')
  const mayCollect = useMay('collect.create')
  const isFiltered = Object.keys(values).length > 0
  const create = mayCollect && (
    <Button kind="primary" icon="link" to="/collect?new=link">
      {words.link}
    </Button>
  )
  const shown = status ? counts?.byStatus[status as (typeof statuses)[number]] : counts?.total

  return (
    <>
      <PageHead
        title={words.title}
        actions={
          <>
            {mayExport && <ExportButton path={path} filters={values} fileName="payments.csv" />}
            {create}
          </>
        }
      />
      <div className="sts" role="group" aria-label={words.statuses}>
        <CountTab
          name={words.all}
          count={counts?.total}
          isOn={!status}
          onClick={() => change({ status: undefined })}
        />
        {statuses.map((one) => (
          <CountTab
            key={one}
            name={statusWords.payment[one]}
            count={counts?.byStatus[one]}
            isOn={status === one}
            onClick={() => change({ status: one })}
          />
        ))}
      </div>
      <Filters filters={filters} values={values} onChange={change}>
        <LiveBadge className="gap dk" />
      </Filters>
      <TableByDay
        list={list}
        columns={columns}
        pagePath="/payments"
        isFiltered={isFiltered}
        icon="payIn"
        create={create}
        besideDay={(day) => totals.get(day)}
        foot={shown !== undefined && words.shownOf(list.rows.length, formatCount(shown))}
        words={words}
      />
    </>
  )
}

const assets: Asset[] = ['NGN', 'USDC', 'USDT']
const daysShown = 30

/** ` · 41 payments · ₦388,150.00 and 150.00 USDC` by day. Only the unfiltered list has totals. */
function useDayTotals(isEnabled: boolean): Map<string, string> {
  const from = daysAgo(daysShown)
  const options = { isEnabled }
  const reports = [
    useRead<ReceivedReport>('received', '/v1/reports/received', { currency: 'NGN', from }, options),
    useRead<ReceivedReport>(
      'received',
      '/v1/reports/received',
      { currency: 'USDC', from },
      options,
    ),
    useRead<ReceivedReport>(
      'received',
      '/v1/reports/received',
      { currency: 'USDT', from },
      options,
    ),
  ]
  const days = new Map<string, { count: number; sums: string[] }>()
  if (!isEnabled || reports.some(({ data }) => !data)) return new Map()
  for (const [at, { data }] of reports.entries())
    for (const { from: start, amount, count } of data!.buckets) {
      if (count === 0) continue
      const day = days.get(dayOf(start)) ?? { count: 0, sums: [] }
      day.count += count
      day.sums.push(formatMoney(amount, assets[at]!))
      days.set(dayOf(start), day)
    }
  return new Map(
    [...days].map(([day, { count, sums }]) => {
      const money = new Intl.ListFormat('en').format(sums)
      return [day, ` · ${words.dayCount(count)} · ${money}`]
    }),
  )
}
