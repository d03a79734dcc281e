import type { EnvironmentId } from '../../base/environment.js'
import { fromReference, prefixes } from '../../base/ids.js'
import { notFound, Refusal } from '../../base/refusal.js'
import { sql } from '../../postgres/sql.js'
import { column, Table } from '../../postgres/table.js'
import type { Queryable, Tx } from '../../postgres/transactions/tx.js'
import type { SealedKeys } from '../deliveries/message.js'

export type DisabledReason = 'merchant' | 'gone' | 'failing'

/** A merchant's URL that receives events. Its sealed secrets stay in the table. */
export type WebhookEndpoint = typeof webhookEndpoints.row

export const webhookEndpoints = new Table('webhook_endpoints', {
  environmentId: column.int4<EnvironmentId>(),
  id: column.uuid(),
  url: column.text(),
  /** Types or wildcards such as `payment.*`; null for everything. */
  eventTypes: column.texts().orNull(),
  description: column.text(),
  isEnabled: column.bool(),
  disabledReason: column.text<DisabledReason>().orNull(),
  failingSince: column.time().orNull(),
  publicKey: column.text(),
  eventSequence: column.int4(),
  createdAt: column.time(),
})

export type EndpointName = { environmentId: EnvironmentId; reference: string }

export async function listEndpoints(
  db: Queryable,
  environmentId: EnvironmentId,
): Promise<WebhookEndpoint[]> {
  return db.rows(sql<WebhookEndpoint>`
    select ${webhookEndpoints.of('w')} from webhook_endpoints w
    where environment_id = ${environmentId} and deleted_at is null
    order by created_at desc, id desc`)
}

export async function getEndpoint(db: Queryable, name: EndpointName): Promise<WebhookEndpoint> {
  return findOrRefuse(name, (id) =>
    db.rows(sql<WebhookEndpoint>`
      select ${webhookEndpoints.of('w')} from webhook_endpoints w
      where environment_id = ${name.environmentId} and id = ${id} and deleted_at is null`),
  )
}

/** The keys that sign for an endpoint, also while it is disabled; undefined if it was deleted. */
export async function findEndpointKeys(
  db: Queryable,
  { environmentId, reference }: EndpointName,
): Promise<SealedKeys | undefined> {
  const id = fromReference(prefixes.webhookEndpoint, reference)
  if (!id) return undefined
  const [keys] = await db.rows(sql<SealedKeys>`
    select secret as sealed_secret, previous_secrets as sealed_previous_secrets,
      signing_key as sealed_signing_key
    from webhook_endpoints
    where environment_id = ${environmentId} and id = ${id} and deleted_at is null`)
  return keys
}

export async function lockEndpoint(tx: Tx, name: EndpointName): Promise<WebhookEndpoint> {
  return findOrRefuse(name, (id) =>
    tx.rows(sql<WebhookEndpoint>`
      select ${webhookEndpoints.of('w')} from webhook_endpoints w
      where environment_id = ${name.environmentId} and id = ${id} and deleted_at is null
      for no key update`),
  )
}

/** Refuses a disabled endpoint: only the merchant enables it. */
export async function getEnabledEndpoint(
  db: Queryable,
  name: EndpointName,
): Promise<WebhookEndpoint> {
  return refuseDisabled(await getEndpoint(db, name))
}

export async function lockEnabledEndpoint(tx: Tx, name: EndpointName): Promise<WebhookEndpoint> {
  return refuseDisabled(await lockEndpoint(tx, name))
}

function refuseDisabled(endpoint: WebhookEndpoint): WebhookEndpoint {
  if (endpoint.isEnabled) return endpoint
  throw new Refusal('webhook_endpoint_failed', {
    reason: 'endpoint_disabled',
    message: 'This webhook endpoint is disabled. Enable it first: PATCH {"enabled": true}.',
  })
}

async function findOrRefuse(
  { reference }: EndpointName,
  find: (id: string) => Promise<WebhookEndpoint[]>,
): Promise<WebhookEndpoint> {
  const id = fromReference(prefixes.webhookEndpoint, reference)
  const [endpoint] = id ? await find(id) : []
  if (!endpoint) throw notFound('webhook endpoint', reference)
  return endpoint
}
