import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { type Page, usePages, useRead } from '../../api/reads'
import { toRefusal } from '../../api/refusal'
import { useMay } from '../../api/session'
import { download } from '../../api/writes'
import { Button } from '../../parts/button'
import { type Column, DataTable } from '../../parts/data-table'
import { type Filter, Filters, useFilters } from '../../parts/filters'
import { Icon } from '../../parts/icons'
import { LiveBadge } from '../../parts/live-badge'
import { Money } from '../../parts/money'
import { notify } from '../../parts/notify'
import { Card, EmptyState, PageHead } from '../../parts/page'
import { splitPath } from '../../parts/split-path'
import { Status } from '../../parts/status'
import { Time } from '../../parts/time'
import { dayOf, formatLongDay } from '../../parts/time-format'
import { texts } from '../../texts/en'
import { amountOf, assetOf, copyPath, nameOf, path, placeOf, type Transfer } from './transfer'

const words = texts.payouts
const statuses = ['PENDING', 'SUBMITTED', 'COMPLETED', 'FAILED', 'REVERSED'] as const

const filters: Filter[] = [
  { kind: 'period', label: words.filters.period },
  { kind: 'amount', label: words.filters.amount },
  {
    kind: 'choice',
    name: 'kind',
    label: words.filters.kind,
    options: Object.entries(words.filters.kinds).map(([value, label]) => ({ value, label })),
  },
  { kind: 'text', name: 'recipient', label: words.filters.recipient },
  { kind: 'text', name: 'merchantReference', label: words.filters.reference },
  { kind: 'text', name: 'q', label: words.filters.search },
]

const amountColumn: Column<Transfer> = {
  name: 'amount',
  head: words.columns.amount,
  align: 'end',
  phone: 2,
  cell: (transfer) => (
    <b className="b">
      <Money amount={amountOf(transfer)} asset={assetOf(transfer)} />
    </b>
  ),
}

const toColumn: Column<Transfer> = {
  name: 'to',
  head: words.columns.to,
  phone: 1,
  cell: (transfer) => <span className="nw">{nameOf(transfer)}</span>,
}

function columnsOf(mayCreate: boolean): Column<Transfer>[] {
  return [
    amountColumn,
    {
      name: 'status',
      head: words.columns.status,
      phone: 4,
      cell: ({ status }) => <Status value={status} />,
    },
    toColumn,
    {
      name: 'account',
      head: words.columns.account,
      isWideOnly: true,
      isGrowing: true,
      cell: (transfer) => <span className="soft nw">{placeOf(transfer)}</span>,
    },
    {
      name: 'by',
      head: words.columns.by,
      isWideOnly: true,
      cell: ({ createdBy }) => <span className="soft nw">{createdBy?.name}</span>,
    },
    {
      name: 'created',
      head: words.columns.created,
      phone: 3,
      cell: (transfer) => (
        <span className="soft nw">
          <Time value={transfer.createdAt} show="clock" />
          {placeOf(transfer) !== '' && <span className="ph"> · {placeOf(transfer)}</span>}
        </span>
      ),
    },
    ...(mayCreate ? [copyColumn] : []),
  ]
}

const copyColumn: Column<Transfer> = {
  name: 'copy',
  head: <span className="hidden">{words.columns.more}</span>,
  isWideOnly: true,
  cell: (transfer) => (
    <Link
      className="ib small"
      {...splitPath(copyPath(transfer))}
      aria-label={words.copyAsNew}
      title={words.copyAsNew}
    >
      <Icon name="copy" />
    </Link>
  ),
}

type Counts = {
  total: number | string
  byStatus: Record<(typeof statuses)[number], number | string>
}

