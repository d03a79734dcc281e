import type { Mail } from '../../../../sdk/src/types'
import { usePages } from '../../api/reads'
import { ResourceList } from '../../frame/resource-list'
import type { Column } from '../../parts/data-table'
import { type Filter, useFilters } from '../../parts/filters'
import { Time } from '../../parts/time'
import { MailState } from './mail-state'
import { MailTabs } from './mail-tabs'
import { mailTexts as words } from './texts'

const toOptions = (labels: Record<string, string>) =>
  Object.entries(labels).map(([value, label]) => ({ value, label }))

const { operator_alert: _, sign_in: __, test: ___, ...merchantKinds } = words.kinds

const filters: Filter[] = [
  { kind: 'text', name: 'recipient', label: words.recipient, placeholder: 'ada@example.com' },
  { kind: 'choice', name: 'status', label: words.state, options: toOptions(words.states) },
  { kind: 'choice', name: 'kind', label: words.kind, options: toOptions(merchantKinds) },
  { kind: 'period', label: words.period },
]

const columns: Column<Mail>[] = [
  {
    name: 'subject',
    head: words.columns.subject,
    isGrowing: true,
    phone: 1,
    cell: ({ subject }) => subject,
  },
  {
    name: 'state',
    head: words.columns.state,
    phone: 2,
    cell: ({ status }) => <MailState value={status} />,
  },
  {
    name: 'recipient',
    head: words.columns.recipient,
    phone: 3,
    cell: ({ recipient }) => <span className="soft">{recipient}</span>,
  },
  {
    name: 'when',
    head: words.columns.when,
    phone: 4,
    isSoft: true,
    cell: ({ createdAt }) => <Time value={createdAt} show="clock" />,
  },
]

export function Screen() {
  const filtering = useFilters(filters)
  const list = usePages<Mail>('/v1/mails', filtering.values)
  return (
    <ResourceList
      title={words.title}
      path="/v1/mails"
      pagePath="/mails"
      fileName="mails.csv"
      filters={filters}
      filtering={filtering}
      list={list}
      columns={columns}
      icon="mail"
      create={null}
      words={words}
    >
      <MailTabs />
    </ResourceList>
  )
}
