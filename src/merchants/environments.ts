import type { Environment, EnvironmentId, Mode } from '../base/environment.js'
import { fromReference, prefixes } from '../base/ids.js'
import { Refusal } from '../base/refusal.js'
import { sql } from '../postgres/sql.js'
import type { Queryable, Tx } from '../postgres/transactions/tx.js'

/** An environment as operators name it: the merchant's reference and a mode. */
export type EnvironmentName = { merchant: string; mode: Mode }

/** Both environments of a merchant, test before live; empty for an unknown reference. */
export async function listEnvironments(db: Queryable, merchant: string): Promise<Environment[]> {
  const merchantId = fromReference(prefixes.merchant, merchant)
  if (merchantId === undefined) return []
  return db.rows(sql<Environment>`
    ${selectEnvironments} where e.merchant_id = ${merchantId} order by e.mode desc`)
}

const selectEnvironments = sql`
  select e.id, e.mode, e.merchant_id, m.display_name as merchant_name, e.clock_offset_ms::float8 as
    clock_offset_ms, e.collect_bank, e.payout_bank, m.suspended_at is not null as is_suspended,
    exists (select from recipients r where r.environment_id = e.id) as has_recipients
  from environments e join merchants m on m.id = e.merchant_id`

export async function getEnvironmentById(db: Queryable, id: EnvironmentId): Promise<Environment> {
  const [environment] = await db.rows(sql<Environment>`${selectEnvironments} where e.id = ${id}`)
  return environment!
}

export async function findEnvironment(
  db: Queryable,
  { merchant, mode }: EnvironmentName,
): Promise<Environment | undefined> {
  const environments = await listEnvironments(db, merchant)
  return environments.find((environment) => environment.mode === mode)
}

export async function getEnvironment(db: Queryable, name: EnvironmentName): Promise<Environment> {
  const environment = await findEnvironment(db, name)
  if (!environment) throw unknownMerchant(name.merchant)
  return environment
}

export function unknownMerchant(merchant: string): Refusal {
  return new Refusal('not_found', { message: `No merchant ${merchant} exists.` })
}

/**
 * Serializes changes to the setup of one environment. Inserts that only reference the environment,
 * such as payments and payouts, do not wait for it.
 */
export async function lockEnvironment(tx: Tx, id: EnvironmentId): Promise<void> {
  await tx.rows(sql`select from environments where id = ${id} for no key update`)
}

export async function getMerchantId(db: Queryable, id: EnvironmentId): Promise<string> {
  const [row] = await db.rows(sql<{ merchantId: string }>`
    select merchant_id from environments where id = ${id}`)
  return row!.merchantId
}
