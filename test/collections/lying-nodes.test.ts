import { randomBytes } from 'node:crypto'
import { base58 } from '@scure/base'
import { beforeEach, expect, onTestFinished, test } from 'vitest'
import { hour, minute, second } from '../../src/base/clock.js'
import { limits } from '../../src/base/limits.js'
import { examineWork } from '../../src/operations/doctor/examine-work.js'
import { reconcile } from '../../src/operations/reconcile/reconcile.js'
import { countDisputes, listDisputes } from '../../src/payouts/reconciliation/disputes.js'
import { sql } from '../../src/postgres/sql.js'
import { createSeedSigner, makeMnemonic } from '../../src/rails/solana/keys/seed.js'
import { createKeySigner } from '../../src/rails/solana/keys/signer.js'
import { createSolanaRail } from '../../src/rails/solana/rail.js'
import { depositLimits } from '../../src/wallets/limits.js'
import { newSecret, noOpenPayouts, silent } from '../rails/solana/rail.js'
import { openWallets } from '../rails/solana/wallets.js'
import { tokenAccountOf, usdc } from '../simulation/localnet/transfers.js'
import { isLongRun } from '../support/long-run.js'
import { inventDeposit, type LyingProxy, openLyingProxies } from '../support/lying-proxy.js'
import { noRails } from '../support/open-manilla.js'
import { openWithWallets, shopOf } from '../support/open-with-wallets.js'

/** Endpoints that lie, freeze or stop answering, in front of the embedded chain. */

const service = await openWithWallets()
const { db, clock, chain, rail } = service
const { blockhashAge } = limits.solana

let shop: ReturnType<typeof shopOf>
let count = 0
beforeEach(async () => {
  await service.settle()
  shop = shopOf(service, await service.addMerchant('Ada'))
})

const available = async () => (await shop.balance()).available

/** A wallet and the endpoints that its deposits are watched through. */
async function openWatched(endpoints: number) {
  const { address } = (await shop.openDedicated(`customer ${count++}`)).json.data
  const proxies = await openLyingProxies(chain, endpoints)
  const urls = proxies.map(({ url }) => url)
  const wallets = await openWallets(chain, { nodeUrls: urls, isPoor: true })
  const tokenAccount: string = await tokenAccountOf(address)
  /** Workers poll every second. */
  const watch = async (seconds: number) => {
    for (let passed = 0; passed < seconds; passed += 1) {
      clock.advance(second)
      await service.watch(wallets)
      await service.watchTroubled(wallets)
    }
  }
  return {
    watch,
    async watchForMinutes(minutes: number) {
      for (let passed = 0; passed < minutes; passed += 1) {
        clock.advance(minute)
        await watch(2)
      }
    },
    address: address as string,
    tokenAccount,
    proxies,
    wallets,
    async troubled() {
      const rows = await db.rows(sql`
        select from token_accounts where wallet = ${address} and has_trouble`)
      return rows.length
    },
    async invent(liar: LyingProxy, amount = 5_000_000_000n) {
      const slot: number = await chain.call('getSlot', { commitment: 'finalized' })
      const signature = base58.encode(randomBytes(64))
      const mint: string = usdc
      liar.lie(inventDeposit({ signature, slot, wallet: address, tokenAccount, mint, amount }))
      return signature
    },
  }
}

const liars = [
  ['two', 2, 0],
  ['three', 3, 2],
] as const
const moreLiars = [
  ['two', 2, 1],
  ['three', 3, 0],
  ['three', 3, 1],
] as const

test.each(isLongRun ? [...liars, ...moreLiars] : liars)(
  'a deposit invented by one of %s endpoints is not credited while the others are silent',
  async (_, endpoints, at) => {
    const { proxies, troubled, watch, watchForMinutes, invent } = await openWatched(endpoints)
    for (const [index, proxy] of proxies.entries()) if (index !== at) proxy.be('busy')
    await invent(proxies[at]!)
    await watch(5)
    await chain.advance(2 * blockhashAge)
    await watch(depositLimits.unreadPollsMax + 10)
    expect(await available()).toBe('0')
    expect(await troubled(), 'reported after a minute').toBeGreaterThan(0)
    for (const proxy of proxies) proxy.heal()
    await watchForMinutes(3)
    expect([await available(), await troubled()]).toEqual(['0', 0])
  },
)

test('a deposit invented by one of two endpoints is disputed until they agree', async () => {
  const { proxies, address, troubled, watch, watchForMinutes, invent } = await openWatched(2)
  const invented = await invent(proxies[0]!)
  await watch(3)
  expect(await available()).toBe('0')
  await chain.advance(2 * blockhashAge)
  await watch(3)
  expect([await available(), await troubled()]).toEqual(['0', 1])
  const disputes = await listDisputes(db, clock.now())
  const hosts = proxies.map(({ host }) => host).sort()
  expect(disputes).toMatchObject([{ rail: rail.name, subject: invented, hosts: hosts.join(', ') }])

  proxies[0]!.heal()
  await shop.deposit(address, '10')
  await chain.advance(33)
  await watchForMinutes(2)
  expect([await available(), await troubled()]).toEqual(['9.95', 0])
  clock.advance(hour)
  expect(await listDisputes(db, clock.now())).toEqual([])
})

