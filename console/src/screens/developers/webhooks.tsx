import { commonTexts } from '../../texts/common'
import { developerTexts } from './texts'
import './deliveries.css'
import { Link, useParams } from '@tanstack/react-router'
import { useState } from 'react'
import type {
  WebhookEndpoint,
  WebhookEndpointStats,
  WebhookEndpointWithSecret,
} from '../../../../sdk/src/types'
import { type Page, useRead } from '../../api/reads'
import { useMay } from '../../api/session'
import { useWrite } from '../../api/writes'
import { Button } from '../../parts/button'
import { CopyBlock } from '../../parts/code'
import { notify } from '../../parts/notify'
import { Card, EmptyState, PageHead, SkeletonRows } from '../../parts/page'
import { ErrorState } from '../../parts/refusals'
import { Chip } from '../../parts/status'
import { EndpointDetail } from './endpoint-detail'
import { EndpointForm } from './endpoint-form'
import { SecretDialog } from './secret-dialog'

const words = developerTexts.webhooks

/** The endpoints, and below them the chosen one. */
export function Screen() {
  const { id } = useParams({ strict: false }) as { id?: string }
  const mayChange = useMay('developers.change')
  const mayRoute = useMay('endpoints.change')
  const list = useRead<Page<WebhookEndpoint>>('endpoints', '/v1/webhook-endpoints')
  const endpoints = list.data?.items ?? []
  const failing = endpoints.find(({ enabled, failingSince }) => enabled && failingSince)
  const shown = id ? endpoints.find((one) => one.id === id) : (failing ?? endpoints[0])
  const [isCreating, setCreating] = useState(false)
  const [secret, setSecret] = useState<string | null>(null)
  const test = useWrite<{ eventId: string }>({ topics: ['deliveries'] })
  const sendTest = async () => {
    const sent = await test.write(`/v1/webhook-endpoints/${shown!.id}/test`)
    void (sent ? notify(words.testSent) : undefined)
  }
  const created = (endpoint: WebhookEndpointWithSecret) => setSecret(endpoint.secret)
  return (
    <>
      <PageHead
        title={words.title}
        under={
          <>
            {words.intro} <span className="mono">{words.listen}</span>
          </>
        }
        actions={
          mayChange && (
            <>
              {shown?.enabled && (
                <Button icon="play" isBusy={test.isBusy} onClick={() => void sendTest()}>
                  {words.sendTest}
                </Button>
              )}
              {mayRoute && (
                <Button kind="primary" icon="plus" onClick={() => setCreating(true)}>
                  {words.add}
                </Button>
              )}
            </>
          )
        }
      />
      {test.refusal && (
        <Card>
          <ErrorState error={test.refusal} />
        </Card>
      )}
      <Card className="overflowing">
        {list.isPending && <SkeletonRows count={2} />}
        {list.error && !list.data && (
          <ErrorState error={list.error} retry={() => void list.refetch()} />
        )}
        {list.data && endpoints.length === 0 && <Empty />}
        {endpoints.length > 0 && (
          <ul className="list" aria-label={words.endpoints}>
            {endpoints.map((endpoint) => (
              <Row key={endpoint.id} endpoint={endpoint} isShown={endpoint === shown} />
            ))}
          </ul>
        )}
      </Card>
      {id && list.data && !shown && (
        <Card>
          <EmptyState icon="search">{commonTexts.notFoundText}</EmptyState>
        </Card>
      )}
      {shown && <EndpointDetail key={shown.id} endpoint={shown} onSecret={setSecret} />}
      {isCreating && <EndpointForm onCreated={created} onClose={() => setCreating(false)} />}
      {secret && <SecretDialog secret={secret} onClose={() => setSecret(null)} />}
    </>
  )
}

function Empty() {
  return (
    <EmptyState
      icon="hook"
      action={
        <div style={{ minWidth: 'min(420px, 100%)', textAlign: 'start' }}>
          <CopyBlock text={words.listen} />
        </div>
      }
    >
      {words.empty}
    </EmptyState>
  )
}

/** `shop.example/webhooks`. */
function shortUrl(url: string): string {
  return url.replace(/^https?:\/\//, '')
}

function Row({ endpoint, isShown }: { endpoint: WebhookEndpoint; isShown: boolean }) {
  const { id, url, description, events } = endpoint
  const named = events.includes('*') ? words.allEvents : events.join(', ')
  return (
    <li className={isShown ? 'selected' : ''}>
      <div className="text">
        <p className="ellipsis">
          <Link
            className="mono bold row-link"
            to={`/webhooks/${id}`}
            data-row=""
            aria-current={isShown ? 'true' : undefined}
          >
            {shortUrl(url)}
          </Link>
        </p>
        <p className="soft small ellipsis">{[description, named].filter(Boolean).join(' · ')}</p>
      </div>
      <Bars id={id} />
      <span className="hook-state">
        <EndpointState endpoint={endpoint} />
      </span>
    </li>
  )
}

function EndpointState({ endpoint }: { endpoint: WebhookEndpoint }) {
  const { enabled, failingSince, disabledReason } = endpoint
  if (enabled && failingSince) return <Chip tone="bad">{words.states.failing}</Chip>
  if (enabled) return <Chip tone="good">{words.states.healthy}</Chip>
  if (disabledReason === 'gone') return <Chip tone="bad">{words.states.gone}</Chip>
  if (disabledReason === 'failing') return <Chip tone="bad">{words.states.stopped}</Chip>
  return <Chip>{words.states.off}</Chip>
}

/** One bar an hour: red if attempts failed in it, grey if there were none. */
function Bars({ id }: { id: string }) {
  const { data } = useRead<WebhookEndpointStats>('stats', `/v1/webhook-endpoints/${id}/stats`)
  if (!data) return null
  const { delivered, failed, undelivered, hours } = data
  return (
    <div className="desktop-only">
      <span className="bars" role="img" aria-label={words.bars(delivered, failed)}>
        {hours.map((hour) => {
          const count = hour.delivered + hour.failed
          return (
            <i
              key={hour.from}
              className={count === 0 ? 'none' : hour.failed > 0 ? 'failed' : ''}
              style={count === 0 ? {} : { height: '100%' }}
            />
          )
        })}
      </span>
      <p className="soft small align-end">
        {delivered + failed + undelivered === 0
          ? words.noDeliveries
          : words.counts(delivered, undelivered)}
      </p>
    </div>
  )
}
