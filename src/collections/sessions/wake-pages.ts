import type { EnvironmentId } from '../../base/environment.js'
import { limits } from '../../base/limits.js'
import { sql } from '../../postgres/sql.js'
import { listStatement } from '../../postgres/statement.js'
import type { Tx } from '../../postgres/transactions/tx.js'
import type { CollectionAccount } from '../accounts/account.js'

/** PostgreSQL channel on which checkout pages learn that a session has changed. */
export const sessionChannel = 'checkout_sessions'

const wake = listStatement({
  name: 'wake_checkout_pages',
  columns: { environmentId: 'int4', id: 'uuid' },
  text: (list) => `
    select pg_notify('${sessionChannel}', s.reference) from ${list}
    join checkout_sessions s on s.environment_id = list.environment_id and s.id = list.id`,
})

/** A hint only: pages also poll, so a page that misses it is late until its next poll. */
export function wakePages(tx: Tx, accounts: CollectionAccount[]): void {
  const sessions = accounts.flatMap(({ environmentId, sessionId }) =>
    sessionId === null ? [] : [{ environmentId, id: sessionId }],
  )
  if (sessions.length > 0) tx.write(wake(sessions))
}

/** After a test clock has moved: pages count down to a deadline. Wakes the newest sessions only. */
export function wakeNewestPages(tx: Tx, environmentId: EnvironmentId): void {
  tx.write(sql`
    select pg_notify(${sessionChannel}, newest.reference) from (
      select reference from checkout_sessions where environment_id = ${environmentId}
      order by id desc limit ${limits.testClock.pagesWokenMax}) newest`)
}
