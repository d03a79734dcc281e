import { useSearch } from '@tanstack/react-router'
import type { EndpointDelivery } from '../../../../sdk/src/types'
import { usePages } from '../../api/reads'
import { useMay } from '../../api/session'
import { useWrite } from '../../api/writes'
import { Button } from '../../parts/button'
import { type Column, DataTable } from '../../parts/data-table'
import { type Filter, Filters, useFilters } from '../../parts/filters'
import { notify, useNotifiedRefusal } from '../../parts/notify'
import { EmptyState } from '../../parts/page'
import { Chip } from '../../parts/status'
import { Time } from '../../parts/time'
import { formatDuration } from '../../parts/time-format'
import { statusWords } from '../../texts/status'
import { DeliveryDetail } from './delivery-detail'
import { eventOptions } from './event-types'
import { HttpStatus } from './http-status'
import { developerTexts } from './texts'

const words = developerTexts.webhooks
const statuses = statusWords.delivery

const filters: Filter[] = [
  {
    kind: 'choice',
    name: 'status',
    label: words.deliveryFilters.status,
    options: Object.entries(statuses).map(([value, label]) => ({ value, label })),
  },
  { kind: 'choice', name: 'type', label: words.deliveryFilters.type, options: eventOptions },
  { kind: 'period', label: words.deliveryFilters.period },
]

/** What was sent to one endpoint. A row opens below itself: its address names the event. */
export function EndpointDeliveries({ endpointId }: { endpointId: string }) {
  const search = useSearch({ strict: false }) as Record<string, string>
  const { values, change, isFiltered } = useFilters(filters)
  const path = `/v1/webhook-endpoints/${endpointId}/deliveries`
  const list = usePages<EndpointDelivery>(path, values, { keyOfRow: keyOf })
  const pathOf = ({ eventId }: EndpointDelivery) => {
    const { event, ...rest } = search
    const next = new URLSearchParams(event === eventId ? rest : { ...rest, event: eventId })
    return `/webhooks/${endpointId}?${next}`
  }
  return (
    <div className="logs">
      <div style={{ padding: '12px 20px' }}>
        <Filters filters={filters} values={values} onChange={change} isLive />
      </div>
      <DataTable
        caption={words.caption}
        columns={columnsOf(endpointId)}
        list={list}
        keyOf={keyOf}
        pathOf={pathOf}
        detailOf={({ eventId }) =>
          search.event === eventId && <DeliveryDetail eventId={eventId} endpointId={endpointId} />
        }
        empty={
          <EmptyState icon="hook">
            {isFiltered ? words.noMatches : words.noDeliveriesYet}
          </EmptyState>
        }
      />
    </div>
  )
}

const keyOf = ({ eventId }: EndpointDelivery) => eventId

const columnsOf = (endpointId: string): Column<EndpointDelivery>[] => [
  {
    name: 'event',
    head: words.columns.event,
    cell: ({ type }) => <span className="mono">{type}</span>,
    isGrowing: true,
    phone: 1,
  },
  {
    name: 'answer',
    head: words.columns.answer,
    cell: ({ lastAttempt, status }) => {
      if (!lastAttempt) return <Chip>{words.notTried}</Chip>
      if (status === 'GIVEN_UP') return <Chip tone="bad">{statuses.GIVEN_UP}</Chip>
      return <HttpStatus status={lastAttempt.status} none={words.noAnswer} />
    },
    phone: 2,
  },
  {
    name: 'tries',
    head: words.columns.tries,
    cell: ({ attemptCount }) => <span className="soft no-wrap">{words.tries(attemptCount)}</span>,
    phone: 3,
  },
  {
    name: 'next',
    head: words.columns.next,
    cell: ({ nextAttemptAt }) => (
      <span className="soft no-wrap">{describeNext(nextAttemptAt)}</span>
    ),
    isWideOnly: true,
  },
  {
    name: 'happened',
    head: words.columns.happened,
    isSoft: true,
    cell: ({ eventCreatedAt }) => <Time value={eventCreatedAt} show="utcShort" />,
    phone: 4,
  },
  {
    name: 'resend',
    head: <span className="hidden">{words.resend}</span>,
    cell: ({ eventId }) => <Resend eventId={eventId} endpointId={endpointId} />,
    align: 'end',
  },
]

function describeNext(nextAttemptAt: string | null): string {
  if (nextAttemptAt === null) return ''
  const waitMs = Date.parse(nextAttemptAt) - Date.now()
  return waitMs <= 0 ? words.nextNow : words.nextIn(formatDuration(waitMs))
}

/** Sends one event to one endpoint again. */
export function Resend({ eventId, endpointId }: { eventId: string; endpointId: string }) {
  const mayChange = useMay('developers.change')
  const { write, isBusy, refusal } = useWrite({ topics: ['deliveries'] })
  const resend = async () => {
    const sent = await write(`/v1/events/${eventId}/redeliver`, { endpointId })
    if (sent) void notify(words.resent)
  }
  useNotifiedRefusal(refusal)
  if (!mayChange) return null
  return (
    <Button size="small" icon="redo" isBusy={isBusy} onClick={() => void resend()}>
      {words.resend}
    </Button>
  )
}
