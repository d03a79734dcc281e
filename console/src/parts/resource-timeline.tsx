import { Link } from '@tanstack/react-router'
import type { Timeline as Answer, TimelineItem } from '../../../sdk/src/types'
import { useRead } from '../api/reads'
import { useMay } from '../api/session'
import { timelineTexts } from '../texts/timeline'
import type { IconName } from './icons'
import { shorten } from './identifiers'
import { LiveBadge } from './live-badge'
import { Card, SkeletonRows } from './page'
import { Chip, type Tone } from './status'
import { formatDuration } from './time-format'
import { type Step, Timeline } from './timeline'
import { WhenRead } from './when-read'

type Kind = TimelineItem['kind']

const looks: Partial<Record<Kind, { icon: IconName; tone?: Tone }>> = {
  session_created: { icon: 'code' },
  session_opened: { icon: 'link' },
  account_opened: { icon: 'bank' },
  payment_received: { icon: 'bank' },
  notice_received: { icon: 'bell' },
  payment_judged: { icon: 'check', tone: 'good' },
  payout_pending: { icon: 'clock', tone: 'warn' },
  payout_approved: { icon: 'finger', tone: 'good' },
  payout_rejected: { icon: 'close', tone: 'bad' },
  payout_submitted: { icon: 'payOut', tone: 'brand' },
  payout_attempt: { icon: 'play' },
  payout_attempt_ended: { icon: 'check' },
  payout_ended: { icon: 'check', tone: 'good' },
  review_required: { icon: 'alert', tone: 'warn' },
  operator_decision: { icon: 'shield' },
  return_created: { icon: 'redo', tone: 'brand' },
  return_ended: { icon: 'redo' },
  invoice_created: { icon: 'file' },
  invoice_finalized: { icon: 'check', tone: 'brand' },
  invoice_paid: { icon: 'payIn', tone: 'good' },
  invoice_credited: { icon: 'redo' },
  invoice_refunded: { icon: 'redo' },
  invoice_voided: { icon: 'close' },
  schedule_created: { icon: 'clock', tone: 'brand' },
  schedule_ended: { icon: 'close' },
  case_opened: { icon: 'scale', tone: 'brand' },
  case_item_added: { icon: 'plus' },
  case_item_removed: { icon: 'close' },
  case_closed: { icon: 'check', tone: 'good' },
}

/** What happened to a payment or payout, with its webhooks, from `GET /v1/timeline`. */
export function ResourceTimeline({ reference }: { reference: string }) {
  const read = useRead<Answer>('timeline', `/v1/timeline/${reference}`)
  return (
    <Card title={timelineTexts.title} aside={<LiveBadge />}>
      <WhenRead read={read} placeholder={<SkeletonRows count={4} />}>
        {({ items, truncated }) => (
          <>
            <Timeline steps={toSteps(items)} />
            {truncated && <p className="soft small padded">{timelineTexts.more}</p>}
          </>
        )}
      </WhenRead>
    </Card>
  )
}

/** Entries of the ledger, events and deliveries belong to the step before them. */
function toSteps(items: TimelineItem[]): Step[] {
  const deliveries = items.filter(({ kind }) => kind === 'webhook_delivery')
  const steps: Step[] = []
  let notes: TimelineItem[] = []
  let events: TimelineItem[] = []
  for (const [at, item] of items.entries()) {
    if (item.kind === 'webhook_delivery') continue
    if (item.kind === 'event') events.push(item)
    else if (item.kind === 'ledger_entry') notes.push(item)
    else {
      steps.push(toStep(item, { at, notes, events, deliveries }))
      notes = []
      events = []
    }
  }
  return steps
}

type Parts = {
  at: number
  notes: TimelineItem[]
  events: TimelineItem[]
  deliveries: TimelineItem[]
}

function toStep(item: TimelineItem, { at, notes, events, deliveries }: Parts): Step {
  const { icon, tone } = looks[item.kind] ?? { icon: 'clock' as const }
  const isHeld = notes.some(({ details }) => details.purpose === 'payment_held')
  const isBad = /failed|came back/i.test(item.title)
  return {
    key: `${at} ${item.kind}`,
    icon: isHeld ? 'held' : icon,
    tone: isHeld ? 'warn' : isBad ? 'bad' : (tone ?? 'calm'),
    title: titleOf(item),
    at: item.at,
    text: [...notes.toReversed().map(({ title }) => title), item.details.note ?? '']
      .filter((text) => text !== '')
      .join(' · '),
    more: <Events events={events.toReversed()} deliveries={deliveries} />,
  }
}

/** The server names references in full and outcomes as the API has them. */
function titleOf({ kind, title, reference }: TimelineItem): string {
  if (kind === 'case_closed') return timelineTexts.caseClosed
  const item = shorten(reference ?? '')
  if (kind === 'case_item_added') return timelineTexts.caseItemAdded(item)
  return kind === 'case_item_removed' ? timelineTexts.caseItemRemoved(item) : title
}

type EventsProps = { events: TimelineItem[]; deliveries: TimelineItem[] }

/** How the webhooks of a step went. Names of events are for the pages of developers. */
function Events({ events, deliveries }: EventsProps) {
  const maySee = useMay('developers.see')
  return events.map((event) => {
    const sent = deliveries.filter(({ details }) => details.eventId === event.reference)
    if (sent.length === 0) return null
    return (
      <p key={event.reference} className="row small webhooks">
        <span className="soft">{timelineTexts.webhook}</span>
        {sent.map(({ details }) => (
          <Delivery key={details.endpointId} details={details} />
        ))}
        {maySee && (
          <Link className="link desktop-only" to={`/events/${event.reference}`}>
            {timelineTexts.view}
          </Link>
        )}
      </p>
    )
  })
}

function Delivery({ details }: { details: TimelineItem['details'] }) {
  const { status, httpStatus, durationMs, error } = details
  const tone = status === 'DELIVERED' ? 'good' : status === 'FAILED' ? 'bad' : 'warn'
  if (httpStatus === undefined)
    return <Chip tone={error ? 'bad' : 'calm'}>{error ?? timelineTexts.waiting}</Chip>
  return (
    <Chip tone={tone}>{timelineTexts.delivered(httpStatus, formatDuration(durationMs ?? 0))}</Chip>
  )
}
