import {
  type Asked,
  type CommonFilter,
  type List,
  matchTerms,
  type Restriction,
} from '../../postgres/lists/list.js'
import { sql } from '../../postgres/sql.js'
import type { Queryable } from '../../postgres/transactions/tx.js'
import { type AccountKind, type AccountStatus, allAccountStatuses } from './account.js'
import { findAccountIds } from './find-account-ids.js'

export type AccountFilter = CommonFilter & {
  kind: AccountKind
  merchantReference?: string | undefined
  status?: AccountStatus | undefined
  /** Any of: a reference, the merchant's reference, an account number or address, a name. */
  text?: string | undefined
}

export const accountList: List<AccountFilter> = {
  name: 'list_accounts',
  table: 'collection_accounts',
  columns: {
    kind: { type: 'text' },
    merchant_reference: { type: 'text' },
    status: { type: 'text', values: allAccountStatuses },
  },
  filters: {
    kind: 'kind',
    merchantReference: 'merchant_reference',
    status: 'status',
    text: restrictText,
  },
  indexes: [
    { index: 'search_terms_pkey', serves: ['terms'] },
    {
      index: 'collection_accounts_by_reference',
      serves: ['kind', 'merchant_reference', 'status'],
      where: sql`merchant_reference <> ''`,
    },
    { index: 'collection_accounts_by_status', serves: ['kind', 'status'] },
  ],
}

async function restrictText(
  text: string,
  lookup: Asked<AccountFilter> & { db: Queryable },
): Promise<Restriction[]> {
  const ids = await findAccountIds(lookup.db, lookup.environmentId, text)
  return ids.length > 0 ? [{ column: 'id', values: ids }] : matchTerms('account')(text, lookup)
}
