import type { EnvironmentId } from '../base/environment.js'
import { limits } from '../base/limits.js'
import type { EventType } from '../events/catalogue.js'
import { emitAll, type NewEvent } from '../events/emit.js'
import { sql } from '../postgres/sql.js'
import { listStatement } from '../postgres/statement.js'
import type { Tx } from '../postgres/tx.js'
import { type SessionStatus, sessionStatus, showSession } from '../resources/checkout-session.js'
import type { CollectionAccount } from './account.js'
import { type FoundSession, findByIds } from './find-sessions.js'
import { endSessions } from './store-sessions.js'

/** PostgreSQL channel on which checkout pages learn that a session has changed. */
export const sessionChannel = 'checkout_sessions'

const eventTypes: Partial<Record<SessionStatus, EventType>> = {
  paid: 'checkout.session.paid',
  expired: 'checkout.session.expired',
  cancelled: 'checkout.session.cancelled',
}

export type ChangedAccount = { account: CollectionAccount; mayEndSession: boolean; causeId: string }

/**
 * Ends the sessions whose accounts have ended, emits their events and wakes their pages. The caller
 * has locked and written the accounts. Accounts without a session cost nothing here.
 */
export async function notifySessions(tx: Tx, now: Date, changes: ChangedAccount[]): Promise<void> {
  const ofSessions = changes.filter(({ account }) => account.sessionId !== null)
  if (ofSessions.length === 0) return
  const sessions = await findSessions(tx, ofSessions)
  const ended = ofSessions
    .map((change) => ({ ...change, found: sessions.get(change.account.sessionId!)! }))
    .filter(({ account, mayEndSession, found }) => mayEndSession && endsSession(account, found))
  const events = ended.map(({ causeId, found }) => toSessionEvent(causeId, found))
  endSessions(
    tx,
    ended.map(({ found }) => ({ ...found.session, status: sessionStatus(found) })),
  )
  emitAll(tx, now, events)
  wakePages(
    tx,
    ofSessions.map(({ account }) => account),
  )
}

/**
 * A session ends once: when either account is paid, or else when its virtual account ends. The end
 * of an unpaid wallet does not end the session.
 */
function endsSession({ id, status }: CollectionAccount, found: FoundSession): boolean {
  return sessionStatus(found) === 'paid' ? status === 'PAID' : id === found.session.accountId
}

const wake = listStatement({
  name: 'wake_checkout_pages',
  columns: { environment_id: 'int4', id: 'uuid' },
  text: (list) => `
    select pg_notify('${sessionChannel}', s.reference) from ${list}
    join checkout_sessions s on s.environment_id = list.environment_id and s.id = list.id`,
})

/** A hint only: pages also poll, so a lost notification delays an update a little. */
export function wakePages(tx: Tx, accounts: CollectionAccount[]): void {
  const sessions = accounts.flatMap(({ environmentId, sessionId }) =>
    sessionId === null ? [] : [{ environment_id: environmentId, id: sessionId }],
  )
  if (sessions.length > 0) tx.write(wake(sessions))
}

/** After a test clock has moved: pages count down to a deadline. Wakes the newest sessions only. */
export function wakeNewestPages(tx: Tx, environmentId: EnvironmentId): void {
  tx.write(sql`
    select pg_notify(${sessionChannel}, newest.reference) from (
      select reference from checkout_sessions where environment_id = ${environmentId}
      order by id desc limit ${limits.testClock.pagesNotifiedMax}) newest`)
}

/** By session id. */
async function findSessions(tx: Tx, changes: ChangedAccount[]): Promise<Map<string, FoundSession>> {
  const ids = new Map<CollectionAccount['environmentId'], string[]>()
  for (const { account } of changes)
    ids.set(account.environmentId, [...(ids.get(account.environmentId) ?? []), account.sessionId!])
  const found = new Map<string, FoundSession>()
  for (const [environmentId, sessionIds] of ids)
    for (const one of await findByIds(tx, environmentId, sessionIds)) found.set(one.session.id, one)
  return found
}

function toSessionEvent(causeId: string, found: FoundSession): NewEvent {
  const { environmentId, id, eventSequence } = found.session
  return {
    environmentId,
    type: eventTypes[sessionStatus(found)]!,
    resourceId: id,
    causeId,
    sequence: eventSequence + 1,
    data: showSession(found),
  }
}
