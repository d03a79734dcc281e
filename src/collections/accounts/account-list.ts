import { type CommonFilter, joinRow, type List, matchNamed } from '../../postgres/lists/list.js'
import { sql } from '../../postgres/sql.js'
import { type AccountKind, type AccountStatus, allAccountStatuses } from './account.js'
import { findAccountIds } from './find-account-ids.js'
import { type AccountWithPayments, withPayments } from './find-accounts.js'
import { accountColumns } from './store-accounts.js'

export type AccountFilter = CommonFilter & {
  kind: AccountKind
  merchantReference?: string | undefined
  status?: AccountStatus | undefined
  /** Any of: a reference, the merchant's reference, an account number or address, a name. */
  text?: string | undefined
}

export const accountList: List<AccountFilter, AccountWithPayments> = {
  name: 'list_accounts',
  table: 'collection_accounts',
  select: accountColumns,
  rowsOf: joinRow('collection_accounts', 'a'),
  toRows: withPayments,
  keyOf: ({ account }) => account.id,
  columns: {
    kind: { type: 'text' },
    merchant_reference: { type: 'text' },
    status: { type: 'text', values: allAccountStatuses },
  },
  filters: {
    kind: 'kind',
    merchantReference: 'merchant_reference',
    status: 'status',
    text: matchNamed('account', findAccountIds),
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
