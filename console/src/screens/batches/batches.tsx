import { usePages } from '../../api/reads'
import { useMay } from '../../api/session'
import { ResourceList } from '../../frame/resource-list'
import { Button } from '../../parts/button'
import type { Column } from '../../parts/data-table'
import { type Filter, useFilters } from '../../parts/filters'
import { Money } from '../../parts/money'
import { Time } from '../../parts/time'
import { statusWords } from '../../texts/status'
import { FirstApprover } from '../payouts/approvers'
import { PayoutTabs } from '../payouts/payout-tabs'
import { payoutTexts } from '../payouts/texts'
import { type Batch, BatchStatus, path, titleOf } from './batch'
import { batchTexts as words } from './texts'

const filters: Filter[] = [
  {
    kind: 'choice',
    name: 'status',
    label: words.filters.status,
    options: Object.entries(statusWords.batch).map(([value, label]) => ({ value, label })),
  },
  { kind: 'period', label: words.filters.period },
]

const columns: Column<Batch>[] = [
  {
    name: 'name',
    head: words.columns.name,
    phone: 1,
    isGrowing: true,
    cell: (batch) => (
      <>
        <span className="under-name">{titleOf(batch)}</span>
        {batch.status === 'PENDING' && <FirstApprover approvers={batch.approvers} />}
      </>
    ),
  },
  {
    name: 'status',
    head: words.columns.status,
    phone: 4,
    cell: (batch) => <BatchStatus batch={batch} />,
  },
  {
    name: 'items',
    head: words.columns.items,
    align: 'end',
    cell: ({ items }) => items.toLocaleString('en'),
  },
  {
    name: 'total',
    head: words.columns.total,
    align: 'end',
    phone: 2,
    cell: ({ totalDebit, asset }) => (
      <b className="bold">
        <Money amount={totalDebit} asset={asset} />
      </b>
    ),
  },
  {
    name: 'by',
    head: words.columns.by,
    isWideOnly: true,
    cell: ({ createdBy }) => <span className="soft no-wrap">{createdBy?.name}</span>,
  },
  {
    name: 'created',
    head: words.columns.created,
    phone: 3,
    cell: ({ createdAt, kind, items }) => (
      <span className="soft no-wrap">
        <Time value={createdAt} show="clock" />
        <span className="phone-only"> · {words.kinds[kind](items)}</span>
      </span>
    ),
  },
]

export function Screen() {
  const mayCreate = useMay('payouts.create')
  const filtering = useFilters(filters)
  const list = usePages<Batch>(path, filtering.values)
  return (
    <ResourceList
      title={payoutTexts.title}
      tab={`${words.title} · ${payoutTexts.title}`}
      path={path}
      pagePath="/payouts/batches"
      fileName="batches.csv"
      filters={filters}
      filtering={filtering}
      list={list}
      columns={columns}
      icon="list"
      create={
        mayCreate && (
          <Button kind="primary" icon="plus" to="/payouts/batches/new">
            {words.create}
          </Button>
        )
      }
      words={words}
    >
      <PayoutTabs />
    </ResourceList>
  )
}
