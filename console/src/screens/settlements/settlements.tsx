import { Navigate, useSearch } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import type { Settlement, SettlementSummary } from '../../../../sdk/src/types'
import { usePages, useRead } from '../../api/reads'
import { useMay } from '../../api/session'
import { ResourceList } from '../../frame/resource-list'
import { Button } from '../../parts/button'
import { formatCount, StatusTabs } from '../../parts/count-tab'
import type { Column } from '../../parts/data-table'
import { type Filter, useFilters } from '../../parts/filters'
import { formatAccountNumber, formatWallet } from '../../parts/identifiers'
import { Money } from '../../parts/money'
import { formatMoney } from '../../parts/money-format'
import { Status } from '../../parts/status'
import { Time } from '../../parts/time'
import { dayOf } from '../../parts/time-format'
import { statusWords } from '../../texts/status'
import { SettleDialog } from './settle-dialog'
import { SettlementTabs } from './settlement-tabs'
import { settlementTexts as words } from './texts'

const path = '/v1/settlements'
const statuses = ['PENDING', 'SUBMITTED', 'PAID', 'FAILED', 'REVERSED'] as const
const filters: Filter[] = [{ kind: 'period', label: words.filters.period }]

const columns: Column<Settlement>[] = [
  {
    name: 'amount',
    head: words.columns.amount,
    align: 'end',
    phone: 2,
    cell: ({ amount }) => (
      <b className="bold">
        <Money amount={amount} asset="NGN" />
      </b>
    ),
  },
  {
    name: 'status',
    head: words.columns.status,
    phone: 4,
    cell: ({ status }) => <Status value={status} />,
  },
  {
    name: 'to',
    head: words.columns.to,
    isGrowing: true,
    phone: 1,
    cell: (settlement) => (
      <>
        <span className="under-name">{nameOf(settlement)}</span>
        <span className="under-name soft small">{placeOf(settlement)}</span>
      </>
    ),
  },
  {
    name: 'by',
    head: words.columns.by,
    isWideOnly: true,
    cell: ({ scheduledFor }) => (
      <span className="soft no-wrap">{scheduledFor ? words.scheduled : words.requested}</span>
    ),
  },
  {
    name: 'fee',
    head: words.columns.fee,
    align: 'end',
    isWideOnly: true,
    isSoft: true,
    cell: ({ fee }) => <Money amount={fee} asset="NGN" />,
  },
  {
    name: 'created',
    head: words.columns.created,
    phone: 3,
    isSoft: true,
    cell: ({ createdAt }) => <Time value={createdAt} show="clock" />,
  },
]

function nameOf({ accountName, walletAddress }: Settlement): string {
  return accountName ?? formatWallet(walletAddress ?? '')
}

function placeOf({ bankName, accountNumber, asset, assetAmount }: Settlement): string {
  if (asset) return formatMoney(assetAmount!, asset)
  return `${bankName} ${formatAccountNumber(accountNumber!)}`
}

export function Screen() {
  const maySeeBalances = useMay('balances.see')
  return maySeeBalances ? <Settlements /> : <Navigate to="/settlements/schedule" replace />
}

function Settlements() {
  const filtering = useFilters(filters, ['status'])
  const { values, change } = filtering
  const list = usePages<Settlement>(path, values)
  const { status, ...period } = values
  const sums = useRead<SettlementSummary>('settlement sums', `${path}/summary`, period).data
  const maySettle = useMay('payouts.create')
  const [isSettling, setSettling] = useSettling(maySettle, change)
  const sumOf = (tabStatus?: SettlementStatus) => (tabStatus ? sums?.byStatus[tabStatus] : sums)
  const shown = sumOf(status as SettlementStatus)
  const totals = totalsOf(list.rows, list.hasMore)
  return (
    <>
      <ResourceList
        title={words.title}
        path={path}
        pagePath="/settlements"
        fileName="settlements.csv"
        filters={filters}
        filtering={filtering}
        list={list}
        columns={columns}
        icon="bank"
        create={
          maySettle && (
            <Button kind="primary" icon="payOut" onClick={() => setSettling(true)}>
              {words.settle.now}
            </Button>
          )
        }
        besideDay={(day) => totals.get(day)}
        foot={shown && words.shownOf(list.rows.length, formatCount(shown.count))}
        words={words}
      >
        <SettlementTabs />
        <StatusTabs
          words={words}
          statuses={statuses}
          names={statusWords.settlement}
          chosen={status}
          onChoose={(chosen) => change({ status: chosen })}
          countOf={(tabStatus) => {
            const sum = sumOf(tabStatus)
            return { count: sum?.count, sum: sum ? formatMoney(sum.amount, 'NGN') : undefined }
          }}
        />
      </ResourceList>
      {isSettling && <SettleDialog onClose={() => setSettling(false)} />}
    </>
  )
}

type SettlementStatus = (typeof statuses)[number]

/** `/settlements?new=settlement` opens the dialog once; the address stays that of the list. */
function useSettling(
  maySettle: boolean,
  change: (changed: Record<string, undefined>) => void,
): [boolean, (isOpen: boolean) => void] {
  const search = useSearch({ strict: false }) as { new?: string }
  const [isSettling, setSettling] = useState(false)
  const isAsked = search.new === 'settlement' && maySettle
  useEffect(() => {
    if (!isAsked) return
    setSettling(true)
    change({ new: undefined })
  })
  return [isSettling, setSettling]
}

/** By day, without what came back. The last day of the list has none while more of it may follow. */
function totalsOf(rows: Settlement[], hasMore: boolean): Map<string, string> {
  const days = new Map<string, number[]>()
  for (const { createdAt, amount, status } of rows) {
    const day = dayOf(createdAt)
    const cameBack = status === 'FAILED' || status === 'REVERSED'
    days.set(day, [...(days.get(day) ?? []), ...(cameBack ? [] : [amount])])
  }
  if (hasMore) days.delete(dayOf(rows.at(-1)!.createdAt))
  return new Map(
    [...days].map(([day, amounts]) => {
      const sum = amounts.reduce((total, amount) => total + BigInt(amount), 0n)
      return [day, words.dayTotal(amounts.length, formatMoney(sum, 'NGN'))]
    }),
  )
}
