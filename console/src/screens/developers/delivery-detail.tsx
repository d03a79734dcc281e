import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import type { EventDelivery, WebhookEvent } from '../../../../sdk/src/types'
import { type Page, useRead } from '../../api/reads'
import { pathOfReference } from '../../frame/paths-of'
import { JsonView } from '../../parts/code'
import { shorten } from '../../parts/identifiers'
import { Skeleton } from '../../parts/page'
import { ErrorState } from '../../parts/refusals'
import { Time } from '../../parts/time'
import { formatDuration } from '../../parts/time-format'
import { HttpStatus } from './http-status'
import { resourceOf } from './resource-of'
import { developerTexts } from './texts'

const words = developerTexts.webhooks

/** One delivery: every attempt with its answer, and what was sent. */
export function DeliveryDetail({ eventId, endpointId }: { eventId: string; endpointId: string }) {
  const path = `/v1/events/${eventId}`
  const event = useRead<WebhookEvent>('event', path)
  const deliveries = useRead<Page<EventDelivery>>('deliveries', `${path}/deliveries`)
  const error = event.error ?? deliveries.error
  if (error) return <ErrorState error={error} />
  if (!event.data || !deliveries.data)
    return (
      <div className="split">
        <Skeleton height={180} />
        <Skeleton height={180} />
      </div>
    )
  const delivery = deliveries.data.items.find((one) => one.endpointId === endpointId)
  const resource = resourceOf(event.data)
  const link = resource && pathOfReference(resource)
  return (
    <div className="split">
      <div className="box">
        <div className="box-head">
          <h3>{words.attempts}</h3>
          {link && (
            <Link className="link mono" to={link}>
              {shorten(resource)}
            </Link>
          )}
        </div>
        {delivery && <Attempts delivery={delivery} />}
      </div>
      <div className="box">
        <div className="box-head">
          <h3>{words.sent}</h3>
          <Link className="link mono" to={`/events/${eventId}`}>
            {shorten(eventId)}
          </Link>
        </div>
        <JsonView value={event.data} label={words.sent} />
      </div>
    </div>
  )
}

/** Newest first. The chosen attempt, at first the newest, shows its answer. */
export function Attempts({ delivery }: { delivery: EventDelivery }) {
  const attempts = [...delivery.attempts].sort((a, b) => b.number - a.number)
  const [chosen, setChosen] = useState<number | null>(null)
  const shown = attempts.find(({ number }) => number === chosen) ?? attempts[0]
  if (!shown) return <p className="soft padded">{words.noAttempts}</p>
  return (
    <>
      <ol className="attempts" style={{ maxHeight: 220, overflow: 'auto' }}>
        {attempts.map((attempt) => (
          <li key={attempt.number} className={attempt === shown ? 'selected' : ''}>
            <button
              type="button"
              aria-pressed={attempt === shown}
              onClick={() => setChosen(attempt.number)}
            >
              <span className="soft">{attempt.number}</span>
              <HttpStatus status={attempt.status} none={words.noAnswer} />
              <span className="soft no-wrap">{formatDuration(attempt.durationMs)}</span>
              <span className="mono soft ellipsis desktop-only">{attempt.error}</span>
              <span className="soft push-end">
                <Time value={attempt.startedAt} show="utcShort" />
              </span>
            </button>
          </li>
        ))}
      </ol>
      <pre
        tabIndex={0}
        role="region"
        aria-label={words.answer}
        className="soft"
        style={{ borderTop: '1px solid var(--hair)' }}
      >
        {[shown.status === null ? words.noAnswer : `HTTP ${shown.status}`, shown.error]
          .filter(Boolean)
          .join(': ')}
        {'\n\n'}
        {shown.response || words.noBody}
      </pre>
    </>
  )
}
