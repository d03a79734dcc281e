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
import { issueKey } from '../merchants/issue-key.js'
import type { Asset } from '../money/assets.js'
import type { Database } from '../postgres/database.js'
import type { Tx } from '../postgres/tx.js'
import { type CoinMint, createFunding } from './test-funding.js'

type Keys = { publicKey: string; secretKey: string }

/** What demo.json holds, for the command line and for people. */
export type Demo = {
  baseUrl: string
  /** Where the embedded chain answers any Solana client. */
  solanaRpcUrl?: string
  merchant: { id: string; displayName: string }
  test: Keys
  live: Keys
}

const displayName = 'Ada Stores'
const gifts: [Asset, bigint][] = [
  ['NGN', 500_000_000n],
  ['USDC', 10_000_000_000n],
  ['USDT', 10_000_000_000n],
]

type Tools = { db: Database; seal: Seal; now: Date; mint: CoinMint | undefined }

/**
 * The merchant a newcomer starts with, made once. Its keys are kept only in demo.json, so where
 * that file is gone, or names a merchant this database does not know, a new one is made.
 */
export async function openDemo(
  tools: Tools & { home: string },
  where: { baseUrl: string; solanaRpcUrl?: string | undefined },
): Promise<Demo> {
  const file = path.join(tools.home, 'demo.json')
  const kept = readDemo(file)
  const isKnown = kept && (await listEnvironments(tools.db, kept.merchant.id)).length > 0
  const { baseUrl, solanaRpcUrl } = where
  const { merchant, test, live } = isKnown ? kept : await createDemo(tools)
  const demo = { baseUrl, ...(solanaRpcUrl && { solanaRpcUrl }), merchant, test, live }
  // Whole or not at all: a reader never sees half a file.
  writeFileSync(`${file}.new`, `${JSON.stringify(demo, null, 2)}\n`, { mode: 0o600 })
  renameSync(`${file}.new`, file)
  return demo
}

/** Where the embedded chain answered when the service last started. */
export function findChainUrl(home: string): string | undefined {
  return readDemo(path.join(home, 'demo.json'))?.solanaRpcUrl
}

/** Where the service answers, or did when it last started; undefined where nothing is known. */
export function findServiceUrl({ home, databaseUrl, publicUrl, host, port }: Config) {
  if (!databaseUrl) return readDemo(path.join(home, 'demo.json'))?.baseUrl
  const isEverywhere = host === '0.0.0.0' || host === '::'
  const name = host.includes(':') ? `[${host}]` : host
  return publicUrl ?? `http://${isEverywhere ? '127.0.0.1' : name}:${port}`
}

function readDemo(file: string): Demo | undefined {
  if (!existsSync(file)) return undefined
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as Demo
  } catch {
    throw new Error(`${file} is damaged. Delete it to get a new demo merchant with new keys.`)
  }
}

async function createDemo({ db, seal, now, mint }: Tools) {
  return db.transaction(async (tx) => {
    const merchant = await createMerchant(tx, now, displayName)
    const { test, live } = merchant.environments
    const keys = async (environment: Environment): Promise<Keys> => ({
      publicKey: await issue({ tx, now, seal, environment }, 'public'),
      secretKey: await issue({ tx, now, seal, environment }, 'secret'),
    })
    const demo = {
      merchant: { id: merchant.reference, displayName },
      test: await keys(test),
      live: await keys(live),
    }
    const outcomes = await createFunding(mint)(
      tx,
      now,
      giftsWith(mint).map(([asset, amount]) => ({
        id: newId(now),
        environmentId: test.id,
        asset,
        amount,
        purpose: 'test_funding',
      })),
    )
    assert(!outcomes.some((outcome) => outcome instanceof Refusal), 'the gifts fit')
    return demo
  })
}

/** Without a mint, as on an external test chain, coins cannot be given. */
function giftsWith(mint: CoinMint | undefined): typeof gifts {
  return mint ? gifts : gifts.filter(([asset]) => asset === 'NGN')
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
  })
  return issued.key.reveal()
}
