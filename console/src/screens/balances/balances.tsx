import { balanceTexts as words } from './texts'
import './balances.css'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import type {
  Balance,
  BalanceEntry,
  BalanceReport,
  StatementSummary,
} from '../../../../sdk/src/types'
import { usePages, useRead } from '../../api/reads'
import { toRefusal } from '../../api/refusal'
import { useScope } from '../../api/scope'
import { useMay } from '../../api/session'
import { download } from '../../api/writes'
import { pathOfReference } from '../../frame/paths-of'
import { Button } from '../../parts/button'
import { LineChart } from '../../parts/chart'
import { DataTable } from '../../parts/data-table'
import { type Filter, Filters, useFilters } from '../../parts/filters'
import { Icon } from '../../parts/icons'
import { Money } from '../../parts/money'
import { type Asset, formatCompact, formatMoney, toUnits } from '../../parts/money-format'
import { notify } from '../../parts/notify'
import { EmptyState, PageHead, Skeleton } from '../../parts/page'
import { ErrorState } from '../../parts/refusals'
import { formatDay } from '../../parts/time-format'
import { useSubaccounts } from '../subaccounts/use-subaccounts'
import { BalanceTabs } from './balance-tabs'
import { findBreak } from './describe-entry'
import { entryColumns, keyOfEntry } from './entry-columns'
import { FundDialog } from './fund-dialog'
import { monthOfPeriod, type Period, usePeriod } from './period'
import { PeriodMenu } from './period-menu'
import { Proof, Sums } from './sums'

const ticksMax = 5

export function Screen() {
  const { mode } = useScope()
  const mayPayOut = useMay('payouts.create')
  const [isFunding, setFunding] = useState(false)
  const { values, change } = useFilters([], ['asset'])
  const asset = (values.asset ?? 'NGN') as Asset
  const mayFund = mode === 'test' && mayPayOut
  return (
    <>
      <PageHead
        title={words.title}
        actions={
          <>
            {mayFund && (
              <Button icon="plus" onClick={() => setFunding(true)}>
                {words.addTestMoney}
              </Button>
            )}
            {mayPayOut && (
              <>
                <Button icon="swap" to={`/balances/convert?from=${asset}`}>
                  {words.convert}
                </Button>
                <Button kind="primary" icon="payOut" to="/payouts/new">
                  {words.payOut}
                </Button>
              </>
            )}
          </>
        }
      />
      <BalanceTabs />
      <Balances shown={asset} onChoose={(chosen) => change({ asset: chosen, type: undefined })} />
      <OfSubaccounts />
      <Statement key={asset} asset={asset} onFund={mayFund ? () => setFunding(true) : undefined} />
      {isFunding && <FundDialog asset={asset} onClose={() => setFunding(false)} />}
    </>
  )
}

/** One card an asset. The chosen one names the statement below. */
function Balances({ shown, onChoose }: { shown: Asset; onChoose: (asset: Asset) => void }) {
  const { data, error, refetch } = useRead<{ items: Balance[] }>('balances', '/v1/balances')
  if (error && !data)
    return (
      <section className="card">
        <ErrorState error={error} retry={() => void refetch()} />
      </section>
    )
  if (!data)
    return (
      <div className="three-columns balances" aria-busy="true">
        {[1, 2, 3].map((card) => (
          <Skeleton key={card} height={126} />
        ))}
      </div>
    )
  return (
    <div className="three-columns balances">
      {data.items.map(({ asset, available, held, pending }) => (
        <button
          key={asset}
          type="button"
          className={asset === shown ? 'card padded balance selected' : 'card padded balance'}
          aria-pressed={asset === shown}
          onClick={() => onChoose(asset)}
        >
          <span className="soft">{words.names[asset]}</span>
          <p className="figure smaller">
            <Money amount={available} asset={asset} />
          </p>
          <p className="soft small">
            {toUnits(held, asset) === 0n ? words.nothingHeld : words.held(formatMoney(held, asset))}
          </p>
          <p className="soft small">{words.pending(formatMoney(pending, asset))}</p>
        </button>
      ))}
    </div>
  )
}

const ofSubaccounts = /^(split|subaccount|transfer_recovered)/

/** Money of sub-accounts is not in these balances. */
function OfSubaccounts() {
  const { items } = useSubaccounts()
  if (items.length === 0) return null
  return (
    <p className="soft">
      {words.ofSubaccounts}{' '}
      <Link className="link" to="/subaccounts">
        {words.toSubaccounts}
      </Link>
    </p>
  )
}

/** Types of entries that the statement of an asset can have. */
function typesOf(asset: Asset, mode: string, hasSubaccounts: boolean): string[] {
  return Object.keys(words.types).filter((type) => {
    const isElsewhere = type.startsWith(asset === 'NGN' ? 'crypto_' : 'bank_')
    // Held payments and sweeps do not change what is available.
    const isUnseen = type === 'payment_held' || type === 'sweep'
    if (!hasSubaccounts && ofSubaccounts.test(type)) return false
    return !isElsewhere && !isUnseen && (mode === 'test' || type !== 'test_funding')
  })
}