test('while one of three lies, real deposits are credited and the dispute is reported', async () => {
  const { proxies, address, troubled, watch, invent } = await openWatched(3)
  const invented = await invent(proxies[1]!)
  await watch(3)
  await shop.deposit(address, '10')
  await chain.advance(33)
  await watch(4)
  await chain.advance(2 * blockhashAge)
  await shop.deposit(address, '20')
  await chain.advance(33)
  await watch(60)
  expect(await available()).toBe('29.85')
  expect(await troubled(), 'two of three agree that nothing is hidden').toBe(0)

  expect(await countDisputes(db, clock.now())).toEqual([{ rail: rail.name, count: 1 }])
  const findings = await examineWork({ db, clock })
  expect(JSON.stringify(findings)).toContain(invented)
  const rails = { solana: { test: rail, live: undefined }, rails: noRails }
  const results = await reconcile({ db, rails, confirmDelayMs: 0 }, clock.now())
  const differences = results.flatMap((one) => one.differences)
  expect(differences).toContainEqual(
    expect.objectContaining({ kind: 'endpoints_disagree', name: invented }),
  )
})

test.each(isLongRun ? [0, 1, 2] : [0])(
  'a frozen endpoint (%s of three) hides no deposit',
  async (at) => {
    const { proxies, address, watch } = await openWatched(3)
    await watch(4)
    await proxies[at]!.freeze()
    await shop.deposit(address, '10')
    await chain.advance(33)
    await watch(3)
    expect(await available()).toBe('9.95')
  },
)

test('while one of two is frozen, a deposit is delayed and reported, not lost', async () => {
  const { proxies, address, troubled, watch, watchForMinutes } = await openWatched(2)
  await watch(2)
  await proxies[0]!.freeze()
  await shop.deposit(address, '10')
  await chain.advance(100)
  await watch(depositLimits.unreadPollsMax + 5)
  expect([await available(), await troubled()]).toEqual(['0', 1])
  proxies[0]!.heal()
  await watchForMinutes(1)
  expect([await available(), await troubled()]).toEqual(['9.95', 0])
})

// Each poll queries one endpoint. "Nothing changed" from one that is far behind must not count.
test('every poll recognizes a frozen endpoint by its slot', async () => {
  const { proxies, address, tokenAccount, wallets } = await openWatched(3)
  const poll = () => wallets.pollAmounts([{ address: tokenAccount, amount: 0n }])
  for (let polls = 0; polls < 3; polls += 1) expect(await poll()).toEqual([0n])
  await proxies[1]!.freeze()
  await shop.deposit(address, '10')
  await chain.advance(limits.solana.slotLagMax + 40)
  // From the second poll on, another endpoint with a newer slot is known.
  await poll()
  for (let polls = 0; polls < 9; polls += 1) expect(await poll()).toEqual([10_000_000n])
})

// Two sets of wallets are polled in turn, and one of two endpoints always reports no change:
// neither set may always be polled by that endpoint.
test('no set of wallets is polled by the same endpoint each time', async () => {
  const { proxies, address, tokenAccount, wallets } = await openWatched(2)
  const poll = () => wallets.pollAmounts([{ address: tokenAccount, amount: 0n }])
  proxies[0]!.lie(({ method }, result) =>
    method === 'getMultipleAccounts'
      ? { ...result, value: result.value.map(() => null) }
      : undefined,
  )
  await shop.deposit(address, '10')
  await chain.advance(33)
  const seen: boolean[] = []
  for (let polls = 0; polls < 4; polls += 1) seen.push((await poll())[0] === null)
  expect([seen[0] || seen[2], seen[1] || seen[3]]).toEqual([true, true])
})

test('an endpoint that never answers delays a deposit but hides none', async () => {
  const { proxies, address, watch } = await openWatched(3)
  await watch(1)
  proxies[2]!.be('mute')
  await shop.deposit(address, '10')
  await chain.advance(33)
  await watch(2)
  expect(await available()).toBe('9.95')
}, 60_000)

test('one of three endpoints cannot hide a deposit by denying it', async () => {
  const { proxies, address, tokenAccount, watch } = await openWatched(3)
  proxies[0]!.lie(({ method, params }, result) => {
    if (method === 'getSignaturesForAddress' && params[0] === tokenAccount) return []
    if (method === 'getMultipleAccounts') return { ...result, value: result.value.map(() => null) }
    return method === 'getTransaction' ? null : undefined
  })
  await shop.deposit(address, '10')
  await chain.advance(33)
  await watch(3)
  expect(await available()).toBe('9.95')
})

// A test chain has no name until an endpoint has answered once.
test('deposits of a chain that answers late are reconciled under its name', async () => {
  const [proxy] = await openLyingProxies(chain, 1)
  proxy!.be('busy')
  const late = await createSolanaRail({
    nodeUrls: [proxy!.url],
    signer: createKeySigner(newSecret()),
    walletSigner: createSeedSigner(makeMnemonic()),
    clock,
    logger: silent,
    isEmbedded: true,
    network: 'not-mainnet',
    findOurAddresses: async () => new Set<string>(),
    openPayouts: noOpenPayouts,
  })
  onTestFinished(() => late.stop())
  proxy!.heal()
  const rails = { solana: { test: late, live: undefined }, rails: noRails }
  const results = await reconcile({ db, rails, confirmDelayMs: 0 }, clock.now())
  expect(results.map((one) => one.rail)).toEqual([rail.name, `${rail.name} deposits`])
})

// As documented: a single endpoint is trusted.
test('a single endpoint is trusted', async () => {
  const { proxies, watch, invent } = await openWatched(1)
  await invent(proxies[0]!)
  await watch(2)
  expect(await available()).toBe('4975')
})
