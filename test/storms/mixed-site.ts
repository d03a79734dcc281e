import { randomBytes } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { base58 } from '@scure/base'
import { systemClock } from '../../src/base/clock.js'
import type { EnvironmentId } from '../../src/base/environment.js'
import { newId } from '../../src/base/ids.js'
import { createSeal } from '../../src/base/sealed.js'
import { Secret } from '../../src/base/secret.js'
import { changeStock } from '../../src/conversions/positions.js'
import { fundAll } from '../../src/ledger/fund.js'
import { createMerchant } from '../../src/merchants/create-merchant.js'
import { issueKey } from '../../src/merchants/keys/issue-key.js'
import { addBankAccount, makePrimary } from '../../src/merchants/settings/bank-accounts.js'
import type { Database } from '../../src/postgres/database.js'
import { makeKeyBytes, privateKeyOf, publicBytesOf } from '../../src/rails/ed25519.js'
import { openKeyFile } from '../../src/rails/solana/keys/signer.js'
import { createCoinMint, giveLamports } from '../../src/simulation/embedded-chain.js'
import { type Localnet, startLocalnet } from '../../src/simulation/localnet/start.js'
import { magicRules } from '../../src/simulation/magic-wallets.js'
import { createSession } from '../../src/team/sessions.js'
import { addMembership, createUser } from '../../src/team/users.js'
import type { Caller } from './journal.js'

/** Fast enough that a blockhash expires within seconds when an API process dies before it sends. */
const slotMs = 100
const walletCount = 40
/** Enough for hours, in the smallest unit. */
export const credits = { NGN: 10n ** 14n, USDC: 10n ** 13n, USDT: 10n ** 13n }
const coins = ['USDC', 'USDT'] as const
const primaryAccount = { bankCode: '058', accountNumber: '0123456789', accountName: 'Ada Obi' }

type Merchant = { environmentId: EnvironmentId; reference: string; secretKey: string }

/** What later runs on the same folder need to know. */
type Saved = {
  /** Its API key pays without approval. */
  free: Merchant
  /** Its payouts wait until a second member approves. */
  guarded: Merchant
  maker: string
  approver: string
  wallets: string[]
}

export type MixedSite = Saved & {
  db: Database
  secret: Secret
  chain: Localnet
  treasuryAddress: string
  /** Environment variables of all processes. */
  variables: Record<string, string>
}

/** Merchants with money on all rails. An existing folder continues with what it has. */
export async function openMixedSite(db: Database, folder: string): Promise<MixedSite> {
  const secret = new Secret(
    readOrCreate(folder, 'secret.txt', () => randomBytes(32).toString('hex')),
  )
  const keyFile = path.join(folder, 'treasury.json')
  readOrCreate(folder, 'treasury.json', () => JSON.stringify([...makeKeyBytes()]))
  const chainFolder = path.join(folder, 'chain')
  mkdirSync(chainFolder, { recursive: true })
  const chain = await startLocalnet({ folder: chainFolder, slotMs, rules: magicRules() })
  const treasuryAddress = openKeyFile(keyFile).address
  await giveLamports(chain.url, treasuryAddress)
  const siteFile = path.join(folder, 'site.json')
  if (!existsSync(siteFile)) {
    const saved = await createMerchants(db, secret)
    await giveMoney(db, saved)
    // Coins of both merchants, and those that the operator sells in conversions.
    const mint = createCoinMint(chain.url, { treasuryAddress }, { waitsForBlock: true })
    await mint.mintAll(
      coins.map((asset) => ({ key: `all ${asset}`, asset, amount: 3n * credits[asset] })),
    )
    writeFileSync(siteFile, JSON.stringify(saved))
  }
  return {
    ...(JSON.parse(readFileSync(siteFile, 'utf8')) as Saved),
    db,
    secret,
    chain,
    treasuryAddress,
    variables: { SOLANA_TEST_RPC_URLS: chain.url, SOLANA_TEST_KEY_FILE: keyFile },
  }
}

