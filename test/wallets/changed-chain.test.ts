import { Registry } from 'prom-client'
import { describe, expect, test } from 'vitest'
import { systemClock } from '../../src/base/clock.js'
import { readConfig } from '../../src/base/config.js'
import { createLogger } from '../../src/base/log.js'
import { examineEndpoints } from '../../src/operations/doctor/examine-rails.js'
import { addRailMetrics } from '../../src/operations/metrics/process-metrics.js'
import { pollPayouts } from '../../src/payouts/attempts/poll-payouts.js'
import type { PayoutRail } from '../../src/payouts/ports.js'
import { createSolanaRail } from '../../src/rails/solana/rail.js'
import { createPinnedChain } from '../../src/rails/solana/rpc/store-chains.js'
import { createLocalnetPayers, giveLamports } from '../../src/simulation/embedded-chain.js'
import { noOpenPayouts } from '../rails/solana/rail.js'
import { openChain, type Rpc } from '../simulation/localnet/localnet.js'
import { balanceOf, newWallet } from '../simulation/localnet/transfers.js'
import { afterFile } from '../support/after-file.js'
import { isLongRun } from '../support/long-run.js'
import { openWithWallets, shopOf } from '../support/open-with-wallets.js'
import { until } from '../support/sessions.js'
import { expectAllProofs } from '../support/sound-books.js'
import { openSwitchingProxy, type SwitchingProxy } from '../support/switching-proxy.js'

/**
 * The chain behind RPC URLs changes: a failover of the provider, a wrong record in DNS. Nothing of
 * the other chain may be credited, no payout may happen on both, and the operator must be notified.
 */

const silent = createLogger('silent')
const untilFinal = 33
const untilGone = 150 + 2 * untilFinal

const table: { nodes: string; when: string; deposit: string; payout: string; named: string }[] = []
afterFile(() => {
  const columns = ['nodes', 'when', 'deposit', 'payout', 'named'] as const
  const lines = table.map((row) => columns.map((column) => row[column].padEnd(28)).join('| '))
  const head = columns.map((column) => column.padEnd(28)).join('| ')
  process.stdout.write(`\n${[head, ...lines].join('\n')}\n`)
})

/** The other chain, on which the hot wallet has the same coins. */
const other = await openChain()

async function fundOnOther(treasuryAddress: string): Promise<void> {
  await giveLamports(other.url, treasuryAddress)
  await other.call('localnet_mint', [
    {
      owner: treasuryAddress,
      mint: 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v',
      amount: '1000000000',
      key: crypto.randomUUID(),
    },
  ])
  await other.advance(untilFinal)
}

async function depositOn(chain: Rpc, address: string, amount: bigint): Promise<void> {
  const payers = createLocalnetPayers(chain.url, { waitsForBlock: false })
  await payers.deposit({ key: crypto.randomUUID(), address, asset: 'USDC', amount })
}

/** Hosts that the metrics of this process name. */
async function wrongInMetrics(): Promise<string[]> {
  const registry = new Registry()
  addRailMetrics(registry)
  const text = await registry.metrics()
  return [...text.matchAll(/manilla_rpc_node_on_wrong_chain\{node="([^"]*)"\} 1/g)].map(
    ([, host]) => host!,
  )
}

