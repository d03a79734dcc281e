import { type RealTime, toEnvironmentTime } from '../../base/clock.js'
import type { EventType } from '../../events/catalogue.js'
import { emitAll, type NewEvent } from '../../events/emit.js'
import type { Tx } from '../../postgres/transactions/tx.js'
import type { CollectionAccount } from '../accounts/account.js'
import type { Payment } from '../payments/payment.js'
import { type FoundSession, findByIds } from './find-sessions.js'
import { findReceiptSenders, queueReceipts } from './queue-receipts.js'
import { showSession } from './resource.js'
import { type SessionStatus, sessionStatus } from './session.js'
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
 * has locked and written the accounts. Accounts without a session cost nothing here. `payments` are
 * the latest ones of the accounts that the caller has read; the others are read here.
 */
export async function updateSessions(
  tx: Tx,
  now: RealTime,
  changes: ChangedAccount[],
  payments: Map<string, Payment[]>,
): Promise<void> {
  const ofSessions = changes.filter(({ account }) => account.sessionId !== null)
  if (ofSessions.length === 0) return
  const payers = ofSessions.filter(({ account, mayEndSession }) => mayEndSession && isPaid(account))
  const [sessions, receiptSenders] = await Promise.all([
    findSessions(tx, ofSessions, payments),
    findReceiptSenders(tx, [...new Set(payers.map(({ account }) => account.environmentId))]),
  ])
  const ended = ofSessions
    .map((change) => ({ ...change, found: sessions.get(change.account.sessionId!)! }))
    .filter(({ account, mayEndSession, found }) => mayEndSession && endsSession(account, found))
  const events = ended.map(({ causeId, found }) => toSessionEvent(now, causeId, found))
  endSessions(
    tx,
    ended.map(({ found }) => ({ ...found.session, status: sessionStatus(found) })),
  )
  emitAll(tx, now, events)
  queueReceipts(
    tx,
    now,
    ended.filter(({ account }) => isPaid(account)),
    receiptSenders,
  )
  wakePages(
    tx,
    ofSessions.map(({ account }) => account),
  )
}

function isPaid({ status }: CollectionAccount): boolean {
  return status === 'PAID'
}

/**
 * A session ends once: when its virtual account or wallet is paid, or else when the virtual account
 * ends. An unpaid wallet that ends does not end it unless the session has no virtual account, nor
 * does an account that is closed because the wallet was paid.
 */
function endsSession({ id, status }: CollectionAccount, found: FoundSession): boolean {
  const { accountId, walletId } = found.session
  return sessionStatus(found) === 'paid' ? status === 'PAID' : id === (accountId ?? walletId)
}

/** By session id. */
async function findSessions(
  tx: Tx,
  changes: ChangedAccount[],
  payments: Map<string, Payment[]>,
): Promise<Map<string, FoundSession>> {
  const ids = new Map<CollectionAccount['environmentId'], string[]>()
  for (const { account } of changes)
    ids.set(account.environmentId, [...(ids.get(account.environmentId) ?? []), account.sessionId!])
  const found = new Map<string, FoundSession>()
  for (const [environmentId, sessionIds] of ids)
    for (const one of await findByIds(tx, { environmentId, ids: sessionIds, payments }))
      found.set(one.session.id, one)
  return found
}

function toSessionEvent(now: Date, causeId: string, found: FoundSession): NewEvent {
  const { environmentId, id, eventSequence } = found.session
  return {
    environmentId,
    type: eventTypes[sessionStatus(found)]!,
    resourceId: id,
    causeId,
    sequence: eventSequence + 1,
    data: showSession(toEnvironmentTime(now, found.clockOffsetMs), found),
  }
}
