import type { WebhookEvent } from '../../../../sdk/src/types'
import type { Column } from '../../parts/data-table'
import type { Filter } from '../../parts/filters'
import { Reference } from '../../parts/identifiers'
import { Time } from '../../parts/time'
import { eventOptions } from './event-types'
import { LogPage } from './log-page'
import { resourceOf } from './resource-of'
import { developerTexts } from './texts'

const words = developerTexts.events

const filters: Filter[] = [
  { kind: 'choice', name: 'type', label: words.filters.type, options: eventOptions },
  { kind: 'text', name: 'resource', label: words.filters.resource, placeholder: 'pay_…, bt_…' },
  { kind: 'period', label: words.filters.period },
]

export function Screen() {
  return (
    <LogPage<WebhookEvent>
      title={words.title}
      path="/v1/events"
      fileName="events.csv"
      filters={filters}
      columns={columns}
      words={words}
      newLabel={words.newEvents}
      pathOf={({ id }) => `/events/${id}`}
      icon="pulse"
      command={words.trigger}
    />
  )
}

const columns: Column<WebhookEvent>[] = [
  {
    name: 'type',
    head: words.columns.type,
    cell: ({ type }) => <span className="mono">{type}</span>,
    phone: 1,
  },
  {
    name: 'resource',
    head: words.columns.resource,
    cell: (event) => {
      const resource = resourceOf(event)
      return resource && <Reference value={resource} isShort />
    },
    phone: 3,
    isGrowing: true,
  },
  {
    name: 'sequence',
    head: words.columns.sequence,
    cell: ({ sequence }) => <span className="soft">{sequence}</span>,
    align: 'end',
    phone: 2,
    hasPhoneHead: true,
  },
  {
    name: 'id',
    head: words.columns.id,
    cell: ({ id }) => (
      <span className="soft no-wrap">
        <Reference value={id} isShort />
      </span>
    ),
    isWideOnly: true,
  },
  {
    name: 'when',
    head: words.columns.when,
    isSoft: true,
    cell: ({ timestamp }) => <Time value={timestamp} show="utcShort" />,
    phone: 4,
  },
]