async function openScene(count: number, wrong: number) {
  const proxies: SwitchingProxy[] = []
  let afterSigning = () => {}
  const served = (rail: PayoutRail): PayoutRail => ({
    ...rail,
    get name() {
      return rail.name
    },
    async prepare(instructions) {
      const prepared = await rail.prepare(instructions)
      afterSigning()
      return prepared
    },
  })
  const service = await openWithWallets({
    served,
    async endpoints(chain) {
      for (let index = 0; index < count; index++) proxies.push(await openSwitchingProxy(chain))
      return proxies.map(({ url }) => url)
    },
  })
  const { chain, db, clock, rail } = service
  const shop = shopOf(service, service.merchant)
  const changing = proxies.slice(0, wrong)
  const urls = proxies.map(({ url }) => url)
  await fundOnOther(rail.treasuryAddress)
  await createPinnedChain({ db, clock, mode: 'test' }).pin(chain.genesisHash)
  await shop.post('/v1/test/balances/fund', { asset: 'USDC', amount: '500' })
  await service.settle()

  const wrongInDoctor = async () => {
    const config = readConfig({ DATABASE_URL: 'postgres://none', MANILLA_SECRET: 's'.repeat(32) })
    config.solana.test.urls.push(...urls)
    const results = await examineEndpoints(config, 'test', { db, clock: systemClock })
    return results.flatMap(({ state, message }) => (state === 'error' ? [message] : []))
  }

  return {
    service,
    shop,
    proxies,
    urls,
    change() {
      for (const proxy of changing) proxy.switchTo(other)
    },
    flap(goesToOurs: (methods: string[]) => boolean) {
      for (const proxy of changing)
        proxy.switchBy((methods) => (goesToOurs(methods) ? chain : other))
    },
    restore() {
      for (const proxy of changing) proxy.switchTo(chain)
    },
    onceSigned(work: () => void) {
      afterSigning = () => {
        afterSigning = () => {}
        work()
      }
    },
    async pay() {
      clock.advance(60_000)
      const wallet = (await newWallet()) as string
      const body = {
        amount: '25.50',
        asset: 'USDC',
        network: 'SOLANA',
        destinationAddress: wallet,
      }
      const paid = await shop.post('/v1/disbursements/crypto', body, {
        'idempotency-key': crypto.randomUUID(),
      })
      return { wallet, status: paid.status, reference: paid.json.data?.reference as string }
    },
    async poll(times = 3) {
      for (let polls = 0; polls < times; polls++) {
        clock.advance(10 * 60_000)
        await pollPayouts({ db, rail, clock, logger: silent }, clock.now())
      }
    },
    find: (reference: string) => shop.get(`/v1/disbursements/crypto/${reference}`),
    /** The operator is notified of exactly the nodes that changed. */
    async expectNamed() {
      await rail.watchChains()
      const hosts = changing.map(({ host }) => host)
      expect((await wrongInMetrics()).sort()).toEqual(hosts.toSorted())
      const messages = await wrongInDoctor()
      expect(messages).toHaveLength(hosts.length)
      for (const host of hosts)
        expect(messages.join('\n')).toContain(`${host}: on chain ${other.genesisHash}`)
      return `${hosts.length} of ${count} named`
    },
    async expectNoneNamed() {
      await rail.watchChains()
      expect(await wrongInMetrics()).toEqual([])
      expect(await wrongInDoctor()).toEqual([])
      return 'none named'
    },
  }
}

/** Three of three have no majority either: `npm run test:long` runs them, too. */
const sets: [string, number, number][] = [
  ['one of one', 1, 1],
  ['one of three', 3, 1],
]
if (isLongRun) sets.push(['three of three', 3, 3])

