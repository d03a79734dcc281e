import { Link } from '@tanstack/react-router'
import type { Resources } from '../../../../sdk/src/resources'
import { type Page, usePages, useRead } from '../../api/reads'
import { useMay } from '../../api/session'
import { ResourceList } from '../../frame/resource-list'
import { Button } from '../../parts/button'
import { formatCount, StatusTabs } from '../../parts/count-tab'
import { type Column, DataTable } from '../../parts/data-table'
import { type Filter, useFilters } from '../../parts/filters'
import { Icon } from '../../parts/icons'
import { Card } from '../../parts/page'
import { splitPath } from '../../parts/split-path'
import { Status } from '../../parts/status'
import { Time } from '../../parts/time'
import { statusWords } from '../../texts/status'
import { FrozenNote } from '../freezes/frozen-note'
import { FirstApprover } from './approvers'
import { amountColumn, createdColumn, statusColumn, toColumn } from './columns'
import { PayoutTabs } from './payout-tabs'
import { payoutTexts as words } from './texts'
import { copyPath, isForMembers, path, statusOf, type Transfer } from './transfer'

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

function columnsOf(mayCreate: boolean): Column<Transfer>[] {
  return [
    amountColumn,
    statusColumn,
    toColumn,
    {
      name: 'by',
      head: words.columns.by,
      isWideOnly: true,
      cell: ({ createdBy }) => <span className="soft no-wrap">{createdBy?.name}</span>,
    },
    createdColumn,
    ...(mayCreate ? [copyColumn] : []),
  ]
}

const copyColumn: Column<Transfer> = {
  name: 'copy',
  head: <span className="hidden">{words.columns.more}</span>,
  isWideOnly: true,
  cell: (transfer) => (
    <Link
      className="icon-button compact"
      {...splitPath(copyPath(transfer))}
      aria-label={words.copyAsNew}
      title={words.copyAsNew}
    >
      <Icon name="copy" />
    </Link>
  ),
}

type PayoutStatus = (typeof statuses)[number]
type Counts = Awaited<ReturnType<Resources['disbursements']['counts']>>

export function Screen() {
  const filtering = useFilters(filters, ['status'])
  const { values, change, isFiltered } = filtering
  const list = usePages<Transfer>(path, values)
  const { status, ...others } = values
  const counts = useRead<Counts>('payout counts', `${path}/counts`, others).data
  const mayCreate = useMay('payouts.create')
  const create = mayCreate && (
    <Button kind="primary" icon="payOut" to="/payouts/new">
      {words.create}
    </Button>
  )
  const countOf = (tabStatus?: PayoutStatus) =>
    tabStatus ? counts?.byStatus[tabStatus] : counts?.total
  const shown = countOf(status as PayoutStatus)
  return (
    <ResourceList
      title={words.title}
      path={path}
      pagePath="/payouts"
      fileName="payouts.csv"
      filters={filters}
      filtering={filtering}
      list={list}
      columns={columnsOf(mayCreate)}
      icon="payOut"
      create={create}
      foot={shown !== undefined && words.shownOf(list.rows.length, formatCount(shown))}
      words={words}
    >
      <PayoutTabs />
      <FrozenNote />
      <StatusTabs
        words={words}
        statuses={statuses}
        names={statusWords.payout}
        chosen={status}
        onChoose={(chosen) => change({ status: chosen })}
        countOf={(tabStatus) => ({ count: countOf(tabStatus) })}
      />
      {(!isFiltered || status === 'PENDING') && <Waiting />}
    </ResourceList>
  )
}

/** What waits for a second member, oldest first, refunds included. */
function Waiting() {
  const read = useRead<Pick<Page<Transfer>, 'items'>>('waiting payouts', `${path}/waiting`)
  const rows = read.data?.items ?? []
  if (rows.length === 0) return null
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
          {
            ...toColumn,
            cell: (transfer) => (
              <>
                {toColumn.cell(transfer)}
                {!isForMembers(transfer) ? (
                  <span className="under-name soft small">{words.waiting.callback}</span>
                ) : (
                  !transfer.mayApprove && <FirstApprover approvers={transfer.approvers} />
                )}
              </>
            ),
          },
          {
            name: 'by',
            head: words.columns.by,
            cell: ({ createdBy, payment }) => (
              <span className="soft no-wrap">
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
              <span className="soft no-wrap">
                {approval && <Time value={approval.expiresAt} />}
              </span>
            ),
          },
          {
            name: 'turn',
            head: words.columns.status,
            phone: 4,
            cell: (transfer) =>
              transfer.mayApprove && isForMembers(transfer) ? (
                <span className="bold no-wrap">{words.waiting.yourTurn}</span>
              ) : (
                <Status value={statusOf(transfer)} />
              ),
          },
        ]}
      />
    </Card>
  )
}
