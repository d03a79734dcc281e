import { address, generateKeyPairSigner } from '@solana/kit'
import { getCreateAccountInstruction, getTransferSolInstruction } from '@solana-program/system'
import {
  getInitializeAccount3Instruction,
  getMintToInstruction,
  TOKEN_PROGRAM_ADDRESS,
} from '@solana-program/token'
import { beforeEach, expect, test } from 'vitest'
import { day, minute, second } from '../../src/base/clock.js'
import { judgeDueNotices } from '../../src/collections/notices/judge-due-notices.js'
import { createJudgingLane } from '../../src/collections/notices/notice-lanes.js'
import type { WalletRail } from '../../src/collections/ports.js'
import { reconcile } from '../../src/operations/reconcile/reconcile.js'
import { sql } from '../../src/postgres/sql.js'
import { connect } from '../../src/postgres/wire/connection.js'
import { depositLimits, sweepLimits } from '../../src/wallets/limits.js'
import { sweepWallets } from '../../src/wallets/sweep-wallets.js'
import { watchWallets } from '../../src/wallets/watch-wallets.js'
import { land, openFaucet } from '../rails/solana/rail.js'
import { openTwistedNode, TwistedError } from '../rails/solana/twisted-node.js'
import { openWallets } from '../rails/solana/wallets.js'
import { setFaults } from '../simulation/localnet/localnet.js'
import { newPayer, tokenAccountOf, usdc } from '../simulation/localnet/transfers.js'
import { noRails } from '../support/open-manilla.js'
import { openWithWallets, shopOf } from '../support/open-with-wallets.js'
import { expectAllProofs } from '../support/sound-books.js'

/** Failures while wallets are watched and swept. */

const service = await openWithWallets()
const { db, clock, chain, rail, wallets, logger, watchTroubled } = service

let shop: ReturnType<typeof shopOf>
beforeEach(async () => {
  await setFaults(chain)
  await service.sweep()
  await service.settle()
  shop = shopOf(service, await service.addMerchant('Ada'))
})

const open = async (reference: string) =>
  (await shop.openDedicated(reference)).json.data as { reference: string; address: string }
const available = async () => (await shop.balance()).available

async function expectAgreement(): Promise<void> {
  const rails = { solana: { test: rail, live: undefined }, rails: noRails }
  const [result] = await reconcile({ db, rails }, clock.now())
  expect(result!.differences).toEqual([])
  await expectAllProofs(db)
}

test('an unreadable history does not hide deposits to other wallets', async () => {
  const opened = await Promise.all(['a', 'b', 'c', 'd', 'e'].map(open))
  for (const wallet of opened) await shop.deposit(wallet.address, '10')
  await chain.advance(33)
  const poisoned = await tokenAccountOf(opened[2]!.address)
  const url = await openTwistedNode(chain, ({ method, params }) => {
    const isMeant = method === 'getSignaturesForAddress' && params[0] === poisoned
    return isMeant ? new TwistedError(-32603, 'Internal error') : undefined
  })
  const twisted = await openWallets(chain, { nodeUrls: [url], isPoor: true })
  await service.watch(twisted)
  expect(await available()).toBe('39.8')
  expect(service.log.join('')).toContain('deposits may be hidden')
  clock.advance(second)
  await shop.deposit(opened[0]!.address, '10')
  await chain.advance(33)
  await service.watch(twisted)
  expect(await available(), 'the others are still watched').toBe('49.75')
  expect(await watchTroubled(twisted)).toBe(1)
  expect(await watchTroubled(), 'retried less often').toBe(0)
  clock.advance(depositLimits.troubledPollIntervalMs)
  expect(await watchTroubled()).toBe(1)
  expect(await available()).toBe('59.7')
  await service.settle()
  await service.sweep()
  await service.settle()
  await expectAgreement()
})

test('when no node answers, the next poll is soon, not after the lease', async () => {
  const { address: wallet } = await open('f')
  await shop.deposit(wallet, '10')
  await chain.advance(33)
  await setFaults(chain, { match: { any: true }, fault: 'rate_limit', times: 4 })
  await expect(service.watch()).rejects.toThrow('no RPC node answers')
  expect(await service.watch()).toBe(0)
  clock.advance(depositLimits.retryMs)
  await setFaults(chain)
  expect(await service.watch()).toBeGreaterThan(0)
  expect(await available()).toBe('9.95')
})

// Nodes list no token balances for a transaction without the token program, so it seems to leave
// nothing. Anyone can send such a transaction almost for free.
test('a transaction that only mentions a token account hides no deposit', async () => {
  const { address: wallet } = await open('g')
  await shop.deposit(wallet, '10')
  const payer = await newPayer(chain)
  const destination = await tokenAccountOf(wallet)
  await land(chain, payer, [getTransferSolInstruction({ source: payer, destination, amount: 1n })])
  await service.settle()
  await shop.deposit(wallet, '10')
  await land(chain, payer, [getTransferSolInstruction({ source: payer, destination, amount: 2n })])
  await service.settle()
  expect(await available()).toBe('19.9')
  expect(await service.sweep()).toBe(1)
  await service.settle()
  await expectAgreement()
})

