import type { ReactNode } from 'react'
import type { BalanceReport, ConversionReport, PayoutTimesReport } from '../../../../sdk/src/types'
import { useRead } from '../../api/reads'
import { LineChart } from '../../parts/chart'
import { formatMoney, toUnits } from '../../parts/money-format'
import { Card, Skeleton } from '../../parts/page'
import { ErrorState } from '../../parts/refusals'
import { daysAgo, formatDay, formatDuration } from '../../parts/time-format'
import { homeTexts as words } from './texts'

const days = 14
const fromDay = () => daysAgo(days - 1)

/** Three small charts of the last two weeks. */
export function Figures({ hasBalance }: { hasBalance: boolean }) {
  return (
    <div className="three-columns">
      <Conversion />
      <PayoutTime />
      {hasBalance && <NairaBalance />}
    </div>
  )
}

type FigureProps = { title: string; figure: ReactNode; text: ReactNode; children: ReactNode }

function Figure({ title, figure, text, children }: FigureProps) {
  return (
    <Card isPadded className="overflowing">
      <h2 className="soft medium">{title}</h2>
      <p className="figure smaller">{figure}</p>
      <p className="small soft" style={{ marginBottom: 10 }}>
        {text}
      </p>
      {children}
    </Card>
  )
}

function Conversion() {
  const query = { from: fromDay(), bucket: 'day' }
  const { data, error } = useRead<ConversionReport>('conversion', '/v1/reports/conversion', query)
  if (!data) return <Waiting error={error} />
  const shareOf = ({ opened, paid }: { opened: number; paid: number }) =>
    opened === 0 ? 0 : Math.min(paid / opened, 1)
  const percent = (share: number) => `${(Math.round(share * 1_000) / 10).toLocaleString('en')} %`
  const { opened, paid } = data.total
  const text = words.conversion.of(paid.toLocaleString('en'), opened.toLocaleString('en'))
  return (
    <Figure
      title={words.conversion.title}
      figure={opened === 0 ? '–' : percent(shareOf(data.total))}
      text={opened === 0 ? words.conversion.none : text}
    >
      <LineChart
        isSmall
        name={words.conversion.name}
        summary={words.conversion.summary}
        points={data.buckets.map((bucket) => ({
          label: formatDay(bucket.from),
          value: shareOf(bucket) * 100,
          text: bucket.opened === 0 ? '–' : percent(shareOf(bucket)),
          note: words.conversion.of(String(bucket.paid), String(bucket.opened)),
        }))}
      />
    </Figure>
  )
}

function PayoutTime() {
  const query = { kind: 'bank_transfer', from: fromDay(), bucket: 'day' }
  const { data, error } = useRead<PayoutTimesReport>(
    'payout times',
    '/v1/reports/payout-times',
    query,
  )
  if (!data) return <Waiting error={error} />
  // Medians of days cannot be joined; the latest day with payouts is what a merchant sees now.
  const latest = data.buckets.findLast(({ medianMs }) => medianMs !== null)
  const { failed } = data.total
  const text = latest
    ? `${words.payoutTime.within(formatDuration(latest.p95Ms!))} · ${words.payoutTime.failed(failed)}`
    : words.payoutTime.none
  return (
    <Figure
      title={words.payoutTime.title}
      figure={
        latest ? (
          <>
            {formatDuration(latest.medianMs!)}{' '}
            <span className="unit small">{words.payoutTime.median}</span>
          </>
        ) : (
          '–'
        )
      }
      text={text}
    >
      <LineChart
        isSmall
        name={words.payoutTime.name}
        summary={words.payoutTime.summary}
        points={data.buckets.map(({ from, medianMs, p95Ms }) => ({
          label: formatDay(from),
          value: medianMs ?? 0,
          text: medianMs === null ? '–' : formatDuration(medianMs),
          ...(p95Ms !== null && { note: words.payoutTime.within(formatDuration(p95Ms)) }),
        }))}
      />
    </Figure>
  )
}

function NairaBalance() {
  const query = { asset: 'NGN', from: fromDay(), bucket: 'day' }
  const { data, error } = useRead<BalanceReport>('balance report', '/v1/reports/balance', query)
  if (!data) return <Waiting error={error} />
  return (
    <Figure
      title={words.balance.title}
      figure={formatMoney(data.closing, 'NGN')}
      text={words.balance.lowest(formatMoney(data.lowest.amount, 'NGN'))}
    >
      <LineChart
        isSmall
        isStepped
        name={words.balance.name}
        summary={words.balance.summary}
        points={data.buckets.map(({ from, closing }) => ({
          label: formatDay(from),
          value: Number(toUnits(closing, 'NGN')),
          text: formatMoney(closing, 'NGN'),
        }))}
      />
    </Figure>
  )
}

function Waiting({ error }: { error: unknown }) {
  return <Card isPadded>{error ? <ErrorState error={error} /> : <Skeleton height={158} />}</Card>
}
