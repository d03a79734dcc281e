import type { EventType } from '../events/catalogue.js'
import { emitAll, type Happening } from '../events/emit.js'
import { listStatement } from '../postgres/statement.js'
import type { Tx } from '../postgres/tx.js'
import type { Account, AccountStatus } from './account.js'
import { type FoundSession, findOfAccounts } from './find-sessions.js'
import { showSession } from './show-session.js'
import { countEvents } from './store-sessions.js'

/** Where the pages that show a session listen for changes of it. */
export const sessionChannel = 'checkout_sessions'

const told: Partial<Record<AccountStatus, EventType>> = {
  PAID: 'checkout.session.paid',
  EXPIRED: 'checkout.session.expired',
  CANCELLED: 'checkout.session.cancelled',
}

export type Change = { account: Account; hasNewStatus: boolean; causeId: string }

/**
 * Tells merchants of sessions whose accounts have ended, and wakes the pages that show them. For
 * accounts that are locked and written; most have no session, and cost nothing here.
 */
export async function tellSessions(tx: Tx, now: Date, changes: Change[]): Promise<void> {
  const concerned = changes.filter(({ account }) => account.sessionId !== null)
  if (concerned.length === 0) return
  const found = await findAll(tx, concerned)
  const ended = concerned.filter(({ hasNewStatus }) => hasNewStatus)
  const happenings = ended.map((change) => toHappening(change, found.get(change.account.id)!))
  countEvents(
    tx,
    ended.map(({ account }) => found.get(account.id)!.session),
  )
  emitAll(tx, now, happenings)
  wakePages(
    tx,
    concerned.map(({ account }) => account),
  )
}

const wake = listStatement({
  name: 'wake_checkout_pages',
  columns: { environment_id: 'int4', id: 'uuid' },
  text: (list) => `
    select pg_notify('${sessionChannel}', s.reference) from ${list}
    join checkout_sessions s on s.environment_id = list.environment_id and s.id = list.id`,
})

/** A hint only: pages ask for themselves, and who misses it asks a little later. */
export function wakePages(tx: Tx, accounts: Account[]): void {
  const shown = accounts.flatMap(({ environmentId, sessionId }) =>
    sessionId === null ? [] : [{ environment_id: environmentId, id: sessionId }],
  )
  if (shown.length > 0) tx.write(wake(shown))
}

async function findAll(tx: Tx, changes: Change[]): Promise<Map<string, FoundSession>> {
  const ids = new Map<Account['environmentId'], string[]>()
  for (const { account } of changes)
    ids.set(account.environmentId, [...(ids.get(account.environmentId) ?? []), account.id])
  const found = new Map<string, FoundSession>()
  for (const [environmentId, accountIds] of ids)
    for (const one of await findOfAccounts(tx, environmentId, accountIds))
      found.set(one.account.id, one)
  return found
}

function toHappening({ account, causeId }: Change, found: FoundSession): Happening {
  const { environmentId, id, eventSequence } = found.session
  const type = told[account.status]!
  const data = showSession(found)
  return { environmentId, type, resourceId: id, causeId, sequence: eventSequence + 1, data }
}
