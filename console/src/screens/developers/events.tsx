import './deliveries.css'
import type { WebhookEvent } from '../../../../sdk/src/types'
import { usePages } from '../../api/reads'
import { useMay } from '../../api/session'
import { CopyBlock } from '../../parts/code'
import { type Column, DataTable } from '../../parts/data-table'
import { ExportButton } from '../../parts/export-button'
import { type Filter, Filters, useFilters } from '../../parts/filters'
import { Reference } from '../../parts/identifiers'
import { LiveBadge } from '../../parts/live-badge'
import { Card, EmptyState, PageHead } from '../../parts/page'
import { Time } from '../../parts/time'
import { texts } from '../../texts/en'
import { eventOptions } from './event-types'
import { resourceOf } from './resource-of'

const words = texts.developers.events

const filters: Filter[] = [
  { kind: 'choice', name: 'type', label: words.filters.type, options: eventOptions },
  { kind: 'text', name: 'resource', label: words.filters.resource, placeholder: 'pay_…, bt_…' },
  { kind: 'period', label: words.filters.period },
]

export function Screen() {
  const mayExport = useMay('exports.make')
  const { values, change } = useFilters(filters)
  const list = usePages<WebhookEvent>('/v1/events', values)
  const isFiltered = Object.keys(values).length > 0
  return (
    <>
      <PageHead
        title={words.title}
        actions={
          mayExport && <ExportButton path="/v1/events" filters={values} fileName="events.csv" />
        }
      />
      <Filters filters={filters} values={values} onChange={change}>
        <LiveBadge className="gap dk" />
      </Filters>
      <Card className="logs">
        <DataTable
          caption={words.caption}
          columns={columns}
          list={list}
          keyOf={({ id }) => id}
          pathOf={({ id }) => `/events/${id}`}
          newLabel={words.newEvents}
          empty={
            isFiltered ? (
              <EmptyState icon="search">{words.noMatches}</EmptyState>
            ) : (
              <EmptyState
                icon="pulse"
                action={
                  <div style={{ minWidth: 'min(420px, 100%)', textAlign: 'start' }}>
                    <CopyBlock text={words.trigger} />
                  </div>
                }
              >
                {words.empty}
              </EmptyState>
            )
          }
        />
      </Card>
    </>
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
  },
  {
    name: 'id',
    head: words.columns.id,
    cell: ({ id }) => (
      <span className="soft nw">
        <Reference value={id} isShort />
      </span>
    ),
    isWideOnly: true,
  },
  {
    name: 'when',
    head: words.columns.when,
    cell: ({ timestamp }) => (
      <span className="soft">
        <Time value={timestamp} show="utcShort" />
      </span>
    ),
    phone: 4,
  },
]
