import type { Resources } from '../../../../sdk/src/resources'
import type { Invoice } from '../../../../sdk/src/types'
import { usePages, useRead } from '../../api/reads'
import { useMay } from '../../api/session'
import { ResourceList } from '../../frame/resource-list'
import { Button } from '../../parts/button'
import { formatCount, StatusTabs } from '../../parts/count-tab'
import { type Filter, useFilters } from '../../parts/filters'
import { statusWords } from '../../texts/status'
import { OfCustomer } from '../customers/of-customer'
import { invoiceColumns } from './columns'
import { InvoiceTabs } from './invoice-tabs'
import { invoiceTexts as words } from './texts'

const path = '/v1/invoices'
const statuses = ['DRAFT', 'OPEN', 'OVERDUE', 'PARTIALLY_PAID', 'PAID', 'VOID'] as const
type InvoiceStatus = (typeof statuses)[number]
type Counts = Awaited<ReturnType<Resources['invoices']['counts']>>

const filters: Filter[] = [{ kind: 'period', label: words.filters.period }]

export function Screen() {
  const filtering = useFilters(filters, ['status', 'customer'])
  const { values, change } = filtering
  const { status, ...others } = values
  const list = usePages<Invoice>(path, values)
  const counts = useRead<Counts>('invoice counts', `${path}/counts`, others).data
  const countOf = (tabStatus?: InvoiceStatus) =>
    tabStatus ? counts?.byStatus[tabStatus] : counts?.total
  const shown = countOf(status as InvoiceStatus)
  const mayChange = useMay('customers.change')
  const { customer } = values
  return (
    <ResourceList
      title={words.title}
      path={path}
      pagePath="/invoices"
      fileName="invoices.csv"
      filters={filters}
      filtering={filtering}
      list={list}
      columns={invoiceColumns}
      icon="file"
      create={
        mayChange && (
          <Button
            kind="primary"
            icon="plus"
            to={customer ? `/invoices/new?customer=${customer}` : '/invoices/new'}
          >
            {words.create}
          </Button>
        )
      }
      foot={shown !== undefined && words.shownOf(list.rows.length, formatCount(shown))}
      words={words}
    >
      <InvoiceTabs />
      {customer && (
        <OfCustomer
          words={words}
          reference={customer}
          onClear={() => change({ customer: undefined })}
        />
      )}
      <StatusTabs
        words={words}
        statuses={statuses}
        names={statusWords.invoice}
        chosen={status}
        onChoose={(chosen) => change({ status: chosen })}
        countOf={(tabStatus) => ({ count: countOf(tabStatus) })}
      />
    </ResourceList>
  )
}
