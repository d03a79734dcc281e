import type { EnvironmentId } from '../base/environment.js'
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
import { type AccountKind, type AccountStatus, allAccountStatuses } from './account.js'
import { findAccountIds } from './find-account-ids.js'

export type AccountFilter = TimeRange & {
  merchantReference?: string | undefined
  status?: AccountStatus | undefined
  /** Any of: a reference, the merchant's reference, an account number or address, a name. */
  text?: string | undefined
}

type Owner = { environmentId: EnvironmentId; kind: AccountKind }

/** Newest first. */
export async function findAccountPage(
  db: Queryable,
  owner: Owner,
  filter: AccountFilter,
  { beforeId, limit }: { beforeId: string | undefined; limit: number },
): Promise<IdPage> {
  const index = await chooseIndex(db, owner, filter)
  if (!index) return { ids: [], next: undefined }
  const search: IdSearch = {
    name: 'list_accounts',
    table: 'collection_accounts',
    environmentId: owner.environmentId,
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
  { environmentId, kind }: Owner,
  { merchantReference, status, text }: AccountFilter,
): Promise<Index | undefined> {
  if (text === undefined)
    return byReferenceAndStatus({ environmentId, kind }, merchantReference, status)
  const conditions: Sql[] = [
    sql`t.kind = ${kind}`,
    ...(status ? [sql`t.status = ${status}`] : []),
    ...(merchantReference === undefined ? [] : [sql`t.merchant_reference = ${merchantReference}`]),
  ]
  const ids = await findAccountIds(db, environmentId, text)
  if (ids.length > 0)
    return {
      newestIds: knownIds({ table: 'collection_accounts', environmentId }, ids),
      conditions,
    }
  const terms = await findTerms(db, { environmentId, kind: 'account', text })
  if (!terms) return undefined
  return {
    newestIds: (range, limit) => newestIdsWithTerm(terms, range, limit),
    conditions: [...conditions, ...hasOtherTerms(terms)],
  }
}

function byReferenceAndStatus(
  { environmentId, kind }: Owner,
  merchantReference: string | undefined,
  status: AccountStatus | undefined,
): Index {
  const reference =
    merchantReference === undefined
      ? []
      : [{ name: 'merchant_reference', type: 'text', values: [merchantReference] } as const]
  const isIndexed = sql.raw(reference.length > 0 ? `merchant_reference <> ''` : 'true')
  return {
    newestIds: idsByIndex({
      table: 'collection_accounts',
      environmentId,
      where: sql`kind = ${kind} and ${isIndexed}`,
      columns: [
        ...reference,
        { name: 'status', type: 'text', values: status ? [status] : allAccountStatuses },
      ],
    }),
    conditions: [],
  }
}
