import { commonTexts } from '../../texts/common'
import { PrintedHead } from './printed-head'
import { balanceTexts as words } from './texts'
import './balances.css'
import { useSearch } from '@tanstack/react-router'
import type { FeeReport, ReceivedReport, StatementSummary } from '../../../../sdk/src/types'
import { useRead } from '../../api/reads'
import { useMay } from '../../api/session'
import { ExportButton } from '../../parts/export-button'
import { type Asset, formatMoney, toUnits } from '../../parts/money-format'
import { MoneySums } from '../../parts/money-sums'
import { ErrorState } from '../../parts/refusals'
import { currentTime, formatDay, formatFull } from '../../parts/time-format'
import { daysOfMonth, monthOf, nameMonth } from './period'
import { Sums } from './sums'

const { money } = commonTexts
const assets: Asset[] = ['NGN', 'USDC', 'USDT']

/** What a month brought, by asset and day, as a page to print. */
export function Screen() {
  const search = useSearch({ strict: false }) as Record<string, string | undefined>
  const month = search.month ?? monthOf(currentTime())
  const title = words.month.title(nameMonth(month))
  return (
    <main className="sheet" style={{ maxWidth: 'none', display: 'block' }}>
      <div>
        <PrintedHead title={title} />
        {assets.map((asset) => (
          <AssetReport key={asset} asset={asset} month={month} />
        ))}
        <p className="soft small">{words.printed.made(formatFull(currentTime().toISOString()))}</p>
      </div>
    </main>
  )
}

/** Nothing for coins that did not move. */
function AssetReport({ asset, month }: { asset: Asset; month: string }) {
  const period = daysOfMonth(month)
  const mayExport = useMay('exports.make')
  const currency = { currency: asset, ...period }
  const received = useRead<ReceivedReport>('received', '/v1/reports/received', currency)
  const fees = useRead<FeeReport>('fee report', '/v1/reports/fees', currency)
  const summary = useRead<StatementSummary>('summary', '/v1/balance-entries/summary', {
    asset,
    ...period,
  })
  const error = received.error ?? fees.error ?? summary.error
  if (error) return <ErrorState error={error} />
  if (!received.data || !fees.data || !summary.data) return null
  const { total, buckets } = received.data
  const isUnused = total.count === 0 && summary.data.firstNumber === null
  if (asset !== 'NGN' && isUnused) return null
  const kinds = Object.entries(fees.data.total.kinds).filter(
    ([, kind]) => toUnits(kind.kept, asset) !== 0n,
  )
  return (
    <section className="stack" aria-label={words.names[asset]}>
      <h2>{words.names[asset]}</h2>
      <MoneySums money={total} asset={asset} />
      {kinds.length > 0 && (
        <>
          <h3>{words.month.fees}</h3>
          <dl className="sums">
            {kinds.map(([kind, { kept }]) => (
              <div key={kind}>
                <dt>{words.month.feeKinds[kind as keyof typeof words.month.feeKinds]}</dt>
                <dd>{formatMoney(kept, asset)}</dd>
              </div>
            ))}
          </dl>
        </>
      )}
      <h3>{words.month.statement}</h3>
      <Sums summary={summary.data} period={period} />
      <div className="row spread">
        <h3>{words.month.days}</h3>
        {mayExport && (
          <span className="actions">
            <ExportButton
              path="/v1/reports/received"
              filters={currency}
              fileName={`received-${asset}.csv`}
              label={words.month.csv}
            />
          </span>
        )}
      </div>
      <Days buckets={buckets} asset={asset} />
    </section>
  )
}

type Bucket = ReceivedReport['buckets'][number]

const columns: [string, (bucket: Bucket, asset: Asset) => bigint][] = [
  [money.received, ({ amount }, asset) => toUnits(amount, asset)],
  [money.refunded, ({ refunded }, asset) => -toUnits(refunded, asset)],
  [money.fees, ({ fees }, asset) => -toUnits(fees ?? 0, asset)],
  [money.net, ({ net }, asset) => toUnits(net ?? 0, asset)],
  [money.held, ({ held }, asset) => toUnits(held, asset)],
  [money.returned, ({ returned }, asset) => toUnits(returned, asset)],
]

/** Days on which nothing happened are left out. */
function Days({ buckets, asset }: { buckets: Bucket[]; asset: Asset }) {
  const shown = buckets.filter(
    (bucket) => bucket.count > 0 || columns.some(([, read]) => read(bucket, asset) !== 0n),
  )
  return (
    <div
      className="days"
      role="region"
      aria-label={words.month.daysOf(words.names[asset])}
      tabIndex={0}
    >
      <table>
        <thead>
          <tr>
            <th scope="col">{commonTexts.day}</th>
            <th scope="col">{words.month.payments}</th>
            {columns.map(([name]) => (
              <th key={name} scope="col">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {shown.map((bucket) => (
            <tr key={bucket.from}>
              <td>{formatDay(bucket.from)}</td>
              <td>{bucket.count.toLocaleString('en')}</td>
              {columns.map(([name, read]) => (
                <td key={name}>{formatMoney(read(bucket, asset), asset)}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}
