import { useState } from 'react'
import type { Recipient } from '../../../../sdk/src/types'
import { usePages } from '../../api/reads'
import { useMay } from '../../api/session'
import { ResourceList } from '../../frame/resource-list'
import { Button } from '../../parts/button'
import type { Column } from '../../parts/data-table'
import { type Filter, useFilters } from '../../parts/filters'
import { Status } from '../../parts/status'
import { Time } from '../../parts/time'
import { statusWords } from '../../texts/status'
import { PayoutTabs } from '../payouts/payout-tabs'
import { payoutTexts } from '../payouts/texts'
import { nameOf, placeOf } from './describe'
import { NewRecipient } from './new-recipient'
import { recipientTexts as words } from './texts'

const path = '/v1/recipients'

const filters: Filter[] = [
  {
    kind: 'choice',
    name: 'status',
    label: words.filters.status,
    options: Object.entries(statusWords.recipient).map(([value, label]) => ({ value, label })),
  },
  {
    kind: 'choice',
    name: 'kind',
    label: words.filters.kind,
    options: Object.entries(words.kinds).map(([value, label]) => ({ value, label })),
  },
  { kind: 'text', name: 'q', label: words.filters.search },
  { kind: 'period', label: words.filters.period },
]

const columns: Column<Recipient>[] = [
  {
    name: 'who',
    head: words.columns.who,
    phone: 1,
    isGrowing: true,
    cell: (recipient) => (
      <>
        <span className="under-name">{nameOf(recipient)}</span>
        {recipient.label !== null && recipient.accountName !== null && (
          <span className="under-name soft small">{recipient.accountName}</span>
        )}
      </>
    ),
  },
  {
    name: 'place',
    head: words.columns.place,
    phone: 3,
    isSoft: true,
    cell: (recipient) => <span className="no-wrap">{placeOf(recipient)}</span>,
  },
  {
    name: 'status',
    head: words.columns.status,
    phone: 4,
    cell: ({ status }) => <Status of="recipient" value={status} />,
  },
  {
    name: 'firstPaid',
    head: words.columns.firstPaid,
    isWideOnly: true,
    isSoft: true,
    cell: ({ firstPaidAt }) => (firstPaidAt ? <Time value={firstPaidAt} /> : words.neverPaid),
  },
  {
    name: 'created',
    head: words.columns.created,
    isWideOnly: true,
    isSoft: true,
    cell: ({ createdAt }) => <Time value={createdAt} show="clock" />,
  },
]

export function Screen() {
  const mayChange = useMay('recipients.change')
  const filtering = useFilters(filters)
  const list = usePages<Recipient>(path, filtering.values)
  const [isCreating, setCreating] = useState(false)
  return (
    <>
      <ResourceList
        title={payoutTexts.title}
        tab={`${words.title} · ${payoutTexts.title}`}
        path={path}
        pagePath="/payouts/recipients"
        fileName="recipients.csv"
        filters={filters}
        filtering={filtering}
        list={list}
        columns={columns}
        icon="bank"
        create={
          mayChange && (
            <Button kind="primary" icon="plus" onClick={() => setCreating(true)}>
              {words.create}
            </Button>
          )
        }
        words={words}
      >
        <PayoutTabs />
      </ResourceList>
      {isCreating && <NewRecipient onClose={() => setCreating(false)} />}
    </>
  )
}
