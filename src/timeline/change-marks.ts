import type { EnvironmentId } from '../base/environment.js'
import { ownAccountNames } from '../ledger/accounts.js'
import { assetNames } from '../money/assets.js'
import { batchLimits } from '../payouts/limits.js'
import { named } from '../postgres/named.js'
import { sql } from '../postgres/sql.js'
import type { Queryable } from '../postgres/transactions/tx.js'
import { type Permissions, type ResourceKind, sees } from '../team/seen-with.js'
import { hintLimits } from './limits.js'

/** What a hint to an open console names: lists and figures that may have changed. */
export const changeTopics = [
  'payments',
  'payouts',
  'balances',
  'deliveries',
  'approvals',
  'requests',
  'batches',
  'cases',
  'notes',
  'clock',
] as const
export type ChangeTopic = (typeof changeTopics)[number]

/** What each topic is about: a console gets hints about what its user may see. */
const kinds: Record<ChangeTopic, ResourceKind> = {
  payments: 'payment',
  payouts: 'bank_transfer',
  balances: 'balance',
  deliveries: 'event',
  approvals: 'bank_transfer',
  requests: 'request',
  batches: 'batch',
  cases: 'case',
  // Every member sees payments, and notes are of what they see.
  notes: 'payment',
  // Everything is dated by the clock.
  clock: 'payment',
}

export function topicsSeen(permissions: Permissions): ChangeTopic[] {
  return changeTopics.filter((topic) => sees(permissions, kinds[topic]))
}

/** Where an environment stands. Two that differ mean that something was committed in between. */
export type ChangeMarks = {
  environmentId: EnvironmentId
  /** The newest events, as a map from id to type. */
  events: Record<string, string>
  /** Sums of its ledger accounts. */
  balances: string | null
  /** Those of the accounts of held money: a decision about a payment may have no event. */
  held: string | null
  /** Delivery attempts per endpoint in the newest hours. */
  deliveries: string | null
  /** The states and progress of open payout batches. */
  batches: string | null
  /** A proposed approval rule. */
  proposal: string | null
  /** The cases that were changed last; their `xmin` is that of the newest change. */
  cases: string | null
  /** The newest notes, and which of them are withdrawn. */
  notes: string | null
  /** What is frozen, and who asked to thaw it. */
  freezes: string | null
  /** The newest request with an API key: those of consoles would cause hints forever. */
  request: string | null
  /** How far the test clock is ahead. */
  clock: string | null
}

/**
 * Reads a few rows of each environment by index, so that changes cost nothing when they are made:
 * only open consoles cause reads. Several of the newest events, because they may be committed in
 * another order than that of their ids.
 */
export async function readChangeMarks(
  db: Queryable,
  environmentIds: EnvironmentId[],
): Promise<ChangeMarks[]> {
  const { eventsRead, requestsRead, casesRead, notesRead } = hintLimits
  const { batchesHintedMax } = batchLimits
  const sums = sql`concat_ws(' ', asset, name, debits_pending, debits_posted, credits_pending,
    credits_posted)`
  const rows = await db.rows(
    named(
      'change_marks',
      sql<Omit<ChangeMarks, 'events'> & { events: string }>`
        select e.id as environment_id,
          coalesce((select json_object_agg(n.id, n.type) from (
            select id, type from events where environment_id = e.id
            order by id desc limit ${eventsRead}::int) n), '{}')::text as events,
          l.balances, l.held,
          (select string_agg(concat_ws(' ', w.id, w.is_enabled, h.hour, h.delivered, h.failed), ','
              order by w.id)
            from webhook_endpoints w left join lateral (
              select hour, delivered, failed from delivery_hours
              where environment_id = e.id and endpoint_id = w.id
              order by hour desc limit 1) h on true
            where w.environment_id = e.id and w.deleted_at is null) as deliveries,
          (select string_agg(concat_ws(' ', b.id, b.state, b.valid_count, b.invalid_count,
              b.submitted_count, b.completed_count, b.failed_count), ',')
            from (select * from payout_batches
              where environment_id = e.id
                and state in ('VALIDATING', 'READY', 'INVALID', 'PENDING', 'PROCESSING')
              order by id desc limit ${batchesHintedMax}::int) b) as batches,
          (select s.id from setting_changes s
            where s.environment_id = e.id and s.state = 'OPEN') as proposal,
          (select string_agg(concat_ws(' ', c.id, c.xmin), ',')
            from (select id, xmin from cases where environment_id = e.id
              order by changed_at desc, id desc limit ${casesRead}::int) c) as cases,
          (select string_agg(concat_ws(' ', n.id, n.withdrawn_at), ',')
            from (select id, withdrawn_at from notes where environment_id = e.id
              order by id desc limit ${notesRead}::int) n) as notes,
          (select string_agg(concat_ws(' ', f.id, f.thaw_asked_by), ',' order by f.id)
            from payout_freezes f
            where f.thawed_at is null
              and (f.environment_id = e.id or f.environment_id is null)) as freezes,
          (select n.id from (
            select id, key_id from request_logs where environment_id = e.id
            order by id desc limit ${requestsRead}::int) n
            where n.key_id is not null order by n.id desc limit 1) as request,
          (select clock_offset_ms::text from environments where id = e.id) as clock
        from unnest(${environmentIds}::int[]) e (id)
        left join lateral (
          select string_agg(${sums}, ',' order by asset, name) as balances,
            string_agg(${sums}, ',' order by asset) filter (where name = 'suspense') as held
          from ledger_accounts
          where environment_id = e.id and asset = any (${assetNames}::text[])
            and name = any (${ownAccountNames}::text[])) l on true`,
    ),
  )
  return rows.map(({ events, ...marks }) => ({ ...marks, events: JSON.parse(events) }))
}

/** What may have changed between two readings. */
export function compareMarks(before: ChangeMarks, after: ChangeMarks): ChangeTopic[] {
  const changed = new Set<ChangeTopic>()
  for (const [id, type] of Object.entries(after.events)) {
    if (id in before.events) continue
    for (const topic of topicsOf(type)) changed.add(topic)
    // Its deliveries are new too.
    if (after.deliveries !== null) changed.add('deliveries')
  }
  if (before.balances !== after.balances) changed.add('balances')
  if (before.held !== after.held) changed.add('payments')
  if (before.deliveries !== after.deliveries) changed.add('deliveries')
  if (before.batches !== after.batches) changed.add('batches')
  if (before.proposal !== after.proposal) changed.add('approvals')
  if (before.cases !== after.cases) changed.add('cases')
  if (before.notes !== after.notes) changed.add('notes')
  if (before.freezes !== after.freezes) changed.add('payouts')
  if (before.request !== after.request) changed.add('requests')
  if (before.clock !== after.clock) changed.add('clock')
  return changeTopics.filter((topic) => changed.has(topic))
}

function topicsOf(type: string): ChangeTopic[] {
  if (/^(bank_transfer|crypto_transfer|settlement)\./.test(type)) return ['payouts', 'approvals']
  if (type.startsWith('batch.')) return ['batches', 'payouts']
  if (/^(balance|conversion)\./.test(type)) return ['balances']
  if (type.startsWith('webhook_endpoint.')) return ['deliveries']
  if (type.startsWith('case.')) return ['cases']
  return ['payments']
}
