import type { InvoiceSchedule } from '../../../../sdk/src/types'
import { usePages } from '../../api/reads'
import { useMay } from '../../api/session'
import { ResourceList } from '../../frame/resource-list'
import { Button } from '../../parts/button'
import { type Filter, useFilters } from '../../parts/filters'
import { toOptions } from '../../parts/options'
import { statusWords } from '../../texts/status'
import { OfCustomer } from '../customers/of-customer'
import { InvoiceTabs } from './invoice-tabs'
import { scheduleColumns } from './schedule-columns'
import { scheduleTexts as words } from './schedule-texts'
import { invoiceTexts } from './texts'

const path = '/v1/invoice-schedules'

const filters: Filter[] = [
  {
    kind: 'choice',
    name: 'status',
    label: words.filters.status,
    options: toOptions(statusWords.schedule),
  },
  { kind: 'period', label: words.filters.period },
]

/** What makes invoices every month or week. */
export function Screen() {
  const filtering = useFilters(filters, ['customer'])
  const { values, change } = filtering
  const { customer } = values
  const list = usePages<InvoiceSchedule>(path, values)
  const mayChange = useMay('customers.change')
  return (
    <ResourceList
      title={invoiceTexts.title}
      tab={words.title}
      path={path}
      pagePath="/invoices/schedules"
      fileName="invoice-schedules.csv"
      filters={filters}
      filtering={filtering}
      list={list}
      columns={scheduleColumns}
      icon="clock"
      create={
        mayChange && (
          <Button
            kind="primary"
            icon="plus"
            to={`/invoices/schedules/new${customer ? `?customer=${customer}` : ''}`}
          >
            {words.create}
          </Button>
        )
      }
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
    </ResourceList>
  )
}
