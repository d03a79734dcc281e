import type { EnvironmentId } from '../base/environment.js'
import { fromReference, prefixes } from '../base/ids.js'
import { notFound, Refusal } from '../base/refusal.js'
import { sql } from '../postgres/sql.js'
import type { Reader, Tx } from '../postgres/tx.js'

/** Where a merchant hears of events. Its secrets stay in the table, sealed. */
export type WebhookEndpoint = {
  environmentId: EnvironmentId
  id: string
  url: string
  /** Types or wildcards such as `payment.*`; null for everything. */
  eventTypes: string[] | null
  description: string
  isEnabled: boolean
  disabledReason: DisabledReason | null
  failingSince: Date | null
  publicKey: string
  eventSequence: number
  createdAt: Date
}

export type DisabledReason = 'merchant' | 'gone' | 'failing'

/** Of the table under this name. */
export function columnsOf(w: string): string {
  return `${w}.environment_id as "environmentId", ${w}.id, ${w}.url, ${w}.description,
    ${w}.event_types as "eventTypes", ${w}.is_enabled as "isEnabled",
    ${w}.disabled_reason as "disabledReason", ${w}.failing_since as "failingSince",
    ${w}.public_key as "publicKey", ${w}.event_sequence as "eventSequence",
    ${w}.created_at as "createdAt"`
}

export const endpointColumns = sql.raw(columnsOf('webhook_endpoints'))

export type EndpointName = { environmentId: EnvironmentId; reference: string }

export async function listEndpoints(
  db: Reader,
  environmentId: EnvironmentId,
): Promise<WebhookEndpoint[]> {
  return db.rows(sql<WebhookEndpoint>`
    select ${endpointColumns} from webhook_endpoints
    where environment_id = ${environmentId} and deleted_at is null
    order by created_at desc, id desc`)
}

export async function getEndpoint(db: Reader, name: EndpointName): Promise<WebhookEndpoint> {
  return one(name, (id) =>
    db.rows(sql<WebhookEndpoint>`
      select ${endpointColumns} from webhook_endpoints
      where environment_id = ${name.environmentId} and id = ${id} and deleted_at is null`),
  )
}

/** The same, locked: changes of one endpoint take turns. */
export async function lockEndpoint(tx: Tx, name: EndpointName): Promise<WebhookEndpoint> {
  return one(name, (id) =>
    tx.rows(sql<WebhookEndpoint>`
      select ${endpointColumns} from webhook_endpoints
      where environment_id = ${name.environmentId} and id = ${id} and deleted_at is null
      for no key update`),
  )
}

/** Nothing can be sent to a disabled one; enabling it is the merchant's own step. */
export async function getEnabledEndpoint(db: Reader, name: EndpointName): Promise<WebhookEndpoint> {
  return enabled(await getEndpoint(db, name))
}

export async function lockEnabledEndpoint(tx: Tx, name: EndpointName): Promise<WebhookEndpoint> {
  return enabled(await lockEndpoint(tx, name))
}

function enabled(endpoint: WebhookEndpoint): WebhookEndpoint {
  if (endpoint.isEnabled) return endpoint
  throw new Refusal('webhook_endpoint_failed', {
    reason: 'endpoint_disabled',
    message: 'This webhook endpoint is disabled. Enable it first: PATCH {"enabled": true}.',
  })
}

async function one(
  { reference }: EndpointName,
  find: (id: string) => Promise<WebhookEndpoint[]>,
): Promise<WebhookEndpoint> {
  const id = fromReference(prefixes.webhookEndpoint, reference)
  const [endpoint] = id ? await find(id) : []
  if (!endpoint) throw notFound('webhook endpoint', reference)
  return endpoint
}
