import { randomBytes } from 'node:crypto'
import { systemClock } from '../../src/base/clock.js'
import type { EnvironmentId } from '../../src/base/environment.js'
import { newId } from '../../src/base/ids.js'
import { createSeal } from '../../src/base/sealed.js'
import { Secret } from '../../src/base/secret.js'
import { fundAll } from '../../src/ledger/fund.js'
import { createMerchant } from '../../src/merchants/create-merchant.js'
import { issueKey } from '../../src/merchants/keys/issue-key.js'
import type { Database } from '../../src/postgres/database.js'
import type { Caller } from './journal.js'

export type FundedMerchant = { secret: Secret; environmentId: EnvironmentId; secretKey: string }

/** A merchant in test mode with a key and so many kobo. The secret is that of all processes. */
export async function openFundedMerchant(db: Database, amount: bigint): Promise<FundedMerchant> {
  const secret = new Secret(randomBytes(32).toString('hex'))
  const now = systemClock.now()
  const merchant = await db.transaction(async (tx) => {
    const { environments } = await createMerchant(tx, now, 'Market')
    const { key } = await issueKey(tx, now, {
      seal: createSeal(secret),
      kind: 'secret',
      name: 'Market',
      expiresAt: null,
      environment: environments.test,
      allowedAddresses: [],
    })
    return { environmentId: environments.test.id, secretKey: key.reveal() }
  })
  const { environmentId } = merchant
  const funding = { id: newId(now), environmentId, asset: 'NGN' as const, amount }
  await db.transaction((tx) => fundAll(tx, now, [{ ...funding, purpose: 'operator_credit' }]))
  return { ...merchant, secret }
}

export function identifyAt({ secretKey }: FundedMerchant) {
  return async (_caller: Caller) => ({ authorization: `Bearer ${secretKey}` })
}
