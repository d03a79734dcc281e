import { strict as assert } from 'node:assert'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import type { EnvironmentId } from '../../src/base/environment.js'
import { createSeal } from '../../src/base/sealed.js'
import { Secret } from '../../src/base/secret.js'
import { createMerchant } from '../../src/merchants/create-merchant.js'
import { issueKey } from '../../src/merchants/keys/issue-key.js'
import type { Database } from '../../src/postgres/database.js'
import type { Random } from '../support/seed.js'
import { apiOf, type Site } from './storm-site.js'

export type Coin = 'USDC' | 'USDT'

export type Shop = { environmentId: EnvironmentId; secretKey: string }

export type PlannedWallet = {
  name: string
  shop: Shop
  /** Null for a dedicated wallet: any amount of either coin. */
  expected: { asset: Coin; amount: string } | null
  /** Set when the wallet is opened. */
  address: string
}

const shopCount = 3

/** Few amounts, so that many deposits are equal; the smallest is below the sweep threshold. */
export const amounts = ['1', '2.5', '0.05', '7', '0.000001']

/** Merchants of the service in this folder. */
export async function openShops(db: Database, home: string): Promise<Shop[]> {
  const seal = createSeal(new Secret(readFileSync(path.join(home, 'secret'), 'utf8').trim()))
  const shops: Shop[] = []
  for (let number = 0; number < shopCount; number += 1)
    shops.push(
      await db.transaction(async (tx) => {
        const now = new Date()
        const name = `Shop ${number}`
        const { environments } = await createMerchant(tx, now, name)
        const order = { seal, environment: environments.test, name, kind: 'secret' } as const
        const issued = await issueKey(tx, now, { ...order, expiresAt: null, allowedAddresses: [] })
        return { environmentId: environments.test.id, secretKey: issued.key.reveal() }
      }),
    )
  return shops
}

export async function openWallets(
  { baseUrl }: Site,
  { random, shops, count }: { random: Random; shops: Shop[]; count: number },
): Promise<PlannedWallet[]> {
  const { pick, integer } = random
  const planned = Array.from({ length: count }, (_, number): PlannedWallet => {
    const expected = { asset: pick(['USDC', 'USDT'] as const), amount: pick(amounts) }
    const isTemporary = integer(0, 1) === 1
    return {
      name: `wallet ${number}`,
      shop: pick(shops),
      address: '',
      expected: isTemporary ? expected : null,
    }
  })
  for (let from = 0; from < count; from += 20)
    await Promise.all(planned.slice(from, from + 20).map((wallet) => openOne(baseUrl, wallet)))
  return planned
}

async function openOne(baseUrl: string, wallet: PlannedWallet): Promise<void> {
  const { name, shop, expected } = wallet
  const kind = expected ? 'crypto-wallets' : 'dedicated-crypto-wallets'
  const fields = expected ? { merchantReference: name, ...expected } : { externalReference: name }
  const body = { ...fields, network: 'SOLANA' }
  const answer = await apiOf(baseUrl, shop.secretKey).post(`/v1/collections/${kind}`, name, body)
  assert.equal(answer?.status, 201, answer?.text)
  wallet.address = JSON.parse(answer.text).data.address
}
