import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import type { ReceivedReport } from '../../../../sdk/src/types'
import { useRead } from '../../api/reads'
import { useMay } from '../../api/session'
import { LineChart, type Point } from '../../parts/chart'
import { type Asset, formatCompact, formatMoney, toUnits } from '../../parts/money-format'
import { MoneySums } from '../../parts/money-sums'
import { Card, Skeleton } from '../../parts/page'
import { ErrorState } from '../../parts/refusals'
import { Segments } from '../../parts/segments'
import { daysAgo, formatDay } from '../../parts/time-format'
import { balanceTexts } from '../balances/texts'
import { homeTexts } from './texts'

const words = homeTexts.received
const assets: Asset[] = ['NGN', 'USDC', 'USDT']
const periods = [7, 30, 90]
const ticksMax = 5

export function ReceivedCard() {
  const [asset, setAsset] = useState<Asset>('NGN')
  const [days, setDays] = useState(30)
  const maySeeBalances = useMay('balances.see')
  const from = daysAgo(days - 1)
  const before = daysAgo(2 * days - 1)
  const path = '/v1/reports/received'
  const now = useRead<ReceivedReport>('received', path, {
    currency: asset,
    from,
    bucket: 'day',
    compare: 'previous',
  })
  const earlier = useRead<ReceivedReport>('received', path, {
    currency: asset,
    from: before,
    to: daysAgo(days),
    bucket: 'day',
  })
  const { data } = now
  return (
    <Card isPadded className="overflowing">
      <div className="row spread wrap" style={{ alignItems: 'flex-start' }}>
        <div>
          <h2 className="soft medium">{words.title}</h2>
          {data ? (
            <>
              <p className="figure">{formatMoney(data.total.amount, asset)}</p>
              <Change report={data} asset={asset} days={days} />
            </>
          ) : (
            !now.error && <Skeleton height={52} width={240} />
          )}
        </div>
        <div className="row wrap">
          <Segments label={words.currency} value={asset} options={assets} onChange={setAsset} />
          <select
            className="filter selected"
            aria-label={words.period}
            value={days}
            onChange={({ currentTarget }) => setDays(Number(currentTarget.value))}
          >
            {periods.map((one) => (
              <option key={one} value={one}>
                {words.days(one)}
              </option>
            ))}
          </select>
        </div>
      </div>
      <div style={{ marginTop: 36 }}>
        {data && (
          <LineChart
            points={toPoints(data, earlier.data, asset)}
            summary={words.summary(formatMoney(data.total.amount, asset), days)}
            name={words.last(days)}
            beforeName={words.before(days)}
            axis={(value) => formatCompact(BigInt(Math.round(value)), asset)}
            ticks={ticksOf(data)}
          />
        )}
        {!data && now.error && <ErrorState error={now.error} retry={() => void now.refetch()} />}
        {!data && !now.error && <Skeleton height={240} />}
      </div>
      {data && <MoneySums money={data.total} asset={asset} />}
      {maySeeBalances && (
        <p className="small align-end">
          <Link className="link" to="/balances/month">
            {balanceTexts.monthReport}
          </Link>
        </p>
      )}
    </Card>
  )
}

type ChangeProps = { report: ReceivedReport; asset: Asset; days: number }

function Change({ report: { previous, change }, asset, days }: ChangeProps) {
  if (!previous || !change) return null
  const before = words.from(formatMoney(previous.amount, asset), days)
  const units = toUnits(change.amount, asset)
  if (change.percent === null) return <p className="small soft">{before}</p>
  const percent = Math.abs(change.percent).toLocaleString('en', { minimumFractionDigits: 1 })
  const [className, text] =
    units === 0n
      ? ['soft', words.same]
      : units > 0n
        ? ['up', words.up(percent)]
        : ['down', words.down(percent)]
  return (
    <p className="small">
      <span className={className}>{text}</span> <span className="soft">{before}</span>
    </p>
  )
}

function toPoints(
  report: ReceivedReport,
  earlier: ReceivedReport | null | undefined,
  asset: Asset,
): Point[] {
  return report.buckets.map(({ from, amount, count }, at) => {
    const before = earlier?.buckets[at]
    return {
      label: formatDay(from),
      value: Number(toUnits(amount, asset)),
      text: formatMoney(amount, asset),
      note: words.count(count),
      ...(before && {
        before: {
          value: Number(toUnits(before.amount, asset)),
          text: formatMoney(before.amount, asset),
        },
      }),
    }
  })
}

function ticksOf({ buckets }: ReceivedReport): string[] {
  const last = buckets.length - 1
  if (last < 1) return []
  return Array.from({ length: ticksMax }, (_, at) => {
    if (at === ticksMax - 1) return words.today
    return formatDay(buckets[Math.round((at * last) / (ticksMax - 1))]!.from)
  })
}
