import { beforeEach, expect, test } from 'vitest'
import { minute, second } from '../../src/base/clock.js'
import type { WalletRail } from '../../src/collections/ports.js'
import { sql } from '../../src/postgres/sql.js'
import { endSweeps } from '../../src/wallets/store-sweeps.js'
import { sweepWallets } from '../../src/wallets/sweep-wallets.js'
import { openWithWallets, shopOf } from '../support/open-with-wallets.js'
import { expectAllProofs } from '../support/sound-books.js'

/** Sweeps that cannot be signed. */

const service = await openWithWallets()
const { db, clock, wallets, logger } = service

let shop: ReturnType<typeof shopOf>
beforeEach(async () => {
  await service.settle()
  shop = shopOf(service, await service.addMerchant('Ada'))
})

async function openPaid(count: number): Promise<string[]> {
  const addresses: string[] = []
  for (let number = 0; number < count; number += 1) {
    const { address } = (await shop.open()).json.data
    await shop.deposit(address, '25')
    addresses.push(address)
  }
  await service.settle()
  return addresses
}

/** A rail that refuses to sign for one wallet, as if its seed were another. */
const without = (poisoned: string): WalletRail => ({
  ...wallets,
  prepareSweeps: (orders) =>
    wallets.prepareSweeps(
      orders.map((order) => ({
        ...order,
        parts: order.parts.map((part) =>
          part.wallet === poisoned ? { ...part, walletNumber: 999_999 } : part,
        ),
      })),
    ),
})

const sweepBy = (rail: WalletRail) => sweepWallets({ db, rail, clock, logger }, clock.now())

async function listSwept(): Promise<string[]> {
  const rows = await db.rows(sql<{ wallet: string }>`
    select t.wallet from sweep_parts p join token_accounts t on t.address = p.token_account`)
  return rows.map(({ wallet }) => wallet)
}

test('a wallet that cannot be signed for is paused, and the others are swept', async () => {
  const addresses = await openPaid(wallets.partsPerSweep)
  const poisoned = addresses[2]!
  expect(await sweepBy(without(poisoned))).toBe(addresses.length)
  const others = addresses.filter((address) => address !== poisoned)
  expect((await listSwept()).toSorted()).toEqual(others.toSorted())
  const tried: number[] = []
  for (let round = 0; round < 120; round += 1) {
    clock.advance(2 * second)
    tried.push(await sweepBy(without(poisoned)))
  }
  const times = tried.reduce((sum, each) => sum + each, 0)
  expect(times).toBeGreaterThan(4)
  expect(times).toBeLessThan(10)
  const later = await openPaid(3)
  expect(await sweepBy(without(poisoned))).toBeGreaterThanOrEqual(3)
  expect(await listSwept()).toEqual(expect.arrayContaining(later))
  clock.advance(2 * minute)
  expect(await service.sweep(), 'swept once it can be signed for').toBe(1)
  expect(await listSwept()).toContain(poisoned)
  const resting = await db.rows(sql`select from token_accounts where unsigned_sweeps > 0`)
  expect(resting).toHaveLength(0)
  await service.settle()
  await expectAllProofs(db)
})

test('an ended sweep cannot end again', async () => {
  await openPaid(1)
  await service.sweep()
  const read = () =>
    db.rows(sql<{ rail: string; id: string; state: string; endedAt: Date }>`
    select rail, id, state, ended_at from sweeps order by id desc limit 1`)
  const [ended] = await read()
  expect(ended!.state).toBe('LANDED')
  clock.advance(minute)
  const { rail, id } = ended!
  const end = { rail, id, state: 'DEAD', outcome: null } as const
  await db.transaction(async (tx) => endSweeps(tx, clock.now(), [end]))
  expect(await read()).toEqual([ended])
})
