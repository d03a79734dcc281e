import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import type { Customer } from '../../../../sdk/src/types'
import { usePages } from '../../api/reads'
import { useMay } from '../../api/session'
import { ResourceList } from '../../frame/resource-list'
import { Button } from '../../parts/button'
import type { Column } from '../../parts/data-table'
import { type Filter, useFilters } from '../../parts/filters'
import { Money } from '../../parts/money'
import { toUnits } from '../../parts/money-format'
import { Chip } from '../../parts/status'
import { Time } from '../../parts/time'
import { CreateDialog } from './customer-form'
import { customerTexts as words } from './texts'
import { path } from './use-customers'

const filters: Filter[] = [
  { kind: 'text', name: 'q', label: words.filters.search },
  { kind: 'period', label: words.filters.period },
]

const columns: Column<Customer>[] = [
  {
    name: 'name',
    head: words.columns.name,
    phone: 1,
    cell: ({ name, erasedAt }) => (
      <>
        <span className="under-name bold">{name}</span>
        {erasedAt && <Chip>{words.erased}</Chip>}
      </>
    ),
  },
  {
    name: 'email',
    head: words.columns.email,
    isGrowing: true,
    isSoft: true,
    phone: 3,
    cell: ({ email, phone }) => email ?? phone,
  },
  { name: 'phone', head: words.columns.phone, isWideOnly: true, isSoft: true, cell: showPhone },
  {
    name: 'reference',
    head: words.columns.reference,
    isWideOnly: true,
    isSoft: true,
    cell: ({ externalReference }) => externalReference,
  },
  {
    name: 'credit',
    head: words.columns.credit,
    align: 'end',
    phone: 2,
    cell: ({ credit }) => <Credit credit={credit} />,
  },
  {
    name: 'created',
    head: words.columns.created,
    phone: 4,
    isSoft: true,
    cell: ({ createdAt }) => <Time value={createdAt} show="clock" />,
  },
]

function showPhone({ phone }: Customer) {
  return <span className="no-wrap">{phone}</span>
}

/** One amount a line; nothing if there is none. */
function Credit({ credit }: Pick<Customer, 'credit'>) {
  return credit
    .filter(({ amount, asset }) => toUnits(amount, asset) > 0n)
    .map(({ amount, asset }) => (
      <div key={asset}>
        <Money amount={amount} asset={asset} />
      </div>
    ))
}

export function Screen() {
  const filtering = useFilters(filters)
  const list = usePages<Customer>(path, filtering.values)
  const mayChange = useMay('customers.change')
  const navigate = useNavigate()
  const [isCreating, setCreating] = useState(false)
  return (
    <>
      <ResourceList
        title={words.title}
        path={path}
        pagePath="/customers"
        fileName="customers.csv"
        filters={filters}
        filtering={filtering}
        list={list}
        columns={columns}
        icon="users"
        create={
          mayChange && (
            <Button kind="primary" icon="plus" onClick={() => setCreating(true)}>
              {words.create}
            </Button>
          )
        }
        words={words}
      />
      {isCreating && (
        <CreateDialog
          onClose={() => setCreating(false)}
          onCreated={({ reference }) => void navigate({ to: `/customers/${reference}` })}
        />
      )}
    </>
  )
}
