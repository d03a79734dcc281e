import type { EnvironmentId } from '../../base/environment.js'
import {
  findPageOfIds,
  type IdPage,
  type IdSearch,
  idsByIndex,
  knownIds,
  type TimeRange,
  toIdRange,
} from '../../postgres/lists/filtered-ids.js'
import {
  findTerms,
  hasOtherTerms,
  newestIdsWithTerm,
  type SearchKind,
} from '../../postgres/lists/search-terms.js'
import { type Sql, sql } from '../../postgres/sql.js'
import type { Queryable } from '../../postgres/transactions/tx.js'

/** The filters that accounts and checkout sessions share. */
export type ReferenceFilter<Status extends string> = TimeRange & {
  merchantReference?: string | undefined
  status?: Status | undefined
  /** Any of: a reference, the merchant's reference, an account number or address, a name. */
  text?: string | undefined
  /** The caller may not see payers, so texts do not match names and e-mail addresses. */
  hidesPayers?: boolean | undefined
}

type Listed<Status extends string> = {
  /** Starts the names of the prepared statements. */
  name: string
  table: string
  environmentId: EnvironmentId
  statuses: readonly Status[]
  /** Condition on the first columns of both indexes. */
  where: Sql
  /** The condition of the index by the merchant's reference. */
  isReferenceIndexed: Sql
  /** Conditions on the table `t` for rows that were found by text. */
  conditions: Sql[]
  searchKind: SearchKind
  /** The newest rows that a text names exactly. */
  findNamed: (text: string) => Promise<string[]>
}

/** Newest first. */
export async function findPageByReference<Status extends string>(
  db: Queryable,
  listed: Listed<Status>,
  filter: ReferenceFilter<Status>,
  { beforeId, limit }: { beforeId: string | undefined; limit: number },
): Promise<IdPage> {
  const index = await chooseIndex(db, listed, filter)
  if (!index) return { ids: [], next: undefined }
  const { name, table, environmentId } = listed
  const { newestIds, conditions } = index
  const range = toIdRange(filter, beforeId)
  const search = { name, table, environmentId, newestIds, conditions, range }
  return findPageOfIds(db, search, limit)
}

type Index = Pick<IdSearch, 'newestIds' | 'conditions'>

/** Undefined: nothing can match. */
async function chooseIndex<Status extends string>(
  db: Queryable,
  listed: Listed<Status>,
  { merchantReference, status, text, hidesPayers }: ReferenceFilter<Status>,
): Promise<Index | undefined> {
  const { environmentId, searchKind } = listed
  if (text === undefined)
    return { newestIds: byReferenceAndStatus(listed, merchantReference, status), conditions: [] }
  const conditions: Sql[] = [
    ...listed.conditions,
    ...(status ? [sql`t.status = ${status}`] : []),
    ...(merchantReference === undefined ? [] : [sql`t.merchant_reference = ${merchantReference}`]),
  ]
  const ids = await listed.findNamed(text)
  if (ids.length > 0) return { newestIds: knownIds(listed, ids), conditions }
  const terms = await findTerms(db, { environmentId, kind: searchKind, text, hidesPayers })
  if (!terms) return undefined
  return {
    newestIds: (range, limit) => newestIdsWithTerm(terms, range, limit),
    conditions: [...conditions, ...hasOtherTerms(terms)],
  }
}

function byReferenceAndStatus<Status extends string>(
  { table, environmentId, where, isReferenceIndexed, statuses }: Listed<Status>,
  merchantReference: string | undefined,
  status: Status | undefined,
): IdSearch['newestIds'] {
  const reference =
    merchantReference === undefined
      ? []
      : [{ name: 'merchant_reference', type: 'text', values: [merchantReference] } as const]
  return idsByIndex({
    table,
    environmentId,
    where: sql`${where} and ${reference.length > 0 ? isReferenceIndexed : sql`true`}`,
    columns: [...reference, { name: 'status', type: 'text', values: status ? [status] : statuses }],
  })
}
