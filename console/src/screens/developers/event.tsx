import { developerTexts } from './texts'
import './deliveries.css'
import { Link, useParams } from '@tanstack/react-router'
import type { EventDelivery, WebhookEvent } from '../../../../sdk/src/types'
import { type Page, useRead } from '../../api/reads'
import { useMay } from '../../api/session'
import { useWrite } from '../../api/writes'
import { pathOfReference } from '../../frame/paths-of'
import { Button } from '../../parts/button'
import { JsonView } from '../../parts/code'
import { Reference, shorten } from '../../parts/identifiers'
import { notify } from '../../parts/notify'
import { Card, EmptyState, Fact, Facts, PageHead, Skeleton } from '../../parts/page'
import { ErrorState, Refusal } from '../../parts/refusals'
import { Chip } from '../../parts/status'
import { Time } from '../../parts/time'
import { statusWords } from '../../texts/status'
import { Attempts } from './delivery-detail'
import { Resend } from './endpoint-deliveries'
import { resourceOf } from './resource-of'

const words = developerTexts.events
const statuses = statusWords.delivery
const tones = { PENDING: 'brand', DELIVERED: 'good', GIVEN_UP: 'bad' } as const

export function Screen() {
  const { id = '' } = useParams({ strict: false }) as { id?: string }
  const event = useRead<WebhookEvent>('event', `/v1/events/${id}`)
  const mayChange = useMay('developers.change')
  const { write, isBusy, refusal } = useWrite<{ deliveries: number }>({ topics: ['deliveries'] })
  const resend = async () => {
    const sent = await write(`/v1/events/${id}/redeliver`)
    if (sent) void notify(words.resent(sent.deliveries))
  }
  const resource = event.data ? resourceOf(event.data) : undefined
  const link = resource && pathOfReference(resource)
  return (
    <>
      <PageHead
        title={<span className="mono-title">{event.data?.type ?? words.title}</span>}
        tab={event.data?.type ?? words.title}
        parent={{ to: '/events', label: words.title, current: id }}
        actions={
          mayChange && (
            <Button icon="redo" isBusy={isBusy} onClick={() => void resend()}>
              {words.resendAll}
            </Button>
          )
        }
      />
      <Refusal error={refusal} />
      {event.error && (
        <Card>
          <ErrorState error={event.error} retry={() => void event.refetch()} />
        </Card>
      )}
      {event.isPending && <Skeleton height={300} />}
      {event.data && (
        <div className="with-aside wide-aside">
          <div className="stack">
            <Deliveries id={id} />
            <Card title={words.payload}>
              <div className="padded" style={{ paddingTop: 0 }}>
                <JsonView value={event.data} label={words.payload} />
              </div>
            </Card>
          </div>
          <Card title={words.columns.id}>
            <Facts>
              <Fact name={words.facts.id}>
                <Reference value={id} isShort />
              </Fact>
              <Fact name={words.facts.resource}>
                {resource &&
                  (link ? (
                    <Link className="link mono" to={link} title={resource}>
                      {shorten(resource)}
                    </Link>
                  ) : (
                    <Reference value={resource} isShort />
                  ))}
              </Fact>
              <Fact name={words.facts.sequence}>{event.data.sequence}</Fact>
              <Fact name={words.facts.happened}>
                <Time value={event.data.timestamp} show="utc" />
              </Fact>
              <Fact name={words.facts.mode}>{event.data.mode}</Fact>
            </Facts>
          </Card>
        </div>
      )}
    </>
  )
}

function Deliveries({ id }: { id: string }) {
  const { data, error, refetch } = useRead<Page<EventDelivery>>(
    'deliveries',
    `/v1/events/${id}/deliveries`,
  )
  return (
    <Card title={words.deliveries}>
      {error && !data && <ErrorState error={error} retry={() => void refetch()} />}
      {data?.items.length === 0 && <EmptyState icon="hook">{words.notSent}</EmptyState>}
      {data?.items.map((delivery) => (
        <section key={delivery.endpointId} className="top-line">
          <div className="card-head wrap">
            <div className="row wrap" style={{ minWidth: 0 }}>
              <Link
                className="mono bold break-anywhere"
                to={`/webhooks/${delivery.endpointId}`}
                data-row=""
              >
                {delivery.url}
              </Link>
              <Chip tone={tones[delivery.status]}>{statuses[delivery.status]}</Chip>
            </div>
            <Resend eventId={id} endpointId={delivery.endpointId} />
          </div>
          <div style={{ padding: '0 20px 16px' }}>
            <div className="box">
              <Attempts delivery={delivery} />
            </div>
          </div>
        </section>
      ))}
    </Card>
  )
}
