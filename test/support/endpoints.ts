import { randomBytes } from 'node:crypto'
import type { EnvironmentId } from '../../src/base/environment.js'
import { createSeal } from '../../src/base/sealed.js'
import { Secret } from '../../src/base/secret.js'
import type { Database } from '../../src/postgres/database.js'
import {
  type CreatedEndpoint,
  changeEndpoint,
  createEndpoint,
} from '../../src/webhooks/endpoints/change-endpoints.js'
import { showEndpoint } from '../../src/webhooks/endpoints/resource.js'
import { now } from './movements.js'

/** For tests without a service. */
export const testSecret = new Secret(randomBytes(32).toString('hex'))
export const testSeal = createSeal(testSecret)

type EndpointOptions = { url?: string; types?: string[] | null; isEnabled?: boolean; at?: Date }

/** An endpoint as the API creates it. */
export async function insertEndpoint(
  db: Database,
  environmentId: EnvironmentId,
  { url = 'https://example.com/', types = null, isEnabled = true, at = now }: EndpointOptions = {},
): Promise<CreatedEndpoint> {
  const order = { environment: { id: environmentId }, seal: testSeal, url, description: '' }
  return db.transaction(async (tx) => {
    const created = await createEndpoint(tx, at, { ...order, eventTypes: types })
    const name = { environmentId, reference: showEndpoint(created.endpoint).id }
    if (!isEnabled) await changeEndpoint(tx, name, { isEnabled })
    return created
  })
}
