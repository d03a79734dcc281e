import type { EnvironmentId } from '../../base/environment.js'
import { fromReference } from '../../base/ids.js'
import type { Asset } from '../../money/assets.js'
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
} from '../../postgres/lists/filtered-ids.js'
import {
  findTerms,
  hasOtherTerms,
  hasTerms,
  newestIdsWithTerm,
  type TermSearch,
} from '../../postgres/lists/search-terms.js'
import { type Sql, sql } from '../../postgres/sql.js'
import type { Queryable } from '../../postgres/transactions/tx.js'
import {
  type Payout,
  type PayoutKind,
  type PayoutStatus,
  payoutKinds,
  payoutStatuses,
  referenceOf,
} from '../payout.js'

export type TransferKind = Extract<PayoutKind, 'bank_transfer' | 'crypto_transfer'>

export const transferKinds: TransferKind[] = ['bank_transfer', 'crypto_transfer']

export type PayoutFilter = TimeRange & {
  kinds: readonly TransferKind[]
  status?: PayoutStatus | undefined
  currency?: Asset | undefined
  /** Both in the smallest unit of `amountAssets`. */
  amountMin?: bigint | undefined
  amountMax?: bigint | undefined
  amountAssets?: readonly Asset[] | undefined
  createdByKey?: string | undefined
  createdByUser?: string | undefined
  /** Words of the recipient's name, or the account number or address. */
  recipient?: string | undefined
  merchantReference?: string | undefined
  /** Any of: a reference, the merchant's reference, an account number, words of a name. */
  text?: string | undefined
}

/** Newest first. */
export async function findPayoutPage(
  db: Queryable,
  environmentId: EnvironmentId,
  filter: PayoutFilter,
  { beforeId, limit }: { beforeId: string | undefined; limit: number },
): Promise<IdPage> {
  const search = await searchPayouts(db, environmentId, filter, beforeId)
  return search ? findPageOfIds(db, search, limit) : { ids: [], next: undefined }
}

export async function countPayouts(
  db: Queryable,
  environmentId: EnvironmentId,
  filter: PayoutFilter,
): Promise<Count> {
  const search = await searchPayouts(db, environmentId, filter, undefined)
  return search ? countIds(db, search) : { count: 0, isComplete: true }
}

type Lookups = { payoutIds?: string[]; terms: TermSearch[] }

async function searchPayouts(
  db: Queryable,
  environmentId: EnvironmentId,
  wanted: PayoutFilter,
  beforeId: string | undefined,
): Promise<IdSearch | undefined> {
  const filter = { ...wanted, kinds: wanted.kinds.filter((kind) => paysIn(kind, wanted.currency)) }
  if (filter.kinds.length === 0) return undefined
  const lookups = await lookUp(db, environmentId, filter)
  if (!lookups) return undefined
  const index = await chooseIndex(db, environmentId, filter, lookups)
  return {
    name: 'list_payouts',
    table: 'payouts',
    environmentId,
    newestIds: index.read,
    conditions: conditionsOf(filter, lookups, index.serves),
    range: toIdRange(filter, beforeId),
  }
}

function paysIn(kind: TransferKind, currency: Asset | undefined): boolean {
  return currency === undefined || (kind === 'bank_transfer') === (currency === 'NGN')
}

/** Undefined: nothing can match. */
async function lookUp(
  db: Queryable,
  environmentId: EnvironmentId,
  { kinds, merchantReference, recipient, text }: PayoutFilter,
): Promise<Lookups | undefined> {
  const lookups: Lookups = { terms: [] }
  const texts = recipient === undefined ? [] : [recipient]
  if (merchantReference !== undefined)
    lookups.payoutIds = await findByReference(db, environmentId, kinds, merchantReference)
  if (text !== undefined) {
    const own = kinds.map((kind) => fromReference(payoutKinds[kind].prefix, text)).find(Boolean)
    const found = own ? [own] : await findByReference(db, environmentId, kinds, text)
    if (found.length === 0) texts.push(text)
    else lookups.payoutIds = lookups.payoutIds?.filter((id) => found.includes(id)) ?? found
  }
  if (lookups.payoutIds?.length === 0) return undefined
  for (const one of texts) {
    const terms = await findTerms(db, { environmentId, kind: 'payout', text: one })
    if (!terms) return undefined
    lookups.terms.push(terms)
  }
  return lookups
}

/**
 * A reference belongs to at most one payout of a kind. Reads the next reference at or after it, as
 * `selectReferences` does and for the same reason.
 */
