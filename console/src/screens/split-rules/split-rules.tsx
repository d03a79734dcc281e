import type { SplitRule } from '../../../../sdk/src/types'
import { usePages } from '../../api/reads'
import { useMay } from '../../api/session'
import { Button } from '../../parts/button'
import { type Column, DataTable } from '../../parts/data-table'
import { type Filter, Filters, useFilters } from '../../parts/filters'
import { Card, EmptyState, PageHead } from '../../parts/page'
import { Time } from '../../parts/time'
import { SubaccountTabs } from '../subaccounts/subaccount-tabs'
import { subaccountTexts } from '../subaccounts/texts'
import { useSubaccounts } from '../subaccounts/use-subaccounts'
import { describeShare } from './describe-line'
import { splitTexts as words } from './texts'

const filters: Filter[] = [{ kind: 'period', label: words.filters.period }]

const columns: Column<SplitRule>[] = [
  {
    name: 'name',
    head: words.columns.name,
    phone: 1,
    cell: ({ name }) => <b>{name}</b>,
  },
  {
    name: 'lines',
    head: words.columns.lines,
    isGrowing: true,
    phone: 3,
    isSoft: true,
    cell: (rule) => <Lines rule={rule} />,
  },
  {
    name: 'asset',
    head: words.columns.asset,
    isWideOnly: true,
    cell: ({ asset }) => asset ?? words.anyAsset,
  },
  {
    name: 'version',
    head: words.columns.version,
    align: 'end',
    phone: 2,
    hasPhoneHead: true,
    cell: ({ version }) => version.toLocaleString('en'),
  },
  {
    name: 'created',
    head: words.columns.created,
    phone: 4,
    isSoft: true,
    cell: ({ createdAt }) => <Time value={createdAt} />,
  },
]

/** `Ada Fabrics 12.5 %, Bola Shoes The remainder`, as far as it fits. */
function Lines({ rule: { lines, asset } }: { rule: SplitRule }) {
  const { items } = useSubaccounts()
  const names = new Map(items.map(({ reference, name }) => [reference, name]))
  const isNamed = lines.every(({ subaccount }) => names.has(subaccount))
  if (!isNamed) return words.lineCount(lines.length)
  return lines
    .map((line) => `${names.get(line.subaccount)}: ${describeShare(line, asset)}`)
    .join(' · ')
}

export function Screen() {
  const { values, change, isFiltered } = useFilters(filters)
  const list = usePages<SplitRule>('/v1/split-rules', values)
  const mayChange = useMay('subaccounts.change')
  const create = mayChange && (
    <Button kind="primary" icon="plus" to="/subaccounts/rules/new">
      {words.create}
    </Button>
  )
  return (
    <>
      <PageHead
        title={subaccountTexts.title}
        tab={`${words.title} · ${subaccountTexts.title}`}
        actions={create}
      />
      <SubaccountTabs />
      <Filters filters={filters} values={values} onChange={change} />
      <Card>
        <DataTable
          caption={words.caption}
          columns={columns}
          list={list}
          keyOf={({ reference }) => reference}
          pathOf={({ reference }) => `/subaccounts/rules/${reference}`}
          newLabel={words.showNew}
          empty={
            isFiltered ? (
              <EmptyState
                icon="search"
                action={<Button to="/subaccounts/rules">{words.clearFilters}</Button>}
              >
                {words.emptyFiltered}
              </EmptyState>
            ) : (
              <EmptyState icon="scale" action={create}>
                {words.empty}
              </EmptyState>
            )
          }
        />
      </Card>
    </>
  )
}