/** Sends coins to the wallet, but to another token account than its own. */
async function giveElsewhere(wallet: string): Promise<string> {
  const faucet = await openFaucet(chain)
  const account = await generateKeyPairSigner()
  const [space, programAddress] = [165, TOKEN_PROGRAM_ADDRESS]
  const lamports: number = await chain.call('getMinimumBalanceForRentExemption', space)
  const made = { payer: faucet, newAccount: account, lamports, space, programAddress }
  await land(chain, faucet, [
    getCreateAccountInstruction(made),
    getInitializeAccount3Instruction({
      account: account.address,
      mint: usdc,
      owner: address(wallet),
    }),
    getMintToInstruction({
      mint: usdc,
      token: account.address,
      mintAuthority: faucet,
      amount: 9n,
    }),
  ])
  return account.address
}

test('unrequested tokens are recorded, polled rarely and not reported as a difference', async () => {
  const { address: wallet } = await open('h')
  await shop.deposit(wallet, '10')
  const stray = await giveElsewhere(wallet)
  await service.settle()
  clock.advance(day)
  await service.settle()
  await service.settle()
  const [row] = await db.rows(sql<{ amount: bigint; isUnread: boolean; dueAt: Date }>`
    select amount, is_unread, due_at from token_accounts
    where address = ${stray}`)
  expect(row).toMatchObject({ amount: 9n, isUnread: false })
  expect(row!.dueAt.getTime()).toBeGreaterThan(clock.now().getTime() + day / 2)
  expect(await available()).toBe('9.95')
  await expectAgreement()
})

test('a notice that a crashed worker stored but did not judge is judged by another', async () => {
  const { address: wallet } = await open('i')
  await shop.deposit(wallet, '10')
  await chain.advance(33)
  const dying = createJudgingLane({
    connect: () => connect(db.url, 'dying'),
    clock,
    rails: new Map(),
  })
  await dying.close()
  await watchWallets({ db, rail: wallets, mode: 'test', lane: dying, clock, logger }, clock.now())
  expect(await available()).toBe('0')
  await service.sweep()
  expect(await tokensOf(wallet), 'only booked money is swept').toBe('10000000')
  await judgeDueNotices({ db, rail: wallets.name, lane: service.lane, logger }, clock.now())
  expect(await available()).toBe('9.95')
  expect(await service.sweep()).toBeGreaterThan(0)
  await service.settle()
  await expectAgreement()
})

async function tokensOf(wallet: string): Promise<string> {
  const { value } = await chain.call('getTokenAccountBalance', await tokenAccountOf(wallet))
  return value.amount
}

// While one worker reads a history, another's sweep of the account lands and is booked, and the
// same amount arrives again. The first worker must not write its outdated reading.
test('a sweep that lands while a history is read is not missed', async () => {
  const { address: wallet, reference } = await open('j')
  await shop.deposit(wallet, '10')
  await service.settle()
  await shop.deposit(wallet, '4')
  await chain.advance(33)
  const slow: WalletRail = {
    ...wallets,
    async readMoves(ranges) {
      const moves = await wallets.readMoves(ranges)
      await service.sweep()
      await shop.deposit(wallet, '10')
      await chain.advance(33)
      return moves
    },
  }
  await service.watch(slow)
  for (let round = 0; round < 3; round += 1) await service.settle()
  expect(await shop.paymentsOf(reference)).toHaveLength(3)
  expect(await available()).toBe('23.88')
  await service.sweep()
  await service.settle()
  await expectAgreement()
})

// A worker signs a sweep and is suspended. Meanwhile another worker's sweep of the account lands and
// the same amount arrives again: the first sweep must not take money that was not judged yet.
test('a sweep does not take money that arrived while it was signed', async () => {
  const { address: wallet } = await open('k')
  await shop.deposit(wallet, '10')
  await service.settle()
  const suspended: WalletRail = {
    ...wallets,
    async prepareSweeps(orders) {
      const prepared = await wallets.prepareSweeps(orders)
      await service.sweep()
      await shop.deposit(wallet, '10')
      return prepared
    },
  }
  await sweepWallets({ db, rail: suspended, clock, logger }, clock.now())
  await chain.advance(33)
  expect(await tokensOf(wallet)).toBe('10000000')
  for (let round = 0; round < 2; round += 1) await service.settle()
  expect(await available()).toBe('19.9')
  await service.sweep()
  await service.settle()
  await expectAgreement()
})

test('repeated failures are retried less and less often until they succeed', async () => {
  const { address: wallet } = await open('l')
  await shop.deposit(wallet, '10')
  await service.settle()
  await setFaults(chain, { match: { account: await tokenAccountOf(wallet) }, fault: 'fail' })
  const tried: number[] = []
  for (let round = 0; round < 14; round += 1) {
    clock.advance(minute)
    tried.push(await service.sweep())
    await service.watch()
  }
  expect(tried.slice(0, 6)).toEqual([1, 1, 1, 1, 1, 1])
  const times = tried.reduce((sum, each) => sum + each, 0)
  expect(times).toBeGreaterThan(7)
  expect(times).toBeLessThan(11)
  await setFaults(chain)
  clock.advance(2 ** times * sweepLimits.failedRetryDelayMs)
  await service.watch()
  expect(await service.sweep()).toBe(1)
  await service.settle()
  await expectAgreement()
})
