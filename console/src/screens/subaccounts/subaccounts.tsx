import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import type { Subaccount, SubaccountBalance } from '../../../../sdk/src/types'
import { usePages } from '../../api/reads'
import { useMay } from '../../api/session'
import { ResourceList } from '../../frame/resource-list'
import { Button } from '../../parts/button'
import type { Column } from '../../parts/data-table'
import { type Filter, useFilters } from '../../parts/filters'
import { Money } from '../../parts/money'
import { toUnits } from '../../parts/money-format'
import { Time } from '../../parts/time'
import { statusWords } from '../../texts/status'
import { CreateDialog } from './subaccount-form'
import { SubaccountStatus } from './subaccount-status'
import { SubaccountTabs } from './subaccount-tabs'
import { subaccountTexts as words } from './texts'
import { path } from './use-subaccounts'

const filters: Filter[] = [
  {
    kind: 'choice',
    name: 'status',
    label: words.filters.status,
    options: Object.entries(statusWords.subaccount).map(([value, label]) => ({ value, label })),
  },
  { kind: 'text', name: 'externalReference', label: words.filters.externalReference },
  { kind: 'period', label: words.filters.period },
]

type Part = Exclude<keyof SubaccountBalance, 'asset'>

/** One amount a line: naira, and coins that it has. */
function Amounts({ balances, part }: { balances: SubaccountBalance[]; part: Part }) {
  return balances
    .filter((balance) => balance.asset === 'NGN' || toUnits(balance[part], balance.asset) !== 0n)
    .map((balance) => (
      <div key={balance.asset}>
        <Money amount={balance[part]} asset={balance.asset} />
      </div>
    ))
}

const columns: Column<Subaccount>[] = [
  {
    name: 'name',
    head: words.columns.name,
    isGrowing: true,
    phone: 1,
    cell: ({ name, externalReference, email }) => (
      <>
        <span className="under-name bold">{name}</span>
        <span className="under-name soft small">{externalReference ?? email}</span>
      </>
    ),
  },
  {
    name: 'available',
    head: words.columns.available,
    align: 'end',
    phone: 2,
    cell: ({ balances }) => (
      <b className="bold">
        <Amounts balances={balances} part="available" />
      </b>
    ),
  },
  {
    name: 'pending',
    head: words.columns.pending,
    align: 'end',
    isWideOnly: true,
    isSoft: true,
    cell: ({ balances }) => <Amounts balances={balances} part="pending" />,
  },
  {
    name: 'owed',
    head: words.columns.owed,
    align: 'end',
    isWideOnly: true,
    isSoft: true,
    cell: ({ balances }) => <Amounts balances={balances} part="owed" />,
  },
  {
    name: 'status',
    head: words.columns.status,
    phone: 4,
    cell: (subaccount) => <SubaccountStatus subaccount={subaccount} />,
  },
  {
    name: 'schedule',
    head: words.columns.schedule,
    isWideOnly: true,
    isSoft: true,
    cell: ({ settlement }) => (
      <span className="no-wrap">{words.schedules[settlement.schedule]}</span>
    ),
  },
  {
    name: 'created',
    head: words.columns.created,
    phone: 3,
    isSoft: true,
    cell: ({ createdAt }) => <Time value={createdAt} show="clock" />,
  },
]

export function Screen() {
  const filtering = useFilters(filters)
  const list = usePages<Subaccount>(path, filtering.values)
  const mayChange = useMay('subaccounts.change')
  const navigate = useNavigate()
  const [isCreating, setCreating] = useState(false)
  return (
    <>
      <ResourceList
        title={words.title}
        path={path}
        pagePath="/subaccounts"
        fileName="sub-accounts.csv"
        filters={filters}
        filtering={filtering}
        list={list}
        columns={columns}
        icon="store"
        create={
          mayChange && (
            <Button kind="primary" icon="plus" onClick={() => setCreating(true)}>
              {words.create}
            </Button>
          )
        }
        words={words}
      >
        <SubaccountTabs />
      </ResourceList>
      {isCreating && (
        <CreateDialog
          onClose={() => setCreating(false)}
          onCreated={({ reference }) => void navigate({ to: `/subaccounts/${reference}` })}
        />
      )}
    </>
  )
}