type StatementProps = { asset: Asset; onFund: (() => void) | undefined }

function Statement({ asset, onFund }: StatementProps) {
  const { mode } = useScope()
  const mayExport = useMay('exports.make')
  const hasSubaccounts = useSubaccounts().items.length > 0
  const filters: Filter[] = [
    { kind: 'period', label: words.otherPeriod },
    {
      kind: 'choice',
      name: 'type',
      label: words.type,
      options: typesOf(asset, mode, hasSubaccounts).map((value) => ({
        value,
        label: words.types[value]!,
      })),
    },
    { kind: 'text', name: 'reference', label: words.reference, placeholder: 'pay_…, bt_…, cv_…' },
  ]
  const { values, change } = useFilters(filters)
  const period = usePeriod()
  const { type, reference } = values
  const query = { asset, ...period, type, reference }
  const list = usePages<BalanceEntry>('/v1/balance-entries', query, { keyOfRow: keyOfEntry })
  const summary = useRead<StatementSummary>('summary', '/v1/balance-entries/summary', {
    asset,
    ...period,
  })
  const isFiltered = Boolean(type || reference)
  const brokenAt = isFiltered ? undefined : findBreak(list.rows)
  const save = () =>
    download('/v1/balance-entries', query, `statement-${asset}.csv`).catch((error: Error) =>
      notify(toRefusal(error).sentence, 'bad'),
    )
  const printed = new URLSearchParams({ asset, ...period }).toString()
  const month = monthOfPeriod(period)
  return (
    <section className="card statement">
      <div className="card-head wrap">
        <h2>{words.statement(words.inTitle[asset])}</h2>
        <div className="row wrap">
          <PeriodMenu period={period} onChange={change} />
          <Filters filters={filters} values={values} onChange={change} />
          {mayExport && (
            <Button size="small" icon="download" onClick={() => void save()}>
              {words.csv}
            </Button>
          )}
          <Button size="small" icon="print" to={`/balances/statement?${printed}`}>
            {words.print}
          </Button>
          {month && (
            <Button size="small" icon="print" to={`/balances/month?month=${month}`}>
              {words.monthReport}
            </Button>
          )}
        </div>
      </div>
      <BalanceChart asset={asset} period={period} />
      {summary.data && <Sums summary={summary.data} period={period} />}
      {summary.error && !summary.data && <ErrorState error={summary.error} />}
      <DataTable
        caption={words.caption(words.inTitle[asset])}
        columns={entryColumns}
        list={list}
        keyOf={keyOfEntry}
        pathOf={(row) => pathOfReference(row.reference)}
        newLabel={words.newEntries}
        foot={
          summary.data && (
            <span className="proof">
              <Icon name="shield" size={16} />
              <Proof summary={summary.data} {...(brokenAt !== undefined && { brokenAt })} />
            </span>
          )
        }
        empty={
          <Empty
            isNew={!isFiltered && summary.data?.lastNumber === null && isZero(summary.data)}
            onFund={onFund}
            onShowAll={() =>
              change({
                from: undefined,
                to: undefined,
                type: undefined,
                reference: undefined,
                period: 'all',
              })
            }
          />
        }
      />
    </section>
  )
}

const isZero = ({ opening, asset }: StatementSummary) => toUnits(opening, asset) === 0n

type EmptyProps = { isNew: boolean; onFund: (() => void) | undefined; onShowAll: () => void }

function Empty({ isNew, onFund, onShowAll }: EmptyProps) {
  if (isNew)
    return (
      <EmptyState
        icon="balance"
        action={
          onFund && (
            <Button icon="plus" onClick={onFund}>
              {words.addTestMoney}
            </Button>
          )
        }
      >
        {words.empty}
      </EmptyState>
    )
  return (
    <EmptyState icon="search" action={<Button onClick={onShowAll}>{words.showAll}</Button>}>
      {words.emptyPeriod}
    </EmptyState>
  )
}

function BalanceChart({ asset, period }: { asset: Asset; period: Period }) {
  const { data, error } = useRead<BalanceReport>('balance-report', '/v1/reports/balance', {
    asset,
    ...period,
  })
  if (error && !data) return <ErrorState error={error} />
  if (!data)
    return (
      <div className="padded">
        <Skeleton height={160} />
      </div>
    )
  const points = data.buckets.map(({ from, closing }) => ({
    label: formatDay(from),
    value: Number(toUnits(closing, asset)),
    text: formatMoney(closing, asset),
  }))
  const last = points.length - 1
  const step = Math.max(1, Math.ceil(last / (ticksMax - 1)))
  const ticks = points.filter((_, at) => at % step === 0 || at === last).map(({ label }) => label)
  return (
    <div style={{ padding: '6px 20px 16px' }}>
      <LineChart
        points={points}
        name={words.chartName}
        summary={words.chart(words.inTitle[asset])}
        axis={(value) => formatCompact(BigInt(Math.round(value)), asset)}
        ticks={[...new Set(ticks)]}
        isStepped
      />
    </div>
  )
}
