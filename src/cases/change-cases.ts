import { after, type EnvironmentTime, type RealTime, toRealTime } from '../base/clock.js'
import type { EnvironmentId, Mode } from '../base/environment.js'
import { newId } from '../base/ids.js'
import { invalidField, notFound, Refusal } from '../base/refusal.js'
import { emitAll } from '../events/emit.js'
import { getClockOffset } from '../merchants/environment-clock.js'
import { lockEnvironment } from '../merchants/environments.js'
import type { PayoutCreator } from '../payouts/requests/creators.js'
import { sql } from '../postgres/sql.js'
import type { Tx } from '../postgres/transactions/tx.js'
import { type Case, caseReference, itemReference, type ShownCase } from './case.js'
import { caseLimits } from './limits.js'
import { showCase } from './resource.js'
import {
  type CaseName,
  completeCases,
  type FoundItem,
  findItems,
  insertCase,
  insertItem,
  lockCase,
  removeItem,
  updateCase,
} from './store-cases.js'

type Moment = { now: EnvironmentTime; realNow: RealTime }

/** What callers choose. */
type CaseTerms = Pick<
  Case,
  'kind' | 'title' | 'description' | 'externalReference' | 'deadline' | 'assigneeId'
>

export type NewCase = CaseTerms & PayoutCreator & { environmentId: EnvironmentId; mode: Mode }

/** Refuses items that do not exist, and an assignee who is not in the team. */
export async function createCase(
  tx: Tx,
  { now, realNow }: Moment,
  wanted: NewCase,
  references: string[],
): Promise<ShownCase> {
  const { environmentId, deadline } = wanted
  const dueAt = await findDueTime(tx, environmentId, deadline)
  await refuseStranger(tx, wanted)
  const items = await findItems(tx, environmentId, references)
  const created: Case = {
    ...wanted,
    id: newId(now),
    status: 'OPEN',
    dueAt,
    outcome: null,
    outcomeNote: null,
    eventSequence: 1,
    createdAt: now,
    closedAt: null,
    changedAt: realNow,
  }
  insertCase(tx, created)
  insertItems(tx, created, items, now)
  const shown = await complete(tx, created)
  emitCaseEvent(tx, { now, realNow }, shown, 'opened')
  return shown
}

/** Refuses a closed case, and an assignee who is not in the team. */
export async function changeCase(
  tx: Tx,
  realNow: RealTime,
  name: CaseName,
  change: Partial<CaseTerms>,
): Promise<ShownCase> {
  const { environmentId } = name
  // The environment is locked before the case, as when the test clock moves.
  const dueAt =
    change.deadline === undefined
      ? undefined
      : await findDueTime(tx, environmentId, change.deadline)
  const before = await lockOpenCase(tx, name)
  if (change.assigneeId) await refuseStranger(tx, { environmentId, assigneeId: change.assigneeId })
  const changed = { ...before, ...change, ...(dueAt !== undefined && { dueAt }) }
  updateCase(tx, realNow, before, changed)
  return complete(tx, changed)
}

/** Items that are in the case already stay as they are. */
export async function addItems(
  tx: Tx,
  { now, realNow }: Moment,
  name: CaseName,
  references: string[],
): Promise<ShownCase> {
  const before = await lockOpenCase(tx, name)
  const found = await findItems(tx, name.environmentId, references)
  const known = new Set(before.items.map(({ resourceId }) => resourceId))
  const added = found.filter(({ resourceId }) => !known.has(resourceId))
  const { itemsMax } = caseLimits
  if (known.size + added.length > itemsMax)
    throw new Refusal('case_failed', {
      reason: 'too_many',
      message: `A case can have at most ${itemsMax} items. Open another case for the others.`,
    })
  insertItems(tx, before, added, now)
  updateCase(tx, realNow, before, before)
  return complete(tx, before)
}

/** Refuses items that are not in the case. */
export async function removeItems(
  tx: Tx,
  { now, realNow }: Moment,
  name: CaseName,
  references: string[],
): Promise<ShownCase> {
  const before = await lockOpenCase(tx, name)
  const byReference = new Map(before.items.map((item) => [itemReference(item), item]))
  const removed = new Set(
    references.map((reference) => {
      const item = byReference.get(reference)
      if (item) return item
      throw notFound('item', reference)
    }),
  )
  for (const item of removed) removeItem(tx, before, item, now)
  updateCase(tx, realNow, before, before)
  return { ...before, items: before.items.filter((item) => !removed.has(item)) }
}

