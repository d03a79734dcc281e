import type { EnvironmentId } from '../../base/environment.js'
import { fromReference, prefixes } from '../../base/ids.js'
import { listLimits } from '../../postgres/limits.js'
import { type CommonFilter, joinRow, type List, matchNamed } from '../../postgres/lists/list.js'
import { sql } from '../../postgres/sql.js'
import type { Queryable } from '../../postgres/transactions/tx.js'
import {
  columnsWithSettings,
  completeSessions,
  type FoundSession,
  sessionJoins,
} from './find-sessions.js'
import { type SessionStatus, sessionStatuses } from './session.js'

export type SessionFilter = CommonFilter & {
  merchantReference?: string | undefined
  status?: SessionStatus | undefined
  /** Reference of the link through which payers made them. */
  paymentLink?: string | undefined
  /** Any of: a reference, the merchant's reference, an account number or address, a name. */
  text?: string | undefined
}

const joinSession = joinRow('checkout_sessions', 's')

export const sessionList: List<SessionFilter, FoundSession> = {
  name: 'list_sessions',
  table: 'checkout_sessions',
  select: columnsWithSettings,
  rowsOf: (environmentId) => sql`${joinSession(environmentId)} ${sql.raw(sessionJoins)}`,
  toRows: completeSessions,
  keyOf: ({ session }) => session.id,
  columns: {
    merchant_reference: { type: 'text' },
    status: { type: 'text', values: sessionStatuses },
    payment_link_id: { type: 'uuid' },
  },
  filters: {
    merchantReference: 'merchant_reference',
    status: 'status',
    paymentLink: (reference) => {
      const id = fromReference(prefixes.paymentLink, reference)
      return [{ column: 'payment_link_id', values: id ? [id] : [] }]
    },
    text: matchNamed('session', findNamedSessions),
  },
  indexes: [
    { index: 'search_terms_pkey', serves: ['terms'] },
    {
      index: 'checkout_sessions_by_link',
      serves: ['payment_link_id', 'status'],
      where: sql`payment_link_id is not null`,
    },
    {
      index: 'checkout_sessions_by_reference',
      serves: ['merchant_reference', 'status'],
      where: sql`merchant_reference is not null`,
    },
    { index: 'checkout_sessions_by_status', serves: ['status'] },
  ],
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
