import { address, generateKeyPairSigner } from '@solana/kit'
import { getCreateAccountInstruction } from '@solana-program/system'
import {
  getInitializeAccount3Instruction,
  getInitializeMint2Instruction,
  getMintToInstruction,
  TOKEN_PROGRAM_ADDRESS,
} from '@solana-program/token'
import { beforeEach, expect, test } from 'vitest'
import { day, minute, second } from '../../src/base/clock.js'
import { listOpenNotices } from '../../src/collections/notices/find-notices.js'
import type { TokenHistory, WalletRail } from '../../src/collections/ports.js'
import { sql } from '../../src/postgres/sql.js'
import { land, openFaucet } from '../rails/solana/rail.js'
import { tokenAccountOf, usdc } from '../simulation/localnet/transfers.js'
import { openWithWallets, shopOf } from '../support/open-with-wallets.js'
import { expectAllProofs } from '../support/sound-books.js'

/** Attacks that send tokens to a wallet to block the deposits of others. */

const service = await openWithWallets()
const { db, clock, chain, wallets } = service

let shop: ReturnType<typeof shopOf>
beforeEach(async () => {
  await service.settle()
  shop = shopOf(service, await service.addMerchant('Ada'))
})

const open = async (reference: string) =>
  (await shop.openDedicated(reference)).json.data as { reference: string; address: string }
const available = async () => (await shop.balance()).available

async function giveWorthless(wallet: string, amount: bigint) {
  const stranger = await openFaucet(chain)
  const [mint, account] = [await generateKeyPairSigner(), await generateKeyPairSigner()]
  const make = async (newAccount: typeof mint, space: number) => {
    const lamports: number = await chain.call('getMinimumBalanceForRentExemption', space)
    const made = { payer: stranger, newAccount, lamports, space }
    return getCreateAccountInstruction({ ...made, programAddress: TOKEN_PROGRAM_ADDRESS })
  }
  await land(chain, stranger, [
    await make(mint, 82),
    getInitializeMint2Instruction({
      mint: mint.address,
      decimals: 0,
      mintAuthority: stranger.address,
    }),
  ])
  await land(chain, stranger, [
    await make(account, 165),
    getInitializeAccount3Instruction({
      account: account.address,
      mint: mint.address,
      owner: address(wallet),
    }),
    getMintToInstruction({
      mint: mint.address,
      token: account.address,
      mintAuthority: stranger,
      amount,
    }),
  ])
  return account.address
}

const rowOf = async (tokenAccount: string) => {
  const [row] = await db.rows(sql<{ isUnread: boolean; hasTrouble: boolean; amount: bigint }>`
    select is_unread, has_trouble, amount from token_accounts
    where address = ${tokenAccount}`)
  return row
}

test('the largest possible amount of a worthless token blocks no deposits', async () => {
  const victim = await open('victim')
  const others = await Promise.all(['a', 'b', 'c'].map(open))
  await shop.deposit(victim.address, '10')
  await service.settle()
  const stray = await giveWorthless(victim.address, 2n ** 64n - 1n)
  await chain.advance(33)
  clock.advance(day)
  await service.watch()
  for (const { address: to } of others) await shop.deposit(to, '10')
  await service.settle()
  await service.settle()
  expect(await available()).toBe('39.8')
  const most = 2n ** 63n - 1n
  expect(await rowOf(stray)).toEqual({ amount: most, isUnread: false, hasTrouble: false })
  await expectAllProofs(db)
})

