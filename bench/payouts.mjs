/**
 * Crypto transfers over HTTP for one hot merchant on the embedded chain, beside the plain twin: rate
 * of creation (destination checked, signed, committed) and rate of landing.
 */
import { generateKeyPairSync, randomUUID } from 'node:crypto'
import { mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { base58 } from '@scure/base'
import { newId } from '../dist/base/ids.js'
import { fundAll } from '../dist/ledger/fund.js'
import { sql } from '../dist/postgres/sql.js'
import { callLocalnet, createCoinMint, giveLamports } from '../dist/simulation/embedded-chain.js'
import { startLocalnet } from '../dist/simulation/localnet/start.js'

/** A chain with a funded treasury, and the configuration of a server that uses it. */
export async function openChain(folder) {
  const chain = path.join(folder, 'chain')
  mkdirSync(chain, { recursive: true })
  const localnet = await startLocalnet({ folder: chain, slotMs: 100 })
  const { privateKey, publicKey } = generateKeyPairSync('ed25519')
  const seed = privateKey.export({ format: 'der', type: 'pkcs8' }).subarray(-32)
  const bytes = publicKey.export({ format: 'der', type: 'spki' }).subarray(-32)
  const keyFile = path.join(folder, 'treasury.json')
  writeFileSync(keyFile, JSON.stringify([...seed, ...bytes]), { mode: 0o600 })
  const treasuryAddress = base58.encode(bytes)
  await giveLamports(localnet.url, treasuryAddress)
  const mint = createCoinMint(localnet.url, { treasuryAddress })
  await mint.mintAll([{ key: randomUUID(), asset: 'USDC', amount: 10n ** 15n }])
  const env = { SOLANA_TEST_RPC_URLS: localnet.url, SOLANA_TEST_KEY_FILE: keyFile }
  return { ...localnet, env, treasuryAddress }
}

export async function fundMerchant(db, environmentId) {
  await db.transaction((tx) => {
    const now = new Date()
    const order = { id: newId(now), environmentId, asset: 'USDC', amount: 10n ** 14n }
    return fundAll(tx, now, [{ ...order, purpose: 'operator_credit' }])
  })
}

export function transferPlan(wallet) {
  const body = { amount: '0.01', asset: 'USDC', network: 'SOLANA', destinationAddress: wallet }
  return { method: 'POST', path: '/v1/disbursements/crypto', body: JSON.stringify(body) }
}

export function makeWallet() {
  const { publicKey } = generateKeyPairSync('ed25519')
  return base58.encode(publicKey.export({ format: 'der', type: 'spki' }).subarray(-32))
}

/** Transfers created, and how many of them landed. */
export async function countTransfers(db, { url }) {
  const [{ created }] = await db.rows(sql`select count(*)::int as created from payouts`)
  const info = await callLocalnet(url, 'getEpochInfo', [])
  return { created, landed: info.transactionCount }
}
