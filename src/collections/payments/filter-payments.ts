import type { EnvironmentId } from '../../base/environment.js'
import { fromReference, fromReferenceOfAnyKind, prefixes, unusedId } from '../../base/ids.js'
import { limits } from '../../base/limits.js'
import type { Asset } from '../../money/assets.js'
import { listLimits } from '../../postgres/limits.js'
import { newestIdsOfAmount } from '../../postgres/lists/amount-range.js'
import {
  type Count,
  countIds,
  findPageOfIds,
  type IdPage,
  type IdSearch,
  idsByIndex,
  knownIds,
  type TimeRange,
  toIdRange,
  withinRange,
} from '../../postgres/lists/filtered-ids.js'
import { rowsRead } from '../../postgres/lists/newest-rows.js'
import {
  findTerms,
  hasOtherTerms,
  hasTerms,
  newestIdsWithTerm,
  type TermSearch,
} from '../../postgres/lists/search-terms.js'
import { type Sql, sql } from '../../postgres/sql.js'
import type { Queryable } from '../../postgres/transactions/tx.js'
import { type AccountKind, accountKinds, type Variance } from '../accounts/account.js'
import {
  findAccountIds,
  findIdsOfMerchantReference,
  hasMerchantReference,
  isOfAccountWith,
} from '../accounts/find-account-ids.js'
import { type PaymentStatus, paymentStatuses } from './payment.js'

export type PaymentFilter = TimeRange & {
  source?: AccountKind | undefined
  accountId?: string | undefined
  status?: PaymentStatus | undefined
  variance?: Variance | undefined
  currency?: Asset | undefined
  /** Both in the smallest unit of `amountAssets`. */
  amountMin?: bigint | undefined
  amountMax?: bigint | undefined
  amountAssets?: readonly Asset[] | undefined
  /** Words of the payer's name, or the number or address that paid. */
  sender?: string | undefined
  merchantReference?: string | undefined
  /** Any of: a reference, the merchant's reference, an account number, words of a name. */
  text?: string | undefined
  /** The caller may not see payers, so texts do not match their names and account numbers. */
  hidesPayers?: boolean | undefined
}

/** What the filters stand for, once texts are looked up. Undefined: nothing can match. */
type Lookups = {
  paymentId?: string
  accountIds?: string[]
  /** Only payments into accounts with this reference: there are too many to list. */
  merchantReference?: string
  terms: TermSearch[]
}

/** Newest first. */
export async function findPaymentPage(
  db: Queryable,
  environmentId: EnvironmentId,
  filter: PaymentFilter,
  page: { beforeId: string | undefined; limit: number },
): Promise<IdPage> {
  const search = await searchPayments(db, environmentId, filter, page)
  return search ? findPageOfIds(db, search, page.limit) : { ids: [], next: undefined }
}

export async function countPayments(
  db: Queryable,
  environmentId: EnvironmentId,
  filter: PaymentFilter,
): Promise<Count> {
  const all = { beforeId: undefined, limit: listLimits.countMax }
  const search = await searchPayments(db, environmentId, filter, all)
  return search ? countIds(db, search) : { count: 0, isComplete: true }
}

/** Reads the index that serves the most selective filter, and checks the others row by row. */
async function searchPayments(
  db: Queryable,
  environmentId: EnvironmentId,
  filter: PaymentFilter,
  { beforeId, limit }: { beforeId: string | undefined; limit: number },
): Promise<IdSearch | undefined> {
  const lookups = await lookUp(db, environmentId, filter)
  if (!lookups) return undefined
  const newestIds = await chooseIndex(db, environmentId, { filter, limit }, lookups)
  return {
    name: 'list_payments',
    table: 'payments',
    environmentId,
    newestIds: newestIds.read,
    conditions: conditionsOf(filter, lookups, newestIds.serves),
    range: toIdRange(filter, beforeId),
  }
}

async function lookUp(
  db: Queryable,
  environmentId: EnvironmentId,
  filter: PaymentFilter,
): Promise<Lookups | undefined> {
  const lookups: Lookups = { terms: [] }
  const { accountId, merchantReference, hidesPayers } = filter
  if (accountId !== undefined) {
    const isWanted =
      merchantReference === undefined ||
      (await hasMerchantReference(db, { environmentId, id: accountId }, merchantReference))
    if (!isWanted) return undefined
    lookups.accountIds = [accountId]
  } else if (merchantReference !== undefined) {
    const found = await findIdsOfMerchantReference(db, environmentId, merchantReference)
    if (found?.length === 0) return undefined
    if (found) lookups.accountIds = found
    else lookups.merchantReference = merchantReference
  }
  const texts = filter.sender === undefined ? [] : [filter.sender]
  if (filter.text !== undefined) {
    const id = fromReference(prefixes.payment, filter.text)
    if (id !== undefined) lookups.paymentId = id
    else {
      const found = await findAccountIds(db, environmentId, filter.text)
      if (found.length === 0) texts.push(filter.text)
      else lookups.accountIds = intersect(lookups.accountIds, found)
      if (lookups.accountIds?.length === 0) return undefined
    }
  }
  for (const text of texts) {
    const terms = await findTerms(db, { environmentId, kind: 'payment', text, hidesPayers })
    if (!terms) return undefined
    lookups.terms.push(terms)
  }
  return lookups
}

