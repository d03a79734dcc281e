import type { EnvironmentId } from '../../base/environment.js'
import { listLimits } from '../../postgres/limits.js'
import type { IdPage } from '../../postgres/lists/filtered-ids.js'
import { sql } from '../../postgres/sql.js'
import type { Queryable } from '../../postgres/transactions/tx.js'
import { findPageByReference, type ReferenceFilter } from '../accounts/filter-by-reference.js'
import { type SessionStatus, sessionStatuses } from './session.js'

export type SessionFilter = ReferenceFilter<SessionStatus>

/** Newest first. */
export function findSessionPage(
  db: Queryable,
  environmentId: EnvironmentId,
  filter: SessionFilter,
  page: { beforeId: string | undefined; limit: number },
): Promise<IdPage> {
  const listed = {
    name: 'list_sessions',
    table: 'checkout_sessions',
    environmentId,
    statuses: sessionStatuses,
    where: sql`true`,
    isReferenceIndexed: sql`merchant_reference is not null`,
    conditions: [],
    searchKind: 'session' as const,
    findNamed: (text: string) => findNamedSessions(db, environmentId, text),
  }
  return findPageByReference(db, listed, filter, page)
}

/** The newest sessions with this reference, merchant's reference, account number or address. */
async function findNamedSessions(
  db: Queryable,
  environmentId: EnvironmentId,
  text: string,
): Promise<string[]> {
  const max = listLimits.accountsPerReferenceMax
  const rows = await db.rows(sql<{ id: string }>`
    select found.id from (
      (select id from checkout_sessions
        where environment_id = ${environmentId} and reference = ${text})
      union
      (select named.id from unnest(${[...sessionStatuses]}::text[]) wanted (status)
        cross join lateral (
          select id from checkout_sessions
          where environment_id = ${environmentId} and merchant_reference = ${text}
            and merchant_reference is not null and status = wanted.status
          order by id desc limit ${max}) named)
      union
      (select session_id from collection_accounts
        where environment_id = ${environmentId} and number = ${text}
        order by id desc limit ${max})) found
    where found.id is not null order by found.id desc limit ${max}`)
  return rows.map(({ id }) => id)
}