function readOrCreate(folder: string, name: string, create: () => string): string {
  const file = path.join(folder, name)
  if (!existsSync(file)) writeFileSync(file, create(), { mode: 0o600 })
  return readFileSync(file, 'utf8')
}

function createMerchants(db: Database, secret: Secret): Promise<Saved> {
  return db.transaction(async (tx) => {
    const now = systemClock.now()
    const add = async (name: string) => {
      const { id, reference, environments } = await createMerchant(tx, now, name)
      const { key } = await issueKey(tx, now, {
        seal: createSeal(secret),
        kind: 'secret',
        name,
        expiresAt: null,
        environment: environments.test,
        allowedAddresses: [],
      })
      return { id, reference, secretKey: key.reveal(), environmentId: environments.test.id }
    }
    const { id: _, ...free } = await add('Free')
    const { id: merchantId, ...guarded } = await add('Guarded')
    const addMember = (name: string, role: 'owner' | 'finance') => {
      const email = `${name.toLowerCase()}@example.com`
      const userId = createUser(tx, now, { email, name, isOperator: false })
      addMembership(tx, now, { merchantId, userId, role, maySeeLive: false })
      return userId
    }
    const wallets = Array.from({ length: walletCount }, newAddress)
    const [maker, approver] = [addMember('Ada', 'owner'), addMember('Bola', 'finance')]
    return { free, guarded, maker, approver, wallets }
  })
}

/** Balances of both merchants, coins for the operator to sell, and where settlements go. */
function giveMoney(db: Database, { free, guarded }: Saved): Promise<void> {
  return db.transaction(async (tx) => {
    const now = systemClock.now()
    const fundings = [free, guarded].flatMap(({ environmentId }) =>
      (['NGN', ...coins] as const).map((asset) => ({
        id: newId(now),
        environmentId,
        asset,
        amount: credits[asset],
        purpose: 'operator_credit' as const,
      })),
    )
    await fundAll(tx, now, fundings)
    for (const asset of coins) {
      const amount = credits[asset]
      changeStock(tx, now, { mode: 'test', asset, amount, givenBy: 'storm', note: 'For the storm' })
    }
    const { environmentId } = free
    const account = await addBankAccount(tx, now, { environmentId, ...primaryAccount })
    await makePrimary(tx, account, null)
  })
}

function newAddress(): string {
  return base58.encode(publicBytesOf(privateKeyOf(randomBytes(32))))
}

/** The cookie of a new session with a fresh proof of a second factor. */
async function signIn({ db }: MixedSite, userId: string): Promise<string> {
  const now = systemClock.now()
  const place = { address: '127.0.0.1', browser: 'storm' }
  const session = { userId, isOperator: false, hasSecondFactor: true, provenAt: now, ...place }
  return `manilla=${await db.transaction(async (tx) => createSession(tx, now, session))}`
}

/** Sessions prove a second factor for five minutes. */
const sessionMs = 120_000

/** Tells processes who calls: the key of the free merchant, or a member of the guarded one. */
export function identifyIn(site: MixedSite) {
  const cookies = new Map<Caller, { cookie: Promise<string>; until: number }>()
  return async (caller: Caller, origin: string): Promise<Record<string, string>> => {
    const { free, guarded, maker, approver } = site
    if (caller === 'key') return { authorization: `Bearer ${free.secretKey}` }
    const known = cookies.get(caller)
    const isFresh = known !== undefined && performance.now() < known.until
    const userId = caller === 'maker' ? maker : approver
    const session = isFresh
      ? known
      : { cookie: signIn(site, userId), until: performance.now() + sessionMs }
    cookies.set(caller, session)
    return {
      cookie: await session.cookie,
      origin,
      'x-manilla-console': '1',
      'manilla-merchant': guarded.reference,
      'manilla-mode': 'test',
    }
  }
}