// Sweeps empty the associated token account only.
test('USDC in another token account of a wallet is named so, with its asset', async () => {
  const { reference, address: wallet } = await open('elsewhere')
  await shop.deposit(wallet, '10')
  await service.settle()
  const before = await available()
  const faucet = await openFaucet(chain)
  const account = await generateKeyPairSigner()
  const lamports: number = await chain.call('getMinimumBalanceForRentExemption', 165)
  const made = { payer: faucet, newAccount: account, lamports, space: 165 }
  await land(chain, faucet, [
    getCreateAccountInstruction({ ...made, programAddress: TOKEN_PROGRAM_ADDRESS }),
    getInitializeAccount3Instruction({
      account: account.address,
      mint: usdc,
      owner: address(wallet),
    }),
    getMintToInstruction({
      mint: usdc,
      token: account.address,
      mintAuthority: faucet,
      amount: 25_000_000n,
    }),
  ])
  await chain.advance(33)
  clock.advance(day)
  for (let polls = 0; polls < 3; polls++) await service.settle()
  expect(await available()).toBe(before)
  const shown = await shop.get(`/v1/collections/dedicated-crypto-wallets/${reference}`)
  const expected = { asset: 'USDC', units: '25000000', reason: 'other_token_account' }
  expect(shown.otherDeposits).toMatchObject([expected])
  const kept = (await listOpenNotices(db, 100)).filter((one) => one.accountNumber === wallet)
  expect(kept).toMatchObject([
    { state: 'REFUSED', reason: 'other_token_account', currency: 'USDC', amount: 25_000_000n },
  ])
  await service.sweep()
  await service.settle()
  await expectAllProofs(db)
})

test('refused tokens that exceed a bigint in total are added up', async () => {
  const { address: wallet } = await open('d')
  await shop.deposit(wallet, '10')
  await chain.advance(33)
  const past = new Date(0)
  await db.rows(sql`
    insert into token_accounts
      (rail, address, wallet, asset, busy_until, audited_at, due_at, is_unread)
    values (${wallets.name}, 'stray', ${wallet}, 'mint', ${past}, ${clock.now()}, ${past}, true)`)
  const usdc = await tokenAccountOf(wallet)
  await db.rows(sql`
    insert into notices (rail, mode, id, report, state, reason, due_at, received_at)
    select ${wallets.name}, 'test', 's' || number || ':' || place, json_build_object(
      'accountNumber', ${wallet}::text, 'amount', '18000000000000000000', 'currency', 'mint',
      'receivedAt', '2026-01-05T09:00:00.000Z'),
      'REFUSED', 'too_large', ${past}, ${past}
    from generate_series(1, 2) number, unnest(array['stray', ${usdc}]) place`)
  await db.rows(sql`update token_accounts set is_unread = true where address = ${usdc}`)
  clock.advance(minute)
  await service.watch()
  expect(await available()).toBe('9.95')
  await expectAllProofs(db)
})

// Whatever the database rejects, only one account is affected.
test('a poll that cannot be written affects only its own account', async () => {
  const opened = await Promise.all(['e', 'f', 'g'].map(open))
  for (const { address: to } of opened) await shop.deposit(to, '10')
  await chain.advance(33)
  const poisoned = await tokenAccountOf(opened[1]!.address)
  const poisonous: WalletRail = {
    ...wallets,
    async readMoves(ranges) {
      const read = (await wallets.readMoves(ranges)) as TokenHistory[]
      return read.map(({ moves, unreadable }, index) => {
        const isMeant = ranges[index]!.tokenAccount === poisoned
        const slot = 2n ** 64n
        return { moves: isMeant ? moves.map((move) => ({ ...move, slot })) : moves, unreadable }
      })
    },
  }
  await service.watch(poisonous)
  expect(await available()).toBe('19.9')
  expect(await rowOf(poisoned)).toEqual({ amount: 0n, isUnread: true, hasTrouble: true })
  const alarms = service.log.filter((line) => /"level":"?(error|50)/.test(line))
  expect(alarms.join('')).toContain(poisoned)
  clock.advance(second)
  await shop.deposit(opened[0]!.address, '10')
  await chain.advance(33)
  await service.watch(poisonous)
  expect(await available(), 'the others are still watched').toBe('29.85')
  clock.advance(minute)
  await service.watchTroubled()
  expect(await available(), 'a valid poll recovers the account').toBe('39.8')
})