describe.each(sets)('the chain behind %s', (nodes, count, wrong) => {
  const hasMajority = wrong * 2 < count

  test('changes before the start', async () => {
    const { service, urls, change, restore } = await openScene(count, wrong)
    const { db, clock, signer, chain } = service
    const start = () =>
      createSolanaRail({
        nodeUrls: urls,
        signer,
        clock,
        logger: silent,
        isEmbedded: true,
        network: 'not-mainnet',
        findOurAddresses: async () => new Set<string>(),
        openPayouts: noOpenPayouts,
        pinnedChain: createPinnedChain({ db, clock, mode: 'test' }),
      })
    change()
    if (hasMajority) {
      const rail = await start()
      expect(rail.name).toBe(`solana:${chain.genesisHash}`)
      await rail.stop()
    } else {
      const uses = `but this installation uses ${chain.genesisHash}`
      await expect(start()).rejects.toThrow(uses)
    }
    restore()
    const rail = await start()
    expect(rail.name).toBe(`solana:${chain.genesisHash}`)
    await rail.stop()
    table.push({
      nodes,
      when: 'before the start',
      deposit: 'none',
      payout: 'none',
      named: hasMajority ? 'starts without the node' : 'start refused, then starts',
    })
  })

  test('changes while idle, and back again', async () => {
    const scene = await openScene(count, wrong)
    const { service, shop, change, restore } = scene
    const { chain } = service
    const { reference, address } = (await shop.open()).json.data
    change()
    const named = await scene.expectNamed()
    await depositOn(other, address, 25_000_000n)
    await other.advance(untilFinal)
    for (let polls = 0; polls < 3; polls++) await service.settle().catch(() => {})
    expect(await shop.verify(reference)).toMatchObject({ status: 'ACTIVE', amountReceived: '0' })
    expect(await shop.paymentsOf(reference)).toEqual([])

    const paid = await scene.pay()
    if (!hasMajority) expect(paid.status).toBe(503)
    expect(await balanceOf(other, paid.wallet)).toBe(0n)
    table.push({
      nodes,
      when: 'while idle',
      deposit: '0 credited of the other chain',
      payout: hasMajority ? 'sent on ours only' : '503, nothing signed',
      named,
    })

    restore()
    const backAgain = await scene.expectNoneNamed()
    await depositOn(chain, address, 25_000_000n)
    await service.settle()
    await service.settle()
    expect(await shop.verify(reference)).toMatchObject({ status: 'PAID', amountReceived: '25' })
    expect(await shop.paymentsOf(reference)).toHaveLength(1)
    const second = await scene.pay()
    await until(async () => (await balanceOf(chain, second.wallet)) > 0n)
    await chain.advance(untilFinal)
    await scene.poll()
    expect((await scene.find(second.reference)).status).toBe('CONFIRMED')
    expect(await balanceOf(other, second.wallet)).toBe(0n)
    await expectAllProofs(service.db)
    table.push({
      nodes,
      when: 'back again',
      deposit: '1 credited, of ours',
      payout: 'paid once, on ours',
      named: backAgain,
    })
  })

  test('changes between signing and sending, and back again', async () => {
    const scene = await openScene(count, wrong)
    const { service, change, restore, onceSigned } = scene
    const { chain } = service
    onceSigned(change)
    const { reference, wallet } = await scene.pay()
    await other.advance(untilGone)
    await scene.poll()
    const named = await scene.expectNamed()
    if (!hasMajority) {
      expect(await scene.find(reference)).toMatchObject({ status: 'SUBMITTED' })
      expect((await scene.find(reference)).attempts).toHaveLength(1)
    }
    restore()
    for (const blocks of [untilGone, untilFinal, untilFinal]) {
      await chain.advance(blocks)
      await scene.poll(1)
    }
    expect((await scene.find(reference)).status).toBe('CONFIRMED')
    expect(await balanceOf(chain, wallet)).toBe(25_500_000n)
    expect(await balanceOf(other, wallet)).toBe(0n)
    await expectAllProofs(service.db)
    table.push({
      nodes,
      when: 'between signing and sending',
      deposit: 'none',
      payout: 'paid once, on ours',
      named,
    })
  })

  // Heights of ours, statuses and blockhashes of the other: an attempt that landed looks expired.
  test('changes from request to request', async () => {
    const scene = await openScene(count, wrong)
    const { service, shop, flap, restore } = scene
    const { chain } = service
    const opened = (await shop.open()).json.data
    const { reference, wallet } = await scene.pay()
    await until(async () => (await balanceOf(chain, wallet)) > 0n)
    await chain.advance(untilGone)
    await other.advance(untilGone)
    await depositOn(other, opened.address, 25_000_000n)
    await other.advance(untilFinal)
    flap((methods) => methods.includes('getEpochInfo'))
    await scene.poll()
    for (let polls = 0; polls < 3; polls++) await service.watch().catch(() => {})
    const named = await scene.expectNamed()
    await other.advance(untilFinal)
    expect((await scene.find(reference)).attempts).toHaveLength(1)
    restore()
    await scene.poll()
    expect((await scene.find(reference)).status).toBe('CONFIRMED')
    expect(await balanceOf(chain, wallet)).toBe(25_500_000n)
    expect(await balanceOf(other, wallet)).toBe(0n)
    expect(await shop.paymentsOf(opened.reference)).toEqual([])
    await expectAllProofs(service.db)
    table.push({
      nodes,
      when: 'from request to request',
      deposit: '0 credited of the other chain',
      payout: 'paid once, on ours',
      named,
    })
  })
})
