import { after, type RealTime } from '../../base/clock.js'
import type { Environment } from '../../base/environment.js'
import { newId } from '../../base/ids.js'
import { Refusal } from '../../base/refusal.js'
import type { Seal } from '../../base/sealed.js'
import type { Secret } from '../../base/secret.js'
import { lockEnvironment } from '../../merchants/environments.js'
import { sql } from '../../postgres/sql.js'
import type { Tx } from '../../postgres/transactions/tx.js'
import { makeSecret, makeSigningKey, readPreviousSecrets } from '../deliveries/signing.js'
import { webhookLimits } from '../limits.js'
import {
  type EndpointName,
  lockEndpoint,
  type WebhookEndpoint,
  webhookEndpoints,
} from './endpoint.js'

export type NewEndpoint = {
  environment: Pick<Environment, 'id'>
  seal: Seal
  url: string
  eventTypes: string[] | null
  description: string
}

/** The secret is returned once and never shown again. */
export type CreatedEndpoint = { endpoint: WebhookEndpoint; secret: Secret }

export async function createEndpoint(
  tx: Tx,
  now: RealTime,
  { environment, seal, url, eventTypes, description }: NewEndpoint,
): Promise<CreatedEndpoint> {
  // Serializes creates: two at once must not both be the tenth endpoint.
  await lockEnvironment(tx, environment.id)
  const [existing] = await tx.rows(sql<{ count: bigint }>`
    select count(*) as count from webhook_endpoints
    where environment_id = ${environment.id} and deleted_at is null`)
  if (existing!.count >= webhookLimits.endpointsPerEnvironmentMax) throw tooMany()

  const secret = makeSecret()
  const { signingKey, publicKey } = makeSigningKey()
  const endpoint: WebhookEndpoint = {
    environmentId: environment.id,
    id: newId(now),
    url,
    eventTypes,
    description,
    isEnabled: true,
    disabledReason: null,
    failingSince: null,
    publicKey,
    eventSequence: 0,
    createdAt: now,
  }
  const sealed = {
    secret: seal.seal(secret.reveal()),
    signingKey: seal.seal(signingKey.reveal()),
  }
  tx.write(webhookEndpoints.insert(endpoint, sealed))
  return { endpoint, secret }
}

export type EndpointChange = {
  url?: string
  eventTypes?: string[] | null
  description?: string
  isEnabled?: boolean
}

/** Absent fields stay as they are. A new URL, or enabling, resets the failing time. */
export async function changeEndpoint(
  tx: Tx,
  name: EndpointName,
  change: EndpointChange,
): Promise<WebhookEndpoint> {
  const endpoint = await lockEndpoint(tx, name)
  const { url, eventTypes, description, isEnabled } = { ...endpoint, ...change }
  const isFresh = url !== endpoint.url || (isEnabled && !endpoint.isEnabled)
  const reason = isEnabled ? null : (endpoint.disabledReason ?? 'merchant')
  const [changed] = await tx.rows(sql<WebhookEndpoint>`
    update webhook_endpoints w set url = ${url}, event_types = ${eventTypes},
      description = ${description}, is_enabled = ${isEnabled}, disabled_reason = ${reason},
      failing_since = case when ${isFresh} then null else failing_since end
    where environment_id = ${endpoint.environmentId} and id = ${endpoint.id}
    returning ${webhookEndpoints.of('w')}`)
  return changed!
}

/** Keeps the history of deliveries; sends no more. */
export async function deleteEndpoint(tx: Tx, now: RealTime, name: EndpointName): Promise<void> {
  const { environmentId, id } = await lockEndpoint(tx, name)
  tx.write(sql`
    update webhook_endpoints set deleted_at = ${now}, is_enabled = false,
      disabled_reason = coalesce(disabled_reason, 'merchant')
    where environment_id = ${environmentId} and id = ${id}`)
}

/** Previous secrets keep signing until their overlap ends, so that receivers can switch safely. */
export async function rotateSecret(
  tx: Tx,
  now: RealTime,
  { seal, ...name }: EndpointName & { seal: Seal },
): Promise<CreatedEndpoint> {
  const endpoint = await lockEndpoint(tx, name)
  const { environmentId, id } = endpoint
  const [row] = await tx.rows(sql<{ secret: string; previousSecrets: string }>`
    select secret, previous_secrets from webhook_endpoints
    where environment_id = ${environmentId} and id = ${id}`)
  const valid = readPreviousSecrets(row!.previousSecrets, now)
  if (valid.length >= webhookLimits.previousSecretsMax) throw tooManyRotations()

  const until = after(now, webhookLimits.secretOverlapMs).toISOString()
  const previous = JSON.stringify([...valid, { secret: row!.secret, until }])
  const secret = makeSecret()
  tx.write(sql`
    update webhook_endpoints set previous_secrets = ${previous},
      secret = ${seal.seal(secret.reveal())}
    where environment_id = ${environmentId} and id = ${id}`)
  return { endpoint, secret }
}

function tooManyRotations(): Refusal {
  return new Refusal('webhook_endpoint_failed', {
    reason: 'too_many',
    message: `The secret was rotated ${webhookLimits.previousSecretsMax} times within a day. Wait until the oldest one expires.`,
  })
}

function tooMany(): Refusal {
  return new Refusal('webhook_endpoint_failed', {
    reason: 'too_many',
    message: `An environment can have at most ${webhookLimits.endpointsPerEnvironmentMax} webhook endpoints. Delete one first.`,
  })
}
