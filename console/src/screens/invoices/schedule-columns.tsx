import type { InvoiceSchedule } from '../../../../sdk/src/types'
import type { Column } from '../../parts/data-table'
import { Money } from '../../parts/money'
import { Status } from '../../parts/status'
import { Time } from '../../parts/time'
import { formatDay } from '../../parts/time-format'
import { CustomerName } from '../customers/customer-link'
import { describeRule, scheduleTexts } from './schedule-texts'

const words = scheduleTexts.columns

export const scheduleColumns: Column<InvoiceSchedule>[] = [
  {
    name: 'customer',
    head: words.customer,
    isGrowing: true,
    phone: 1,
    cell: ({ customer }) => <CustomerName reference={customer} />,
  },
  {
    name: 'rule',
    head: words.rule,
    phone: 3,
    cell: (schedule) => <span className="no-wrap">{describeRule(schedule)}</span>,
  },
  {
    name: 'status',
    head: words.status,
    phone: 4,
    cell: ({ status }) => <Status of="schedule" value={status} />,
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
    name: 'next',
    head: words.next,
    isSoft: true,
    cell: ({ nextOn }) => nextOn && <span className="no-wrap">{formatDay(nextOn)}</span>,
  },
  {
    name: 'runs',
    head: words.runs,
    align: 'end',
    isWideOnly: true,
    isSoft: true,
    cell: ({ runs }) => runs.toLocaleString('en'),
  },
  {
    name: 'created',
    head: words.created,
    isWideOnly: true,
    isSoft: true,
    cell: ({ createdAt }) => <Time value={createdAt} />,
  },
]
