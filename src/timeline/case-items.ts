import { type Case, type CaseItemKind, caseReference, itemReference } from '../cases/case.js'
import { sql } from '../postgres/sql.js'
import type { Queryable } from '../postgres/transactions/tx.js'
import { timelineLimits } from './limits.js'
import type { TimelineItem, TimelineKind } from './resource.js'

type LinkRow = { kind: CaseItemKind; resourceId: string; addedAt: Date; removedAt: Date | null }

/** Of a case: what was added to it and removed; and whether some was left out. */
export async function readCaseItems(
  db: Queryable,
  found: Case,
): Promise<{ items: TimelineItem[]; isTruncated: boolean }> {
  const { stepsMax } = timelineLimits
  const newest = await readLinks(db, found, stepsMax + 1)
  const reference = caseReference(found)
  const { createdAt, closedAt, outcome, outcomeNote } = found
  const items = [
    toItem('case_opened', { at: createdAt, title: 'Case opened', reference }),
    ...newest.slice(0, stepsMax).toReversed().flatMap(toLinkItems),
  ]
  if (closedAt)
    items.push({
      ...toItem('case_closed', { at: closedAt, title: `Case closed: ${outcome}`, reference }),
      details: { status: outcome!, ...(outcomeNote !== null && { note: outcomeNote }) },
    })
  return { items, isTruncated: newest.length > stepsMax }
}

function toLinkItems({ kind, resourceId, addedAt, removedAt }: LinkRow): TimelineItem[] {
  const reference = itemReference({ kind, resourceId })
  const added = { at: addedAt, title: `${reference} added`, reference }
  if (removedAt === null) return [toItem('case_item_added', added)]
  const removed = { at: removedAt, title: `${reference} removed`, reference }
  return [toItem('case_item_added', added), toItem('case_item_removed', removed)]
}

function toItem(
  kind: TimelineKind,
  said: Pick<TimelineItem, 'at' | 'title' | 'reference'>,
): TimelineItem {
  return { kind, ...said, isInEnvironmentTime: true, money: null, details: {} }
}

/** Newest first. */
function readLinks(
  db: Queryable,
  { environmentId, id }: Pick<Case, 'environmentId' | 'id'>,
  limit: number,
): Promise<LinkRow[]> {
  return db.rows(sql<LinkRow>`
    select i.resource_id, i.added_at, i.removed_at,
      case when i.payment_id is not null then 'payment' when i.payout_id is not null then o.kind
        when i.recipient_id is not null then 'recipient' else 'customer' end as kind
    from case_items i left join lateral (
      select kind from payouts
      where environment_id = i.environment_id and id = i.payout_id limit 1) o on true
    where i.environment_id = ${environmentId} and i.case_id = ${id}
    order by i.id desc limit ${limit}`)
}
