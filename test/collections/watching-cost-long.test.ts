import { randomBytes } from 'node:crypto'
import { base58 } from '@scure/base'
import { expect, test } from 'vitest'
import { after, day, minute } from '../../src/base/clock.js'
import { sql } from '../../src/postgres/sql.js'
import { insertWallets, reserveWalletNumbers } from '../../src/wallets/store-wallets.js'
import { openTwistedNode } from '../rails/solana/twisted-node.js'
import { openWallets } from '../rails/solana/wallets.js'
import { openWithWallets, shopOf } from '../support/open-with-wallets.js'

const service = await openWithWallets()
const { db, clock, chain, rail } = service
const shop = shopOf(service, await service.addMerchant('Ada'))
const tickMs = 1_000

/** A proxy node that counts its calls. */
async function openCountedRail(nodes = 1) {
  let calls = 0
  let accounts = 0
  const methods: string[] = []
  const openNode = () =>
    openTwistedNode(chain, ({ method, params }) => {
      calls += 1
      methods.push(method)
      if (method === 'getMultipleAccounts') accounts += (params[0] as string[]).length
      return undefined
    })
  const endpoints = await Promise.all(Array.from({ length: nodes }, openNode))
  const counted = await openWallets(chain, { nodeUrls: endpoints, isPoor: true })
  await counted.isChainKnown()
  return {
    methods,
    /** Calls per tick, and token accounts queried per tick. */
    async watchFor(ticks: number) {
      const perTick: number[] = []
      const before = accounts
      for (let tick = 0; tick < ticks; tick += 1) {
        clock.advance(tickMs)
        const first = calls
        await service.watch(counted)
        perTick.push(calls - first)
      }
      const sum = perTick.reduce((all, each) => all + each, 0)
      const asked = (accounts - before) / ticks
      return { average: sum / ticks, most: Math.max(...perTick), asked }
    },
  }
}

const newAddress = () => base58.encode(randomBytes(32))

/** Wallets idle for weeks, with their long-term poll intervals. */
async function addIdle({ dedicated, temporary }: { dedicated: number; temporary: number }) {
  const now = clock.now()
  const past = after(now, -40 * day)
  const numbers = await reserveWalletNumbers(db, dedicated + temporary)
  const wallets = numbers.map((number, index) => ({
    rail: rail.name,
    number,
    asset: null,
    busyUntil: past,
    reference: `${index < temporary ? 'paid' : 'idle'} ${number}`,
    address: newAddress(),
    tokenAccounts: { USDC: newAddress(), USDT: newAddress() },
  }))
  await db.transaction(async (tx) => insertWallets(tx, past, wallets))
  const environmentId = service.merchant.environments.test.id
  const ifPaid = (value: unknown) => sql`case when w.reference like 'paid %' then ${value} end`
  await db.rows(sql`
    insert into collection_accounts (environment_id, id, kind, rail, rail_account, number,
      account_name, bank_code, bank_name, asset, amount, requested_amount, merchant_reference, metadata, status,
      expires_at, paid_at, created_at)
    select ${environmentId}, gen_random_uuid(),
      coalesce(${ifPaid('crypto_wallet')}, 'dedicated_crypto_wallet'), w.rail, w.address,
      w.address, '', '', '', ${ifPaid('USDC')}, ${ifPaid(25_000_000)}::bigint, ${ifPaid('25')},
      w.reference, '{}',
      coalesce(${ifPaid('PAID')}, 'ACTIVE'), ${ifPaid(past)}::timestamptz,
      ${ifPaid(past)}::timestamptz, ${past}
    from wallets w where w.number >= ${numbers[0]!}`)
  await db.rows(sql`
    update token_accounts t set read_to = ${ifPaid('a sweep')},
      due_at = ${now}::timestamptz + random() * interval '1 ms'
        * coalesce(${ifPaid(day)}::float8, ${10 * minute}::float8)
    from wallets w where w.rail = t.rail and w.address = t.wallet and w.number >= ${numbers[0]!}`)
  await db.rows(sql`analyze token_accounts, collection_accounts, wallets`)
}

/** Idle wallets: most without any deposit, and some that were paid. */
const idle = { dedicated: 9_000, temporary: 1_000 }

// Ten active wallets beside thousands of idle ones. Counts the calls to the node.
test('idle wallets cost next to nothing, and twice as many hardly more', async () => {
  for (let number = 0; number < 10; number += 1)
    expect((await shop.openDedicated(`customer-${number}`)).status).toBe(201)
  const counted = await openCountedRail()
  await counted.watchFor(5)
  const alone = await counted.watchFor(30)
  await addIdle(idle)
  const withIdle = await counted.watchFor(100)
  await addIdle(idle)
  const twice = await counted.watchFor(40)
  const show = ({ average, most, asked }: typeof alone) =>
    `${average.toFixed(2)} calls a tick, at most ${most}, for ${asked.toFixed(0)} token accounts`
  console.log(`10 active wallets: ${show(alone)}`)
  const added = idle.dedicated + idle.temporary
  console.log(`with ${added} idle: ${show(withIdle)}`)
  console.log(`with ${2 * added} idle: ${show(twice)}`)

  // Two token accounts each; idle dedicated wallets are polled every ten minutes.
  const share = (2 * idle.dedicated) / (10 * 60)
  // Every request has one call more, which checks the chain.
  expect(alone).toMatchObject({ average: 2, most: 2, asked: 20 })
  expect(withIdle.average).toBeLessThanOrEqual(2.2)
  expect(withIdle.most).toBeLessThanOrEqual(4)
  expect(withIdle.asked).toBeLessThan(20 + 1.2 * share)
  expect(withIdle.asked).toBeGreaterThan(20 + 0.8 * share)
  expect(twice.average).toBeLessThanOrEqual(2.6)
  expect(twice.asked).toBeLessThan(20 + 2 * 1.2 * share)
}, 300_000)

/** The calls that a deposit causes, besides balances and checks of the chain. */
async function costOfDeposit(reference: string, nodes: number): Promise<string[]> {
  const created = await shop.openDedicated(reference)
  const counted = await openCountedRail(nodes)
  await counted.watchFor(2)
  await shop.deposit(created.json.data.address, '5')
  await chain.advance(33)
  counted.methods.length = 0
  await counted.watchFor(10)
  const others = ['getMultipleAccounts', 'getGenesisHash']
  return counted.methods.filter((method) => !others.includes(method))
}

test('a deposit costs four calls in two requests, once, to every node', async () => {
  const cost = ['getEpochInfo', 'getSignaturesForAddress', 'getTransaction', 'getSignatureStatuses']
  expect(await costOfDeposit('customer-cost', 1)).toEqual(cost)
  expect(await shop.balance()).toMatchObject({ available: '4.975' })
  expect((await costOfDeposit('another', 3)).sort()).toEqual([...cost, ...cost, ...cost].sort())
  expect(await shop.balance()).toMatchObject({ available: '9.95' })
})
