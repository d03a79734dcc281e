import type { EnvironmentId } from '../../base/environment.js'
import { fromReference, prefixes } from '../../base/ids.js'
import { listLimits } from '../../postgres/limits.js'
import { type Sql, sql } from '../../postgres/sql.js'
import type { Queryable } from '../../postgres/transactions/tx.js'
import { isSessionReference } from '../sessions/find-sessions.js'
import { sessionStatuses } from '../sessions/session.js'
import { accountKinds, allAccountStatuses } from './account.js'

const max = listLimits.accountsPerReferenceMax
const kinds = Object.keys(accountKinds)
const accountPrefixes = [
  prefixes.virtualAccount,
  prefixes.dedicatedAccount,
  prefixes.cryptoWallet,
  prefixes.dedicatedCryptoWallet,
]

/**
 * The newest collection accounts that a text names: by reference, by the merchant's reference of
 * the account or its checkout session, by account number or wallet address.
 */
export async function findAccountIds(
  db: Queryable,
  environmentId: EnvironmentId,
  text: string,
): Promise<string[]> {
  const own = accountPrefixes.map((prefix) => fromReference(prefix, text)).find(Boolean)
  if (own) return [own]
  const byNumber = sql`(
    select id from collection_accounts
    where environment_id = ${environmentId} and number = ${text} order by id desc limit ${max})`
  const sources = [byNumber, ofMerchantReference(environmentId, text)]
  if (isSessionReference(text))
    sources.push(sql`(
      select unnest(array[account_id, wallet_id]) from checkout_sessions
      where environment_id = ${environmentId} and reference = ${text})`)
  return findNewest(db, sources)
}

/** Undefined: there are too many to list. */
export async function findIdsOfMerchantReference(
  db: Queryable,
  environmentId: EnvironmentId,
  reference: string,
): Promise<string[] | undefined> {
  const ids = await findNewest(db, [ofMerchantReference(environmentId, reference)])
  return ids.length < max ? ids : undefined
}

/** Whether the account, or its checkout session, has this reference. */
export async function hasMerchantReference(
  db: Queryable,
  { environmentId, id }: { environmentId: EnvironmentId; id: string },
  reference: string,
): Promise<boolean> {
  const rows = await db.rows(sql`
    select ${accountWithSession(reference)}
      and a.environment_id = ${environmentId} and a.id = ${id}`)
  return rows.length > 0
}

/** The same as a condition on a payment `t`. */
export function isOfAccountWith(reference: string): Sql {
  return sql`exists (
    select ${accountWithSession(reference)}
      and a.environment_id = t.environment_id and a.id = t.account_id)`
}

function accountWithSession(reference: string): Sql {
  return sql`
    from collection_accounts a
    left join checkout_sessions s on s.environment_id = a.environment_id and s.id = a.session_id
    where (a.merchant_reference = ${reference} or s.merchant_reference = ${reference})`
}

async function findNewest(db: Queryable, sources: Sql[]): Promise<string[]> {
  const rows = await db.rows(sql<{ id: string }>`
    select a.id from (${sql.join(sources, sql` union `)}) a (id)
    where a.id is not null order by a.id desc limit ${max}`)
  return rows.map(({ id }) => id)
}

/** One range of an index for each kind and status, so that many accounts cost no more than few. */
function ofMerchantReference(environmentId: EnvironmentId, reference: string): Sql {
  return sql`(
    select named.id from unnest(${kinds}::text[]) wanted_kind (name)
    cross join unnest(${[...allAccountStatuses]}::text[]) state (name)
    cross join lateral (
      select id from collection_accounts
      where environment_id = ${environmentId} and kind = wanted_kind.name
        and merchant_reference = ${reference} and merchant_reference <> '' and status = state.name
      order by id desc limit ${max}) named
    union all
    select unnest(array[named.account_id, named.wallet_id])
    from unnest(${[...sessionStatuses]}::text[]) state (name)
    cross join lateral (
      select account_id, wallet_id from checkout_sessions
      where environment_id = ${environmentId} and merchant_reference = ${reference}
        and merchant_reference is not null and status = state.name
      order by id desc limit ${max}) named)`
}
