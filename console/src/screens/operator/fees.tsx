import type { ListedMerchant } from '../../api/answers'
import { usePages } from '../../api/reads'
import { DataTable } from '../../parts/data-table'
import { type Filter, Filters, useFilters } from '../../parts/filters'
import { Card, EmptyState, PageHead } from '../../parts/page'
import { Amounts } from './amounts'
import { operatorTexts as t } from './texts'
import './operator.css'

const filters: Filter[] = [{ kind: 'text', name: 'q', label: t.merchants.search }]

/** Fees are those of a merchant: choose one. */
export function Screen() {
  const { values, change } = useFilters(filters)
  const list = usePages<ListedMerchant>('/operator/v1/merchants', values)
  return (
    <>
      <PageHead title={t.fees.title} over={t.fees.choose} />
      <Filters filters={filters} values={values} onChange={change} />
      <Card>
        <DataTable
          caption={t.merchants.caption}
          list={list}
          keyOf={({ id }) => id}
          pathOf={({ id }) => `/operator/fees/${id}`}
          empty={<EmptyState icon="store">{t.merchants.empty}</EmptyState>}
          columns={[
            {
              name: 'name',
              head: t.merchants.name,
              phone: 1,
              isGrowing: true,
              cell: ({ name }) => <b>{name}</b>,
            },
            {
              name: 'received',
              head: t.merchants.received,
              align: 'end',
              phone: 2,
              hasPhoneHead: true,
              cell: ({ received }) => <Amounts amounts={received.live} />,
            },
          ]}
        />
      </Card>
    </>
  )
}
