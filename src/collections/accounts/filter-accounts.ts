import type { EnvironmentId } from '../../base/environment.js'
import type { IdPage } from '../../postgres/lists/filtered-ids.js'
import { sql } from '../../postgres/sql.js'
import type { Queryable } from '../../postgres/transactions/tx.js'
import { type AccountKind, type AccountStatus, allAccountStatuses } from './account.js'
import { findPageByReference, type ReferenceFilter } from './filter-by-reference.js'
import { findAccountIds } from './find-account-ids.js'

export type AccountFilter = ReferenceFilter<AccountStatus>

/** Newest first. */
export function findAccountPage(
  db: Queryable,
  { environmentId, kind }: { environmentId: EnvironmentId; kind: AccountKind },
  filter: AccountFilter,
  page: { beforeId: string | undefined; limit: number },
): Promise<IdPage> {
  const listed = {
    name: 'list_accounts',
    table: 'collection_accounts',
    environmentId,
    statuses: allAccountStatuses,
    where: sql`kind = ${kind}`,
    isReferenceIndexed: sql`merchant_reference <> ''`,
    conditions: [sql`t.kind = ${kind}`],
    searchKind: 'account' as const,
    findNamed: (text: string) => findAccountIds(db, environmentId, text),
  }
  return findPageByReference(db, listed, filter, page)
}
