import { strict as assert } from 'node:assert'
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import type { Config } from '../base/config.js'
import type { Environment } from '../base/environment.js'
import { newId } from '../base/ids.js'
import { Refusal } from '../base/refusal.js'
import type { Seal } from '../base/sealed.js'
import { createMerchant } from '../merchants/create-merchant.js'
import { listEnvironments } from '../merchants/environments.js'
import { issueKey } from '../merchants/keys/issue-key.js'
import { addBankAccount, makePrimary } from '../merchants/settings/bank-accounts.js'
import type { Asset } from '../money/assets.js'
import type { Database } from '../postgres/database.js'
import type { Tx } from '../postgres/transactions/tx.js'
import { type CoinMint, createFunding } from './test-funding.js'

type Keys = { publicKey: string; secretKey: string }

/** Contents of demo.json, for the command line and for developers. */
export type Demo = {
  baseUrl: string
  /** JSON-RPC URL of the localnet, for any Solana client. */
  solanaRpcUrl?: string
  merchant: { id: string; displayName: string }
  test: Keys
  live: Keys
}

const displayName = 'Ada Stores'
const fundings: [Asset, bigint][] = [
  ['NGN', 500_000_000n],
  ['USDC', 10_000_000_000n],
  ['USDT', 10_000_000_000n],
]

type DemoDependencies = { db: Database; seal: Seal; now: Date; mint: CoinMint | undefined }

/**
 * The merchant of a first start, created once. Its keys are stored only in demo.json: if that file
 * is missing, or its merchant is not in this database, a new one is created.
 */
export async function openDemo(
  dependencies: DemoDependencies & { home: string },
  { baseUrl, solanaRpcUrl }: { baseUrl: string; solanaRpcUrl?: string | undefined },
): Promise<Demo> {
  const file = path.join(dependencies.home, 'demo.json')
  const saved = readDemo(file)
  const exists = saved && (await listEnvironments(dependencies.db, saved.merchant.id)).length > 0
  const { merchant, test, live } = exists ? saved : await createDemo(dependencies)
  const demo = { baseUrl, ...(solanaRpcUrl && { solanaRpcUrl }), merchant, test, live }
  // Written atomically: a reader never sees half a file.
  writeFileSync(`${file}.new`, `${JSON.stringify(demo, null, 2)}\n`, { mode: 0o600 })
  renameSync(`${file}.new`, file)
  return demo
}

/** What the last start of an embedded service wrote down. */
export function findDemo(home: string): Demo | undefined {
  return readDemo(path.join(home, 'demo.json'))
}

/** JSON-RPC URL of the localnet at the last start. */
export function findChainUrl(home: string): string | undefined {
  return findDemo(home)?.solanaRpcUrl
}

/** URL of the service now or at its last start; undefined if unknown. */
export function findServiceUrl({ home, databaseUrl, publicUrl, host, port }: Config) {
  if (!databaseUrl) return findDemo(home)?.baseUrl
  const isWildcard = host === '0.0.0.0' || host === '::'
  const name = host.includes(':') ? `[${host}]` : host
  return publicUrl ?? `http://${isWildcard ? '127.0.0.1' : name}:${port}`
}

function readDemo(file: string): Demo | undefined {
  if (!existsSync(file)) return undefined
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as Demo
  } catch {
    throw new Error(`${file} is damaged. Delete it to get a new demo merchant with new keys.`)
  }
}

const bankAccount = { bankCode: '058', accountNumber: '0123456789', accountName: displayName }

/** In two transactions: money moves only in an environment that is committed. */
async function createDemo({ db, seal, now, mint }: DemoDependencies) {
  const { test, ...demo } = await db.transaction(async (tx) => {
    const merchant = await createMerchant(tx, now, displayName)
    const { test, live } = merchant.environments
    const keys = async (environment: Environment): Promise<Keys> => ({
      publicKey: await issue({ tx, now, seal, environment }, 'public'),
      secretKey: await issue({ tx, now, seal, environment }, 'secret'),
    })
    // Test settlements need a bank account to go to.
    await makePrimary(tx, await addBankAccount(tx, now, { environmentId: test.id, ...bankAccount }))
    return {
      merchant: { id: merchant.reference, displayName },
      testKeys: await keys(test),
      liveKeys: await keys(live),
      test,
    }
  })
  const outcomes = await db.transaction((tx) =>
    createFunding(mint)(
      tx,
      now,
      fundingsWith(mint).map(([asset, amount]) => ({
        id: newId(now),
        environmentId: test.id,
        asset,
        amount,
        purpose: 'test_funding',
      })),
    ),
  )
  assert(!outcomes.some((outcome) => outcome instanceof Refusal), 'demo balances are within limits')
  return { merchant: demo.merchant, test: demo.testKeys, live: demo.liveKeys }
}

/** Without a mint, as on an external test chain, only naira can be funded. */
function fundingsWith(mint: CoinMint | undefined): typeof fundings {
  return mint ? fundings : fundings.filter(([asset]) => asset === 'NGN')
}

async function issue(
  { tx, now, seal, environment }: { tx: Tx; now: Date; seal: Seal; environment: Environment },
  kind: 'public' | 'secret',
): Promise<string> {
  const issued = await issueKey(tx, now, {
    seal,
    environment,
    kind,
    name: `demo ${kind}`,
    expiresAt: null,
    allowedAddresses: [],
    // The console fills it into its examples.
    isRevealable: kind === 'secret' && environment.mode === 'test',
  })
  return issued.key.reveal()
}
