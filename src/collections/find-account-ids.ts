import type { EnvironmentId } from '../base/environment.js'
import { fromReference, prefixes } from '../base/ids.js'
import { limits } from '../base/limits.js'
import { sql } from '../postgres/sql.js'
import type { Queryable } from '../postgres/tx.js'
import { accountKinds, allAccountStatuses } from './account.js'
import { isSessionReference } from './find-sessions.js'

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
  const max = limits.lists.accountsPerReferenceMax
  const ofSession = isSessionReference(text)
    ? sql`reference = ${text}`
    : sql`merchant_reference = ${text}`
  const rows = await db.rows(sql<{ id: string }>`
    select a.id from (
      (select named.id from unnest(${kinds}::text[]) wanted_kind (name)
        cross join unnest(${[...allAccountStatuses]}::text[]) state (name)
        cross join lateral (
          select id from collection_accounts
          where environment_id = ${environmentId} and kind = wanted_kind.name
            and merchant_reference = ${text} and merchant_reference <> '' and status = state.name
          order by id desc limit ${max}) named)
      union (
        select id from collection_accounts
        where environment_id = ${environmentId} and number = ${text} order by id desc limit ${max})
      union (
        select unnest(array[account_id, wallet_id]) from (
          select account_id, wallet_id from checkout_sessions
          where environment_id = ${environmentId} and ${ofSession}
          order by id desc limit ${max}) s)) a
    where a.id is not null order by a.id desc limit ${max}`)
  return rows.map(({ id }) => id)
}
