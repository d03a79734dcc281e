import { beforeEach, expect, onTestFinished, test, vi } from 'vitest'
import { after, day, second } from '../../src/base/clock.js'
import { limits } from '../../src/base/limits.js'
import type { WalletRail } from '../../src/collections/ports.js'
import { leaseLimits } from '../../src/postgres/limits.js'
import { sql } from '../../src/postgres/sql.js'
import { depositLimits } from '../../src/wallets/limits.js'
import { sweepWallets } from '../../src/wallets/sweep-wallets.js'
import { tokenAccountOf } from '../simulation/localnet/transfers.js'
import { openWithWallets, shopOf } from '../support/open-with-wallets.js'

/** The chain, its history and the books disagree, or do not agree yet. */

const service = await openWithWallets()
const { db, clock, chain, wallets, logger } = service

let shop: ReturnType<typeof shopOf>
beforeEach(async () => {
  await service.settle()
  shop = shopOf(service, await service.addMerchant('Ada'))
})

const available = async () => (await shop.balance()).available

async function openPaid(reference: string) {
  const created = (await shop.openDedicated(reference)).json.data
  await shop.deposit(created.address, '10')
  await chain.advance(33)
  const account: string = await tokenAccountOf(created.address)
  return { ...created, account } as { reference: string; address: string; account: string }
}

const alarmsOf = (account: string) =>
  service.log.filter((line) => /"level":"?(error|50)/.test(line) && line.includes(account))

async function watchFor(polls: number, by: WalletRail = wallets): Promise<void> {
  for (let poll = 0; poll < polls; poll += 1) {
    clock.advance(second)
    await service.watch(by)
  }
}

test('a balance that the history does not explain is logged as an error after a minute', async () => {
  const { account } = await openPaid('a')
  const silent: WalletRail = {
    ...wallets,
    readMoves: async (ranges) => ranges.map(() => ({ moves: [], unreadable: [] })),
  }
  await watchFor(depositLimits.unreadPollsMax, silent)
  expect(alarmsOf(account)).toEqual([])
  await watchFor(1, silent)
  expect(alarmsOf(account)).toHaveLength(1)
  expect(alarmsOf(account)[0]).toContain('the chain holds 10 USDC, the history leaves 0 USDC')
  clock.advance(second)
  expect(await service.watchTroubled(silent)).toBe(1)
  await watchFor(5, silent)
  expect(alarmsOf(account), 'from then on once a minute').toHaveLength(2)
  clock.advance(depositLimits.troubledPollIntervalMs)
  await service.watchTroubled()
  expect(await available()).toBe('9.95')
  await watchFor(5)
  expect(alarmsOf(account)).toHaveLength(2)
  expect(await service.sweep(), 'the account is no longer in doubt').toBe(1)
})

// This must never happen, so it must be logged if it does.
test('a sweep that lands after it was given up is logged as an error', async () => {
  const { address, account } = await openPaid('b')
  await service.settle()
  await sweepWallets({ db, rail: wallets, clock, logger }, clock.now())
  await db.rows(sql`update sweep_parts set is_live = false where is_live`)
  await db.rows(sql`
    update sweeps set state = 'DEAD', ended_at = ${clock.now()} where state = 'LIVE'`)
  await db.rows(sql`update token_accounts set is_unread = true where address = ${account}`)
  await chain.advance(33)
  await watchFor(depositLimits.unreadPollsMax + 1)
  expect(alarmsOf(account).join('')).toContain('the history leaves 0 USDC, the books have 10 USDC')
  await shop.deposit(address, '7')
  await chain.advance(33)
  clock.advance(depositLimits.troubledPollIntervalMs)
  await service.watchTroubled()
  expect(await available(), 'new deposits are still credited').toBe('16.915')
})

test('a sweep that can no longer land is logged', async () => {
  await openPaid('c')
  await service.settle()
  const mute: WalletRail = { ...wallets, sendSweeps: async () => {} }
  expect(await sweepWallets({ db, rail: mute, clock, logger }, clock.now())).toBe(1)
  await chain.advance(limits.solana.blockhashAge + limits.solana.finalizedAfter)
  await service.sweep()
  expect(service.log.join('')).toContain('a sweep can no longer land')
  await service.settle()
  expect(await service.sweep()).toBe(1)
})

test('a requery also finds old deposits that were never read', async () => {
  const never = await openPaid('d')
  const once = await openPaid('e')
  await db.rows(sql`
    update token_accounts set due_at = ${new Date(8e12)} where wallet = ${never.address}`)
  await service.watch()
  expect(await available()).toBe('9.95')
  await shop.deposit(once.address, '10')
  await chain.advance(33)
  clock.advance(8 * day)
  for (const { reference } of [never, once])
    await shop.post(`/v1/collections/dedicated-crypto-wallets/${reference}/requery`, {})
  await service.watch()
  expect(await available()).toBe('29.85')
})

async function pollsOf(account: string): Promise<number> {
  const [row] = await db.rows(sql<{ polls: number }>`
    select polls from token_accounts where address = ${account}`)
  return row!.polls
}

function gateOf() {
  let resolve = () => {}
  const promise = new Promise<void>((done) => {
    resolve = done
  })
  return { promise, resolve }
}

// Reading takes longer than a lease, and there are two workers.
test('a slow poll keeps its lease, and its result is written', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
  onTestFinished(() => {
    vi.useRealTimers()
  })
  const { account } = await openPaid('f')
  const reading = gateOf()
  const gate = gateOf()
  const slow: WalletRail = {
    ...wallets,
    async readMoves(ranges) {
      reading.resolve()
      await gate.promise
      return wallets.readMoves(ranges)
    },
  }
  const watching = service.watch(slow)
  await reading.promise
  const polls = await pollsOf(account)
  const { leaseMs, renewIntervalMs } = leaseLimits
  const dueAt = async () =>
    (
      await db.rows(sql<{ dueAt: Date }>`
      select due_at from token_accounts where address = ${account}`)
    )[0]!.dueAt
  for (let part = 0; part < 6; part += 1) {
    clock.advance(renewIntervalMs)
    vi.advanceTimersByTime(renewIntervalMs)
    await expect.poll(dueAt).toEqual(after(clock.now(), leaseMs))
    await service.watch()
    expect(await pollsOf(account), 'the other worker skips it').toBe(polls)
  }
  gate.resolve()
  await watching
  expect(await available()).toBe('9.95')
  const [row] = await db.rows(sql<{ amount: bigint; isUnread: boolean }>`
    select amount, is_unread from token_accounts where address = ${account}`)
  expect(row).toEqual({ amount: 10_000_000n, isUnread: false })
})
