import { useState } from 'react'
import type { Margin } from '../../api/answers'
import { toList, useRead } from '../../api/reads'
import type { Mode } from '../../api/scope'
import { DataTable } from '../../parts/data-table'
import { TextField } from '../../parts/fields'
import { Money } from '../../parts/money'
import type { Amount } from '../../parts/money-format'
import { Card, EmptyState, PageHead } from '../../parts/page'
import { Segments } from '../../parts/segments'
import { currentTime, dayOf, formatDay } from '../../parts/time-format'
import { useSettled } from '../../parts/use-settled'
import { monthOf } from '../balances/period'
import { sumByAsset } from './sum-by-asset'
import { TaxTabs } from './tax-tabs'
import { taxTexts } from './tax-texts'
import './operator.css'

const t = taxTexts.margins
const amounts = ['fees', 'vat', 'providerFees', 'margin'] as const

type Row = Pick<Margin, 'asset'> &
  Record<(typeof amounts)[number], Amount> & {
    key: string
    day: string | null
    rail: string
    unknown: number
  }

/** What remains of fees, by rail and day. */
export function Screen() {
  const now = currentTime()
  const [mode, setMode] = useState<Mode>('live')
  const [from, setFrom] = useState(`${monthOf(now)}-01`)
  const [to, setTo] = useState(dayOf(now))
  const period = useSettled(JSON.stringify({ from, to }))
  const read = useRead<{ items: Margin[] }>(
    'margins',
    '/operator/v1/margins',
    { mode, ...JSON.parse(period) },
    { isEnabled: from !== '' && to !== '' },
  )
  const { rows: margins, ...list } = toList(read)
  const rows: Row[] = [
    ...sumByAsset(margins, [...amounts]).map((sum) => ({
      ...sum,
      key: `total ${sum.asset}`,
      day: null,
      rail: t.total,
      unknown: margins
        .filter(({ asset }) => asset === sum.asset)
        .reduce((count, { unknown }) => count + unknown, 0),
    })),
    ...margins.map((row) => ({ ...row, key: `${row.day} ${row.rail} ${row.asset}` })),
  ]
  const column = (name: (typeof amounts)[number]) => (row: Row) => (
    <Money amount={row[name]} asset={row.asset} />
  )
  return (
    <>
      <PageHead
        title={taxTexts.title}
        tab={`${taxTexts.tabs.margins} · ${taxTexts.title}`}
        over={t.over}
      />
      <TaxTabs />
      <Card
        title={t.card}
        aside={
          <Segments
            label={taxTexts.mode}
            value={mode}
            options={taxTexts.modes}
            onChange={setMode}
          />
        }
      >
        <div className="padded no-top-padding two-columns">
          <TextField type="date" label={t.from} value={from} onChange={setFrom} />
          <TextField
            type="date"
            label={t.to}
            description={t.daysMax}
            isDescribedBelow
            value={to}
            onChange={setTo}
          />
        </div>
        <DataTable
          caption={t.caption}
          list={{ ...list, rows }}
          keyOf={({ key }) => key}
          empty={<EmptyState icon="scale">{t.empty}</EmptyState>}
          detailOf={({ unknown }) =>
            unknown > 0 && <span className="soft small">{t.unknown(unknown)}</span>
          }
          columns={[
            {
              name: 'rail',
              head: t.rail,
              phone: 1,
              isGrowing: true,
              cell: ({ rail, day }) => (
                <b className={day === null ? '' : 'medium'}>
                  {rail === 'exchange' ? t.exchange : rail}
                </b>
              ),
            },
            {
              name: 'day',
              head: t.day,
              phone: 3,
              isSoft: true,
              cell: ({ day }) => day && <span className="no-wrap">{formatDay(day)}</span>,
            },
            { name: 'fees', head: t.fees, align: 'end', isWideOnly: true, cell: column('fees') },
            { name: 'vat', head: t.vat, align: 'end', isWideOnly: true, cell: column('vat') },
            {
              name: 'provider',
              head: t.providerFees,
              align: 'end',
              phone: 4,
              hasPhoneHead: true,
              cell: column('providerFees'),
            },
            {
              name: 'margin',
              head: t.margin,
              align: 'end',
              phone: 2,
              cell: (row) => <b>{column('margin')(row)}</b>,
            },
          ]}
        />
      </Card>
    </>
  )
}