async function findByReference(
  db: Queryable,
  environmentId: EnvironmentId,
  kinds: readonly TransferKind[],
  reference: string,
): Promise<string[]> {
  const rows = await db.rows(sql<{ id: string }>`
    select found.id from unnest(${kinds}::text[]) wanted (kind)
    cross join lateral (
      select id, merchant_reference from payouts
      where environment_id = ${environmentId} and kind = wanted.kind
        and merchant_reference is not null and merchant_reference >= ${reference}
      order by environment_id, kind, merchant_reference limit 1) found
    where found.merchant_reference = ${reference}`)
  return rows.map(({ id }) => id)
}

type Served = 'id' | 'term' | 'amount' | 'key' | 'user' | 'kind'

async function chooseIndex(
  db: Queryable,
  environmentId: EnvironmentId,
  filter: PayoutFilter,
  { payoutIds, terms }: Lookups,
): Promise<{ read: IdSearch['newestIds']; serves: Served }> {
  const payouts = { table: 'payouts', environmentId }
  if (payoutIds) return { read: knownIds(payouts, payoutIds), serves: 'id' }
  if (terms.length > 0)
    return {
      read: (range, limit) => newestIdsWithTerm(terms[0]!, range, limit),
      serves: 'term',
    }
  const isIndexed = sql`kind in ('bank_transfer', 'crypto_transfer')`
  const byAmount = await newestIdsOfAmount(db, { ...payouts, isIndexed, ...filter })
  if (byAmount) return { read: byAmount, serves: 'amount' }
  if (filter.createdByKey !== undefined)
    return {
      read: idsByIndex({
        ...payouts,
        where: sql`created_by_key is not null`,
        columns: [{ name: 'created_by_key', type: 'uuid', values: [filter.createdByKey] }],
      }),
      serves: 'key',
    }
  if (filter.createdByUser !== undefined)
    return {
      read: idsByIndex({
        ...payouts,
        where: sql`created_by_user is not null`,
        columns: [{ name: 'created_by_user', type: 'uuid', values: [filter.createdByUser] }],
      }),
      serves: 'user',
    }
  const statuses = filter.status ? [filter.status] : payoutStatuses
  return {
    read: idsByIndex({
      ...payouts,
      columns: [
        { name: 'kind', type: 'text', values: filter.kinds },
        { name: 'status', type: 'text', values: statuses },
      ],
    }),
    serves: 'kind',
  }
}

function conditionsOf(filter: PayoutFilter, { terms }: Lookups, serves: Served): Sql[] {
  const { kinds, status, currency, amountMin, amountMax, createdByKey, createdByUser } = filter
  // Its kind is that of bank transfers.
  const isNaira = currency === 'NGN'
  return [
    ...terms.flatMap((search, index) =>
      index === 0 && serves === 'term' ? hasOtherTerms(search) : hasTerms(search),
    ),
    // The other indexes have transfers only; an id may be that of a return.
    (serves === 'id' ||
      serves === 'user' ||
      serves === 'key' ||
      (serves !== 'kind' && kinds.length < transferKinds.length)) &&
      sql`t.kind = any (${kinds}::text[])`,
    serves !== 'kind' && status && sql`t.status = ${status}`,
    serves !== 'key' && createdByKey !== undefined && sql`t.created_by_key = ${createdByKey}`,
    serves !== 'user' && createdByUser !== undefined && sql`t.created_by_user = ${createdByUser}`,
    currency && serves !== 'amount' && !isNaira && sql`t.asset = ${currency}`,
    amountMin !== undefined && serves !== 'amount' && sql`t.amount >= ${amountMin}`,
    amountMax !== undefined && serves !== 'amount' && sql`t.amount <= ${amountMax}`,
  ].filter((condition): condition is Sql => Boolean(condition))
}

const signature = /^[1-9A-HJ-NP-Za-km-z]{64,88}$/

/**
 * The reference of the transfer or return that a transaction on the chain belongs to. Jumps from
 * rail to rail in the index of signatures: there are few rails.
 */
export async function findPayoutBySignature(
  db: Queryable,
  environmentId: EnvironmentId,
  text: string,
): Promise<string | undefined> {
  if (!signature.test(text)) return undefined
  const nextRail = (after: Sql) => sql`
    select rail from payout_attempts where valid_until is not null and ${after}
    order by rail limit 1`
  const [found] = await db.rows(sql<Pick<Payout, 'id' | 'kind'>>`
    with recursive rails as (
      (${nextRail(sql`true`)})
      union all
      select (${nextRail(sql`rail > rails.rail`)}) from rails where rails.rail is not null)
    select p.id, p.kind from rails
    join payout_attempts a
      on a.rail = rails.rail and a.token = ${text} and a.valid_until is not null
    join payouts p on p.environment_id = a.environment_id and p.id = a.payout_id
    where a.environment_id = ${environmentId}`)
  return found && referenceOf(found)
}
