import { writeTerms } from '../../postgres/lists/write-terms.js'
import { sql } from '../../postgres/sql.js'
import { listStatement } from '../../postgres/statement.js'
import type { Queryable, Tx } from '../../postgres/transactions/tx.js'
import type { SessionStatus } from './session.js'
import { checkoutSessions, type Session } from './session.js'

const insert = listStatement({
  name: 'insert_checkout_sessions',
  columns: checkoutSessions.typesWithout('eventSequence', 'openedAt'),
  text: (list, _parameter, names, values) => `
    insert into checkout_sessions (${names}) select ${values} from ${list}`,
})

export function insertSessions(tx: Tx, sessions: Session[]): void {
  if (sessions.length === 0) return
  tx.write(insert(sessions))
  writeTerms(
    tx,
    'session',
    sessions.map(({ environmentId, id, customerName, customerEmail }) => ({
      environmentId,
      id,
      name: customerName,
      exact: [customerEmail.toLowerCase()],
    })),
  )
}

const end = listStatement({
  name: 'end_checkout_sessions',
  columns: { environmentId: 'int4', id: 'uuid', status: 'text' },
  text: (list) => `
    update checkout_sessions s set status = list.status, event_sequence = s.event_sequence + 1
    from ${list} where s.environment_id = list.environment_id and s.id = list.id`,
})

type EndedSession = Pick<Session, 'environmentId' | 'id'> & { status: SessionStatus }

/** The caller has locked the sessions' accounts, so no other transaction changes the sessions. */
export function endSessions(tx: Tx, sessions: EndedSession[]): void {
  if (sessions.length === 0) return
  tx.write(end(sessions))
}

/** Records the first view of the page; later ones change nothing. */
export async function markOpened(
  db: Queryable,
  { environmentId, id }: Pick<Session, 'environmentId' | 'id'>,
  at: Date,
): Promise<void> {
  await db.rows(sql`
    update checkout_sessions set opened_at = ${at}
    where environment_id = ${environmentId} and id = ${id} and opened_at is null`)
}
