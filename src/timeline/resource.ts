import Type, { type Static } from 'typebox'
import { prefixes } from '../base/ids.js'
import {
  anyAmount,
  anyAsset,
  flag,
  orNull,
  referenceSample,
  resource,
  text,
  time,
  timestamp,
  withDescription,
} from '../base/shapes.js'
import { toWire } from '../money/amounts.js'
import type { Asset } from '../money/assets.js'

/** What an item of a timeline is about. */
export const timelineKinds = [
  'session_created',
  'session_opened',
  'account_opened',
  'payment_received',
  'notice_received',
  'payment_judged',
  'ledger_entry',
  'payout_pending',
  'payout_approved',
  'payout_rejected',
  'payout_submitted',
  'payout_attempt',
  'payout_attempt_ended',
  'payout_ended',
  'review_required',
  'operator_decision',
  'member_action',
  'return_created',
  'return_ended',
  'invoice_created',
  'invoice_finalized',
  'invoice_paid',
  'invoice_credited',
  'invoice_refunded',
  'invoice_voided',
  'schedule_created',
  'schedule_ended',
  'case_opened',
  'case_item_added',
  'case_item_removed',
  'case_closed',
  'event',
  'webhook_delivery',
] as const

export type TimelineKind = (typeof timelineKinds)[number]

const integer = (example: number, description: string) =>
  Type.Integer({ description, examples: [example] })

/** Each kind has some of these. */
const details = {
  status: text('DELIVERED', 'State of the attempt, return or delivery, or outcome of the case.'),
  reason: text('operator_decision', 'Why it failed or ended, or why a payment was refunded.'),
  note: text('Two loaves instead of one', 'Your note about a refund or an outcome.'),
  variance: text('UNDERPAID', 'How the payment differed from what was expected.'),
  sender: text('ADA OBI', 'Who paid: a name or a wallet address.'),
  moved: flag(
    true,
    'What was paid was moved to other invoices or to credit; absent if not all of it.',
  ),
  purpose: text('payment', 'What the ledger entry is for.'),
  effect: text('post', '`post`, `hold`, `settle` or `release`.'),
  from: text('the bank', 'Where the money came from.'),
  to: text('your balance', 'Where the money went.'),
  balanceAfter: withDescription(anyAmount, 'Available balance after the ledger entry.'),
  attempt: integer(1, 'Number of the attempt, or how many there were.'),
  signature: text('5h6xBEauJ3PK6SWC', 'Transaction signature of the attempt.'),
  type: text('virtual_account.paid', 'Type of the event.'),
  eventId: text(referenceSample(prefixes.event), 'The event of the delivery.'),
  endpointId: text(referenceSample(prefixes.webhookEndpoint), 'The webhook endpoint.'),
  url: text('https://shop.example/webhooks', 'URL of the delivery.'),
  httpStatus: integer(200, 'HTTP status of the latest attempt.'),
  error: text('connection refused', 'Why the latest attempt got no response.'),
  durationMs: integer(84, 'Duration of the latest attempt in milliseconds.'),
  nextAttemptAt: withDescription(time, 'When the next attempt is due.'),
}

const timelineItem = resource('TimelineItem', {
  at: timestamp(
    'When it happened. Where the test clock was moved: real time for events and deliveries.',
  ),
  kind: Type.Enum([...timelineKinds], {
    description: 'What the item is about.',
    examples: ['webhook_delivery'],
  }),
  title: text('Webhook delivered to https://shop.example/webhooks in 84 ms', 'A plain sentence.'),
  reference: orNull(
    text(referenceSample(prefixes.event)),
    'The resource that the item is about, if it has a reference.',
  ),
  amount: orNull(anyAmount, 'Null if no amount belongs to it.'),
  currency: orNull(anyAsset, 'Currency of `amount`; null without one.'),
  details: Type.Partial(Type.Object(details), { description: 'Fields that only some kinds have.' }),
})

export const timeline = resource('Timeline', {
  reference: text(
    referenceSample(prefixes.payment),
    'The payment, transfer, return, account, wallet, checkout session, invoice, schedule or case.',
  ),
  items: Type.Array(timelineItem, { description: 'Newest first.' }),
  truncated: flag(false, 'Whether older or further items were left out.'),
})

export type TimelineDetails = Static<typeof timelineItem>['details']

export type TimelineItem = {
  at: Date
  /** Whether `at` is in the time of the environment, whose test clock may be ahead. */
  isInEnvironmentTime: boolean
  kind: TimelineKind
  title: string
  reference: string | null
  money: { amount: bigint; asset: Asset } | null
  details: TimelineDetails
}

export function showTimelineItem({
  at,
  kind,
  title,
  reference,
  money,
  details,
}: TimelineItem): Static<typeof timelineItem> {
  return {
    at: at.toISOString(),
    kind,
    title,
    reference,
    amount: money === null ? null : toWire(money.amount, money.asset),
    currency: money?.asset ?? null,
    details,
  }
}