export function Screen() {
  const { values, change } = useFilters(filters, ['status'])
  const list = usePages<Transfer>(path, values)
  const { status, ...others } = values
  const counts = useRead<Counts>('payout counts', `${path}/counts`, others).data
  const mayExport = useMay('exports.make')
  const mayCreate = useMay('payouts.create')
  const isFiltered = Object.keys(values).length > 0
  const shown = status ? counts?.byStatus[status as (typeof statuses)[number]] : counts?.total
  return (
    <>
      <PageHead
        title={words.title}
        actions={
          <>
            {mayExport && <Export filters={values} />}
            {mayCreate && (
              <Button kind="primary" icon="payOut" to="/payouts/new">
                {words.create}
              </Button>
            )}
          </>
        }
      />
      <div className="sts" role="group" aria-label={words.statuses}>
        <Tab
          name={words.all}
          count={counts?.total}
          isOn={!status}
          onClick={() => change({ status: undefined })}
        />
        {statuses.map((one) => (
          <Tab
            key={one}
            name={words.groups[one]}
            count={counts?.byStatus[one]}
            isOn={status === one}
            onClick={() => change({ status: one })}
          />
        ))}
      </div>
      {(!isFiltered || status === 'PENDING') && <Waiting />}
      <Filters filters={filters} values={values} onChange={change}>
        <LiveBadge className="gap dk" />
      </Filters>
      <Card>
        <DataTable
          caption={words.caption}
          columns={columnsOf(mayCreate)}
          list={list}
          keyOf={({ reference }) => reference}
          pathOf={({ reference }) => `/payouts/${reference}`}
          groupOf={({ createdAt }) => ({
            key: dayOf(createdAt),
            line: <b>{formatLongDay(createdAt)}</b>,
          })}
          newLabel={words.showNew}
          foot={shown !== undefined && words.shownOf(list.rows.length, formatCount(shown))}
          empty={
            isFiltered ? (
              <EmptyState
                icon="search"
                action={<Button to="/payouts">{words.clearFilters}</Button>}
              >
                {words.emptyFiltered}
              </EmptyState>
            ) : (
              <EmptyState
                icon="payOut"
                action={
                  mayCreate && (
                    <Button kind="primary" icon="payOut" to="/payouts/new">
                      {words.create}
                    </Button>
                  )
                }
              >
                {words.empty}
              </EmptyState>
            )
          }
        />
      </Card>
    </>
  )
}

/** What waits for a second person, oldest first, refunds included. */
function Waiting() {
  const read = useRead<Pick<Page<Transfer>, 'items'>>('waiting payouts', `${path}/waiting`)
  const mayApprove = useMay('payouts.approve')
  const rows = read.data?.items ?? []
  if (rows.length === 0) return null
  const says = (transfer: Transfer) => {
    if (transfer.mayApprove) return words.waiting.yourTurn
    return mayApprove ? words.waiting.yours : words.waiting.mayNot
  }
  return (
    <Card title={words.waiting.title}>
      <DataTable
        caption={words.waiting.title}
        list={{ rows }}
        keyOf={({ reference }) => reference}
        pathOf={({ reference }) => `/payouts/${reference}`}
        empty={null}
        columns={[
          amountColumn,
          toColumn,
          {
            name: 'by',
            head: words.columns.by,
            isGrowing: true,
            cell: ({ createdBy, payment }) => (
              <span className="soft nw">
                {payment ? `${words.waiting.refund} · ` : ''}
                {createdBy?.name}
              </span>
            ),
          },
          {
            name: 'until',
            head: words.waiting.until,
            phone: 3,
            cell: ({ approval }) => (
              <span className="soft nw">{approval && <Time value={approval.expiresAt} />}</span>
            ),
          },
          {
            name: 'turn',
            head: words.columns.status,
            phone: 4,
            cell: (transfer) => (
              <span className={transfer.mayApprove ? 'b nw' : 'soft nw'}>{says(transfer)}</span>
            ),
          },
        ]}
      />
    </Card>
  )
}

/** `1,284`, or `10,000+` if the server counted no further. */
function formatCount(count: number | string): string {
  if (typeof count === 'number') return count.toLocaleString('en')
  return `${Number.parseInt(count, 10).toLocaleString('en')}+`
}

type TabProps = {
  name: string
  count: number | string | undefined
  isOn: boolean
  onClick: () => void
}

function Tab({ name, count, isOn, onClick }: TabProps) {
  return (
    <button type="button" className={isOn ? 'st on' : 'st'} aria-pressed={isOn} onClick={onClick}>
      <span className="soft sm">{name}</span>
      <b>{count === undefined ? '–' : formatCount(count)}</b>
    </button>
  )
}

function Export({ filters: given }: { filters: Record<string, string> }) {
  const [isBusy, setBusy] = useState(false)
  const save = async () => {
    setBusy(true)
    try {
      await download(path, given, 'payouts.csv')
    } catch (error) {
      await notify(toRefusal(error).message, 'bad')
    } finally {
      setBusy(false)
    }
  }
  return (
    <Button icon="download" isBusy={isBusy} onClick={() => void save()}>
      {texts.common.export}
    </Button>
  )
}
