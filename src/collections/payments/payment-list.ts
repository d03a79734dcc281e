import { fromReference, prefixes } from '../../base/ids.js'
import { limits } from '../../base/limits.js'
import type { Asset } from '../../money/assets.js'
import {
  type AmountRange,
  type CommonFilter,
  type FilterLookup,
  joinRow,
  type List,
  matchTerms,
  type Restriction,
  servesAll,
  withinAmounts,
} from '../../postgres/lists/list.js'
import { sql } from '../../postgres/sql.js'
import { type AccountKind, accountKinds, type Variance, variances } from '../accounts/account.js'
import {
  findAccountIds,
  findIdsOfMerchantReference,
  hasMerchantReference,
  isOfAccountWith,
} from '../accounts/find-account-ids.js'
import {
  type ListedPayment,
  listedColumns,
  listedJoins,
  toListedPayments,
} from './find-payments.js'
import { type PaymentStatus, paymentStatuses } from './payment.js'

export type PaymentFilter = CommonFilter & {
  source?: AccountKind | undefined
  accountId?: string | undefined
  status?: PaymentStatus | undefined
  variance?: Variance | undefined
  currency?: Asset | undefined
  amounts?: AmountRange | undefined
  /** Words of the payer's name, or the number or address that paid. */
  sender?: string | undefined
  merchantReference?: string | undefined
  /** Any of: a reference, the merchant's reference, an account number, words of a name. */
  text?: string | undefined
}

const sources = Object.keys(accountKinds) as AccountKind[]
const bankSources = sources.filter((source) => accountKinds[source].policy === 'bank')
const coinSources = sources.filter((source) => accountKinds[source].policy === 'crypto')
const ofStatusAndAccount = ['status', 'account_id']

const joinPayment = joinRow('payments', 'p')

export const paymentList: List<PaymentFilter, ListedPayment> = {
  name: 'list_payments',
  table: 'payments',
  select: listedColumns,
  rowsOf: (environmentId) => sql`${joinPayment(environmentId)} ${listedJoins}`,
  toRows: toListedPayments,
  keyOf: ({ id }) => id,
  columns: {
    source: { type: 'text', values: sources },
    account_id: { type: 'uuid', isLong: true },
    status: { type: 'text', values: paymentStatuses },
    variance: { type: 'text' },
    asset: { type: 'text' },
    amount: { type: 'int8' },
  },
  filters: {
    source: 'source',
    accountId: 'account_id',
    status: 'status',
    variance: 'variance',
    currency: restrictCurrency,
    amounts: withinAmounts,
    sender: matchTerms('payment'),
    merchantReference: restrictMerchantReference,
    text: restrictText,
  },
  indexes: [
    {
      index: 'payments_by_status',
      serves: ofStatusAndAccount,
      // For long reads the planner assumes that every payment of the status matches.
      isSuitable: (wanted, limit) =>
        limit <= limits.http.pageSizeMax && servesAll(wanted, ofStatusAndAccount),
    },
    { index: 'payments_of_account', serves: ['account_id'] },
    { index: 'search_terms_pkey', serves: ['terms'] },
    { index: 'payments_by_amount', serves: ['asset', 'amount'] },
    {
      index: 'payments_by_variance',
      serves: ['variance'],
      where: sql`variance <> 'NONE'`,
      holds: { variance: variances.filter((variance) => variance !== 'NONE') },
    },
    { index: 'payments_by_source', serves: ['source', 'status'] },
    { index: 'payments_pkey', serves: [] },
  ],
}

/** Accounts at banks receive naira only. */
function restrictCurrency(
  currency: Asset,
  { filter }: { filter: Pick<PaymentFilter, 'amounts'> },
): Restriction[] {
  // With amounts, the asset is restricted, too.
  if (currency === 'NGN')
    return [{ column: 'source', values: bankSources, isHint: filter.amounts !== undefined }]
  return [
    { column: 'source', values: coinSources, isHint: true },
    { column: 'asset', values: [currency] },
  ]
}

async function restrictMerchantReference(
  reference: string,
  { db, environmentId, filter: { accountId } }: FilterLookup<PaymentFilter>,
): Promise<Restriction[]> {
  if (accountId !== undefined) {
    const isOfAccount = await hasMerchantReference(db, { environmentId, id: accountId }, reference)
    return [{ column: 'account_id', values: isOfAccount ? [accountId] : [] }]
  }
  const accountIds = await findIdsOfMerchantReference(db, environmentId, reference)
  return accountIds
    ? [{ column: 'account_id', values: accountIds }]
    : [{ condition: isOfAccountWith(reference) }]
}

async function restrictText(
  text: string,
  lookup: FilterLookup<PaymentFilter>,
): Promise<Restriction[]> {
  const id = fromReference(prefixes.payment, text)
  if (id !== undefined) return [{ column: 'id', values: [id] }]
  const accountIds = await findAccountIds(lookup.db, lookup.environmentId, text)
  if (accountIds.length > 0) return [{ column: 'account_id', values: accountIds }]
  return matchTerms('payment')(text, lookup)
}
