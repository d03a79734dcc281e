import type { EnvironmentId } from '../base/environment.js'
import { limits } from '../base/limits.js'
import {
  findPageOfIds,
  type IdPage,
  type IdSearch,
  idsByIndex,
  knownIds,
  type TimeRange,
  toIdRange,
} from '../postgres/filtered-ids.js'
import { findTerms, hasOtherTerms, newestIdsWithTerm } from '../postgres/search-terms.js'
import { type Sql, sql } from '../postgres/sql.js'
import type { Queryable } from '../postgres/tx.js'
import { type SessionStatus, sessionStatuses } from '../resources/checkout-session.js'

export type SessionFilter = TimeRange & {
  merchantReference?: string | undefined
  status?: SessionStatus | undefined
  /** Any of: a reference, the merchant's reference, an account number, the customer. */
  text?: string | undefined
}

/** Newest first. */
export async function findSessionPage(
  db: Queryable,
  environmentId: EnvironmentId,
  filter: SessionFilter,
  { beforeId, limit }: { beforeId: string | undefined; limit: number },
): Promise<IdPage> {
  const index = await chooseIndex(db, environmentId, filter)
  if (!index) return { ids: [], next: undefined }
  const search: IdSearch = {
    name: 'list_sessions',
    table: 'checkout_sessions',
    environmentId,
    newestIds: index.newestIds,
    conditions: index.conditions,
    range: toIdRange(filter, beforeId),
  }
  return findPageOfIds(db, search, limit)
}

type Index = Pick<IdSearch, 'newestIds' | 'conditions'>

/** Undefined: nothing can match. */
async function chooseIndex(
  db: Queryable,
  environmentId: EnvironmentId,
  { merchantReference, status, text }: SessionFilter,
): Promise<Index | undefined> {
  if (text === undefined) return byReferenceAndStatus(environmentId, merchantReference, status)
  const conditions: Sql[] = [
    ...(status ? [sql`t.status = ${status}`] : []),
    ...(merchantReference === undefined ? [] : [sql`t.merchant_reference = ${merchantReference}`]),
  ]
  const ids = await findNamedSessions(db, environmentId, text)
  if (ids.length > 0)
    return {
      newestIds: knownIds({ table: 'checkout_sessions', environmentId }, ids),
      conditions,
    }
  const terms = await findTerms(db, { environmentId, kind: 'session', text })
  if (!terms) return undefined
  return {
    newestIds: (range, limit) => newestIdsWithTerm(terms, range, limit),
    conditions: [...conditions, ...hasOtherTerms(terms)],
  }
}

/** The newest sessions with this reference, merchant's reference, account number or address. */
async function findNamedSessions(
  db: Queryable,
  environmentId: EnvironmentId,
  text: string,
): Promise<string[]> {
  const max = limits.lists.accountsPerReferenceMax
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

function byReferenceAndStatus(
  environmentId: EnvironmentId,
  merchantReference: string | undefined,
  status: SessionStatus | undefined,
): Index {
  const reference =
    merchantReference === undefined
      ? []
      : [{ name: 'merchant_reference', type: 'text', values: [merchantReference] } as const]
  return {
    newestIds: idsByIndex({
      table: 'checkout_sessions',
      environmentId,
      where: sql.raw(reference.length > 0 ? 'merchant_reference is not null' : 'true'),
      columns: [
        ...reference,
        { name: 'status', type: 'text', values: status ? [status] : sessionStatuses },
      ],
    }),
    conditions: [],
  }
}