function intersect(one: string[] | undefined, other: string[]): string[] {
  return one ? one.filter((id) => other.includes(id)) : other
}

type Served = 'id' | 'account' | 'term' | 'amount' | 'variance' | 'source' | 'status' | 'none'

type Index = { read: IdSearch['newestIds']; serves: Served[] }

function isOnlyByStatus(filter: PaymentFilter, terms: TermSearch[]): boolean {
  const { source, variance, currency, amountMin, amountMax } = filter
  const others = [source, variance, currency, amountMin, amountMax]
  return terms.length === 0 && others.every((one) => one === undefined)
}

const sources = Object.keys(accountKinds) as AccountKind[]
const bankSources = sources.filter((source) => accountKinds[source].policy === 'bank')
const coinSources = sources.filter((source) => accountKinds[source].policy === 'crypto')

async function chooseIndex(
  db: Queryable,
  environmentId: EnvironmentId,
  { filter, limit }: { filter: PaymentFilter; limit: number },
  { paymentId, accountIds, terms }: Lookups,
): Promise<Index> {
  const statuses = filter.status ? [filter.status] : paymentStatuses
  const payments = { table: 'payments', environmentId }
  const status = { name: 'status', type: 'text', values: statuses } as const
  if (paymentId !== undefined) return { read: knownIds(payments, [paymentId]), serves: ['id'] }
  // The index on the status is right for short reads only: for long ones the planner assumes that
  // every payment of the status matches.
  if (accountIds && isOnlyByStatus(filter, terms) && limit <= limits.http.pageSizeMax)
    return {
      read: idsByIndex({
        ...payments,
        columns: [status, { name: 'account_id', type: 'uuid', values: accountIds, isLong: true }],
      }),
      serves: ['account', 'status'],
    }
  if (accountIds)
    return {
      read: (range, rows) => sql`(
        select found.id from unnest(${accountIds}::uuid[]) wanted (account_id)
        cross join lateral (
          select id from payments
          where environment_id = ${environmentId} and account_id = wanted.account_id
            ${withinRange(range)}
          order by environment_id desc, account_id desc, id desc
          limit ${sql.raw(String(rows))}) found)`,
      serves: ['account'],
    }
  if (terms.length > 0)
    return {
      read: (range, limit) => newestIdsWithTerm(terms[0]!, range, limit),
      serves: ['term'],
    }
  const byAmount = await newestIdsOfAmount(db, { ...payments, ...filter })
  if (byAmount) return { read: byAmount, serves: ['amount'] }
  if (filter.variance && filter.variance !== 'NONE')
    return {
      read: idsByIndex({
        ...payments,
        where: sql`variance <> 'NONE'`,
        columns: [{ name: 'variance', type: 'text', values: [filter.variance] }],
      }),
      serves: ['variance'],
    }
  const ofCurrency = filter.currency && (filter.currency === 'NGN' ? bankSources : coinSources)
  const wantedSources = filter.source ? [filter.source] : (ofCurrency ?? sources)
  if (filter.status || filter.source || ofCurrency)
    return {
      read: idsByIndex({
        ...payments,
        columns: [{ name: 'source', type: 'text', values: wantedSources }, status],
      }),
      serves: ['source', 'status'],
    }
  return {
    read: (range, limit) => sql`(
      select id from payments where environment_id = ${environmentId} ${withinRange(range)}
      order by id desc limit ${rowsRead(limit)})`,
    serves: ['none'],
  }
}

function conditionsOf(filter: PaymentFilter, lookups: Lookups, serves: Served[]): Sql[] {
  const isServed = (one: Served) => serves.includes(one)
  const { source, status, variance, currency, amountMin, amountMax } = filter
  const { accountIds, merchantReference, terms } = lookups
  const bySource = isServed('source') && source !== undefined
  // Accounts at banks receive naira only.
  const isNairaBySource = isServed('source') && source === undefined && currency === 'NGN'
  return [
    accountIds && !isServed('account') && sql`t.account_id = any (${accountIds}::uuid[])`,
    merchantReference !== undefined && isOfAccountWith(merchantReference),
    ...terms.flatMap((search, index) =>
      index === 0 && isServed('term') ? hasOtherTerms(search) : hasTerms(search),
    ),
    source && !bySource && sql`t.source = ${source}`,
    status && !isServed('status') && sql`t.status = ${status}`,
    variance && !isServed('variance') && sql`t.variance = ${variance}`,
    currency && !isServed('amount') && !isNairaBySource && sql`t.asset = ${currency}`,
    amountMin !== undefined && !isServed('amount') && sql`t.amount >= ${amountMin}`,
    amountMax !== undefined && !isServed('amount') && sql`t.amount <= ${amountMax}`,
  ].filter((condition): condition is Sql => Boolean(condition))
}

export function readAccountReference(reference: string): string {
  return fromReferenceOfAnyKind(reference) ?? unusedId
}
