import './collect.css'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import type { PaymentLink } from '../../../../sdk/src/types'
import { usePages } from '../../api/reads'
import { useMay } from '../../api/session'
import { Button } from '../../parts/button'
import { type Column, DataTable } from '../../parts/data-table'
import { ExportButton } from '../../parts/export-button'
import { type Filter, Filters, useFilters } from '../../parts/filters'
import { Card, EmptyState, PageHead } from '../../parts/page'
import { Time } from '../../parts/time'
import { CollectTabs } from './collect-tabs'
import { paymentLinksApi, paymentLinksPath } from './kinds'
import { LinkForm } from './link-form'
import { LinkPrice } from './link-price'
import { LinkState } from './link-state'
import { linkTexts as words } from './link-texts'
import { collectTexts } from './texts'

const filters: Filter[] = [{ kind: 'period', label: words.filters.period }]

const columns: Column<PaymentLink>[] = [
  {
    name: 'for',
    head: words.columns.for,
    cell: ({ description }) => description,
    isGrowing: true,
    phone: 1,
  },
  {
    name: 'status',
    head: words.columns.status,
    cell: ({ status }) => <LinkState value={status} />,
    phone: 2,
  },
  {
    name: 'price',
    head: words.columns.price,
    cell: (link) => (
      <span className="no-wrap">
        <LinkPrice link={link} />
      </span>
    ),
    align: 'end',
    phone: 3,
  },
  {
    name: 'uses',
    head: words.columns.uses,
    cell: ({ uses, usesMax }) => <span className="no-wrap">{words.used(uses, usesMax)}</span>,
    align: 'end',
  },
  {
    name: 'created',
    head: words.columns.created,
    isSoft: true,
    cell: ({ createdAt }) => <Time value={createdAt} />,
    phone: 4,
  },
]

/** Pages that many customers pay on. */
export function Screen() {
  const navigate = useNavigate()
  const mayCreate = useMay('collect.create')
  const mayExport = useMay('exports.make')
  const [isCreating, setCreating] = useState(false)
  const { values, change, isFiltered } = useFilters(filters)
  const list = usePages<PaymentLink>(paymentLinksApi, values)
  const create = mayCreate && (
    <Button kind="primary" icon="plus" onClick={() => setCreating(true)}>
      {words.create}
    </Button>
  )
  return (
    <>
      <PageHead
        title={collectTexts.title}
        tab={words.title}
        actions={
          <>
            {mayExport && (
              <ExportButton path={paymentLinksApi} filters={values} fileName="payment-links" />
            )}
            {create}
          </>
        }
      />
      <CollectTabs />
      <Filters filters={filters} values={values} onChange={change} />
      <Card>
        <DataTable
          caption={words.caption}
          columns={columns}
          list={list}
          keyOf={({ reference }) => reference}
          pathOf={({ reference }) => `${paymentLinksPath}/${reference}`}
          empty={
            isFiltered ? (
              <EmptyState icon="search">{words.noMatches}</EmptyState>
            ) : (
              <EmptyState icon="link" action={create}>
                {words.empty}
              </EmptyState>
            )
          }
        />
      </Card>
      {isCreating && (
        <LinkForm
          onSaved={({ reference }) => void navigate({ to: `${paymentLinksPath}/${reference}` })}
          onClose={() => setCreating(false)}
        />
      )}
    </>
  )
}
