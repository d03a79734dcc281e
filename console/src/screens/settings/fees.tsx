import type { Fee } from '../../../../sdk/src/types'
import { useRead } from '../../api/reads'
import { type Column, DataTable } from '../../parts/data-table'
import { type Asset, formatMoney, toUnits } from '../../parts/money-format'
import { Card, EmptyState } from '../../parts/page'
import { WhenRead } from '../../parts/when-read'
import { SettingsPage } from './settings-page'
import { settingTexts } from './texts'

const words = settingTexts.fees

type Rate = Pick<Fee, 'flat' | 'basisPoints'>

export function Screen() {
  const fees = useRead<{ fees: Fee[] }>('fees', '/v1/fees')
  return (
    <SettingsPage tab="fees">
      <WhenRead read={fees}>
        {({ fees: rows }) => (
          <Card
            className="fees"
            title={words.card}
            aside={<span className="soft small">{words.usdt}</span>}
          >
            <p className="soft hint">{words.intro}</p>
            <DataTable
              caption={words.caption}
              columns={columns}
              list={{ rows }}
              keyOf={({ operation }) => operation}
              empty={<EmptyState icon="tag">{words.free}</EmptyState>}
            />
          </Card>
        )}
      </WhenRead>
    </SettingsPage>
  )
}

const columns: Column<Fee>[] = [
  {
    name: 'operation',
    head: words.operation,
    isGrowing: true,
    phone: 1,
    cell: ({ description }) => <span className="bold">{description}</span>,
  },
  { name: 'fee', head: words.fee, align: 'end', phone: 3, cell: (fee) => <Rates fee={fee} /> },
  {
    name: 'limits',
    head: words.limits,
    align: 'end',
    phone: 4,
    cell: (fee) => <span className="soft">{describeLimits(fee)}</span>,
  },
]

function Rates({ fee }: { fee: Fee }) {
  const { tiers, currency } = fee
  if (tiers.length === 0) return describeRate(fee, currency)
  return (
    <>
      {tiers.map((tier) => (
        <span key={String(tier.upTo)} className="fee-line top-line">
          <span className="soft small">{words.upTo(formatMoney(tier.upTo, currency))}</span>{' '}
          {describeRate(tier, currency)}
        </span>
      ))}
      <span className="fee-line top-line">
        <span className="soft small">{words.above}</span> {describeRate(fee, currency)}
      </span>
    </>
  )
}

/** `₦25.00 + 1 % of the amount`. */
function describeRate({ flat, basisPoints }: Rate, currency: Asset): string {
  const parts = [
    ...(toUnits(flat, currency) > 0n ? [formatMoney(flat, currency)] : []),
    ...(basisPoints > 0 ? [words.ofAmount(String(basisPoints / 100))] : []),
  ]
  return parts.join(words.plus) || words.free
}

function describeLimits({ floor, cap, currency }: Fee): string {
  return [
    ...(toUnits(floor, currency) > 0n ? [words.atLeast(formatMoney(floor, currency))] : []),
    ...(cap === null ? [] : [words.atMost(formatMoney(cap, currency))]),
  ].join(', ')
}
