import type { EventType } from '../events/catalogue.js'
import { emitAll, type NewEvent } from '../events/emit.js'
import type { Tx } from '../postgres/tx.js'
import { type SessionStatus, sessionStatus, showSession } from '../resources/checkout-session.js'
import type { CollectionAccount } from './account.js'
import { type FoundSession, findByIds } from './find-sessions.js'
import { endSessions } from './store-sessions.js'
import { wakePages } from './wake-pages.js'

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
export async function updateSessions(tx: Tx, now: Date, changes: ChangedAccount[]): Promise<void> {
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
 * A session ends once: when its virtual account or wallet is paid, or else when the virtual account
 * ends. An unpaid wallet that ends does not end it, nor does an account that is closed because the
 * wallet was paid.
 */
function endsSession({ id, status }: CollectionAccount, found: FoundSession): boolean {
  return sessionStatus(found) === 'paid' ? status === 'PAID' : id === found.session.accountId
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
