import type { Mode } from '../../src/base/environment.js'
import { issueKey } from '../../src/merchants/keys/issue-key.js'
import type { KeyPermission } from '../../src/merchants/keys/key-permissions.js'
import type { Merchant, TestService } from './open-manilla.js'

type Described = { permissions?: KeyPermission[]; mode?: Mode; merchant?: Merchant }

/** Another secret key, restricted to these permissions if there are any. */
export async function addKey(
  service: Pick<TestService, 'db' | 'clock' | 'seal' | 'merchant'>,
  { permissions, mode = 'test', merchant = service.merchant }: Described = {},
): Promise<string> {
  const issued = await service.db.transaction((tx) =>
    issueKey(tx, service.clock.now(), {
      seal: service.seal,
      environment: merchant.environments[mode],
      kind: 'secret',
      name: permissions ? 'Restricted key' : 'Another key',
      expiresAt: null,
      allowedAddresses: [],
      permissions: permissions ?? null,
    }),
  )
  return issued.key.reveal()
}
