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

/** Where the pages that show a session listen for changes of it. */
export const sessionChannel = 'checkout_sessions'

const told: Partial<Record<SessionStatus, EventType>> = {
  paid: 'checkout.session.paid',
  expired: 'checkout.session.expired',
  cancelled: 'checkout.session.cancelled',
}

export type AccountChange = { account: CollectionAccount; hasNewStatus: boolean; causeId: string }

/**
 * Tells merchants of sessions whose accounts have ended, and wakes the pages that show them. For
 * accounts that are locked and written; most have no session, and cost nothing here.
 */
export async function notifySessions(tx: Tx, now: Date, changes: AccountChange[]): Promise<void> {
  const concerned = changes.filter(({ account }) => account.sessionId !== null)
  if (concerned.length === 0) return
  const found = await findAll(tx, concerned)
  const ended = concerned.filter(
    ({ account, hasNewStatus }) => hasNewStatus && decides(account, found.get(account.sessionId!)!),
  )
  const happenings = ended.map((one) => toHappening(one, found.get(one.account.sessionId!)!))
  endSessions(
    tx,
    ended.map(({ account }) => {
      const one = found.get(account.sessionId!)!
      return { ...one.session, status: sessionStatus(one) }
    }),
  )
  emitAll(tx, now, happenings)
  wakePages(
    tx,
    concerned.map(({ account }) => account),
  )
}

/**
 * Whether the end of this account is that of its session, which is told once: of one that is paid,
 * the account that was; of any other the one at the bank, whatever became of its wallet.
 */
function decides({ id, status }: CollectionAccount, found: FoundSession): boolean {
  return sessionStatus(found) === 'paid' ? status === 'PAID' : id === found.session.accountId
}

const wake = listStatement({
  name: 'wake_checkout_pages',
  columns: { environment_id: 'int4', id: 'uuid' },
  text: (list) => `
    select pg_notify('${sessionChannel}', s.reference) from ${list}
    join checkout_sessions s on s.environment_id = list.environment_id and s.id = list.id`,
})

/** A hint only: pages ask for themselves, and who misses it asks a little later. */
export function wakePages(tx: Tx, accounts: CollectionAccount[]): void {
  const shown = accounts.flatMap(({ environmentId, sessionId }) =>
    sessionId === null ? [] : [{ environment_id: environmentId, id: sessionId }],
  )
  if (shown.length > 0) tx.write(wake(shown))
}

/**
 * A clock was moved: what they count down to has come closer. The newest only, for nobody waits
 * before more pages than that.
 */
export function wakeNewestPages(tx: Tx, environmentId: EnvironmentId): void {
  tx.write(sql`
    select pg_notify(${sessionChannel}, newest.reference) from (
      select reference from checkout_sessions where environment_id = ${environmentId}
      order by id desc limit ${limits.testClock.pagesWoken}) newest`)
}

/** By their ids. */
async function findAll(tx: Tx, changes: AccountChange[]): Promise<Map<string, FoundSession>> {
  const ids = new Map<CollectionAccount['environmentId'], string[]>()
  for (const { account } of changes)
    ids.set(account.environmentId, [...(ids.get(account.environmentId) ?? []), account.sessionId!])
  const found = new Map<string, FoundSession>()
  for (const [environmentId, sessionIds] of ids)
    for (const one of await findByIds(tx, environmentId, sessionIds)) found.set(one.session.id, one)
  return found
}

function toHappening({ causeId }: AccountChange, found: FoundSession): NewEvent {
  const { environmentId, id, eventSequence } = found.session
  const type = told[sessionStatus(found)]!
  const data = showSession(found)
  return { environmentId, type, resourceId: id, causeId, sequence: eventSequence + 1, data }
}
