import type { Invoice } from '../../../../sdk/src/types'
import type { Column } from '../../parts/data-table'
import { Money } from '../../parts/money'
import { Status } from '../../parts/status'
import { Time } from '../../parts/time'
import { CustomerName } from '../customers/customer-link'
import { formatDueDay } from './due-day'
import { invoiceTexts } from './texts'

const words = invoiceTexts.columns

export const invoiceColumns: Column<Invoice>[] = [
  {
    name: 'number',
    head: words.number,
    phone: 1,
    cell: ({ number }) => <b className="no-wrap">{number ?? invoiceTexts.draft}</b>,
  },
  {
    name: 'customer',
    head: words.customer,
    isGrowing: true,
    phone: 3,
    cell: ({ customer }) => <CustomerName reference={customer} />,
  },
  {
    name: 'status',
    head: words.status,
    phone: 4,
    cell: ({ status }) => <Status of="invoice" value={status} />,
  },
  {
    name: 'total',
    head: words.total,
    align: 'end',
    phone: 2,
    cell: ({ total, asset }) => (
      <b>
        <Money amount={total} asset={asset} />
      </b>
    ),
  },
  {
    name: 'due',
    head: words.due,
    align: 'end',
    isWideOnly: true,
    isSoft: true,
    cell: ({ amountDue, asset }) => <Money amount={amountDue} asset={asset} />,
  },
  {
    name: 'dueAt',
    head: words.dueAt,
    isSoft: true,
    cell: ({ dueAt }) => dueAt && <span className="no-wrap">{formatDueDay(dueAt)}</span>,
  },
  {
    name: 'created',
    head: words.created,
    isWideOnly: true,
    isSoft: true,
    cell: ({ createdAt }) => <Time value={createdAt} />,
  },
]

/** Those of one customer need no column that names it; phones show the due date there. */
export const columnsOfCustomer = invoiceColumns
  .filter(({ name }) => name !== 'customer')
  .map((column) => (column.name === 'dueAt' ? { ...column, phone: 3 as const } : column))