export type Closing = { outcome: NonNullable<Case['outcome']>; outcomeNote: string | null }

/** Repeating it changes nothing. Refuses a case that has another outcome. */
export async function closeCase(
  tx: Tx,
  moment: Moment,
  name: CaseName,
  { outcome, outcomeNote }: Closing,
): Promise<ShownCase> {
  const before = await lockCase(tx, name)
  if (before.status === 'CLOSED') {
    if (before.outcome === outcome && before.outcomeNote === outcomeNote) return before
    throw alreadyClosed(before)
  }
  const closed: ShownCase = {
    ...before,
    status: 'CLOSED',
    outcome,
    outcomeNote,
    dueAt: null,
    closedAt: moment.now,
    eventSequence: before.eventSequence + 1,
  }
  updateCase(tx, moment.realNow, before, closed)
  emitCaseEvent(tx, moment, closed, 'closed')
  return closed
}

/** Repeating it changes nothing. A deadline that has passed is not announced again. */
export async function reopenCase(tx: Tx, moment: Moment, name: CaseName): Promise<ShownCase> {
  const { now, realNow } = moment
  await lockEnvironment(tx, name.environmentId)
  const before = await lockCase(tx, name)
  if (before.status === 'OPEN') return before
  const { environmentId, deadline } = before
  const isAhead = deadline !== null && deadline >= now
  const reopened: ShownCase = {
    ...before,
    status: 'OPEN',
    outcome: null,
    outcomeNote: null,
    dueAt: await findDueTime(tx, environmentId, isAhead ? deadline : null),
    closedAt: null,
    eventSequence: before.eventSequence + 1,
  }
  updateCase(tx, realNow, before, reopened)
  emitCaseEvent(tx, moment, reopened, 'reopened')
  return reopened
}

async function lockOpenCase(tx: Tx, name: CaseName): Promise<ShownCase> {
  const found = await lockCase(tx, name)
  if (found.status === 'CLOSED') throw alreadyClosed(found)
  return found
}

function alreadyClosed(closed: Case): Refusal {
  return new Refusal('case_failed', {
    reason: 'invalid_state',
    message: `${caseReference(closed)} was closed as ${closed.outcome}. Reopen it to change it.`,
  })
}

/**
 * When a worker announces that the deadline has passed, a moment after it. The environment is
 * locked, so that its test clock stands still.
 */
async function findDueTime(
  tx: Tx,
  environmentId: EnvironmentId,
  deadline: Date | null,
): Promise<Date | null> {
  if (deadline === null) return null
  await lockEnvironment(tx, environmentId)
  return toRealTime(after(deadline, 1), await getClockOffset(tx, environmentId))
}

async function refuseStranger(
  tx: Tx,
  { environmentId, assigneeId }: Pick<Case, 'environmentId' | 'assigneeId'>,
): Promise<void> {
  if (assigneeId === null) return
  const rows = await tx.rows(sql`
    select from environments e
    join memberships m on m.merchant_id = e.merchant_id and m.disabled_at is null
    join users u on u.id = m.user_id and u.disabled_at is null
    where e.id = ${environmentId} and m.user_id = ${assigneeId}`)
  if (rows.length === 0) throw invalidField('assignee', 'must be a member of your team')
}

function insertItems(tx: Tx, target: Case, items: FoundItem[], addedAt: Date): void {
  // Sorted ids keep the order of the request.
  const ids = items.map(() => newId(addedAt)).toSorted()
  for (const [index, item] of items.entries())
    insertItem(tx, target, { ...item, id: ids[index]!, addedAt })
}

async function complete(tx: Tx, written: Case): Promise<ShownCase> {
  const [shown] = await completeCases(tx, [written])
  return shown!
}

const eventTypes = {
  opened: 'case.opened',
  closed: 'case.closed',
  reopened: 'case.reopened',
  overdue: 'case.overdue',
} as const

export function emitCaseEvent(
  tx: Tx,
  { now, realNow }: Moment,
  shown: ShownCase,
  what: keyof typeof eventTypes,
): void {
  const { environmentId, id: resourceId, eventSequence: sequence } = shown
  const type = eventTypes[what]
  const causeId = newId(now)
  const data = showCase(shown, now)
  emitAll(tx, realNow, [{ environmentId, type, resourceId, causeId, sequence, data }])
}
