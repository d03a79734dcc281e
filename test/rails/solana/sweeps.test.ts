import { createPublicKey, verify } from 'node:crypto'
import { base58 } from '@scure/base'
import { address } from '@solana/kit'
import { getFreezeAccountInstruction } from '@solana-program/token'
import { beforeEach, expect, test } from 'vitest'
import { Refusal } from '../../../src/base/refusal.js'
import { createSeedSigner, makeMnemonic } from '../../../src/rails/solana/keys/seed.js'
import { blockhashOf } from '../../../src/rails/solana/rpc/wire.js'
import { setFaults, shareChain } from '../../simulation/localnet/localnet.js'
import { usdc } from '../../simulation/localnet/transfers.js'
import { land, openFaucet } from './rail.js'
import {
  deposit,
  deriveOne,
  newSweepRequest,
  openWallets,
  prepareSweep,
  readOne,
  sweep,
  type TestWallets,
} from './wallets.js'

/** Sweeps from deposit wallets to the treasury. */

const shared = shareChain()
beforeEach(() => setFaults(shared()))

const rentOf = (bytes: number) =>
  shared().call<number>('getMinimumBalanceForRentExemption', bytes).then(BigInt)

async function derive(wallets: TestWallets, count: number) {
  return wallets.deriveWallets(Array.from({ length: count }, (_, number) => number))
}

/** Wallets with finalized deposits of 1,000,001, 1,000,002, … */
async function fillSome(wallets: TestWallets, count: number, asset: 'USDC' | 'USDT' = 'USDC') {
  const some = await derive(wallets, count)
  const amounts = some.map((_, index) => 1_000_001n + BigInt(index))
  for (const [index, wallet] of some.entries())
    await deposit(shared(), wallet, { amount: amounts[index]!, asset })
  await shared().advance(32)
  const total = amounts.reduce((sum, amount) => sum + amount, 0n)
  return { some, amounts, total }
}

const readTransaction = (signature: string) =>
  shared().call('getTransaction', signature, { maxSupportedTransactionVersion: 0 })

test('a full sweep empties and closes its token accounts and returns their rent', async () => {
  const wallets = await openWallets(shared())
  const { some, amounts, total } = await fillSome(wallets, wallets.partsPerSweep)
  const before = await wallets.rail.treasuryBalances()
  const request = newSweepRequest(some, { amounts })
  const live = await sweep(shared(), wallets, request)
  expect(await wallets.checkSweeps([live])).toEqual([{ state: 'landed' }])
  const { meta } = await readTransaction(live.token)
  const after = await wallets.rail.treasuryBalances()
  expect(after.USDC - before.USDC).toBe(total)
  const rent = BigInt(some.length) * (await rentOf(165))
  expect(after.SOL - before.SOL).toBe(rent - BigInt(meta.fee))
  const accounts = some.map(({ tokenAccounts }) => tokenAccounts.USDC)
  expect(await wallets.readAmounts(accounts)).toEqual(accounts.map(() => 0n))
  for (const [index, account] of accounts.entries()) {
    const { value } = await shared().call('getAccountInfo', account, { encoding: 'base64' })
    expect(value).toBeNull()
    const { moves } = await readOne(wallets, account)
    expect(moves.at(-1)).toMatchObject({
      signature: live.token,
      change: -amounts[index]!,
      left: 0n,
      sender: null,
      memo: request.reference,
    })
  }
})

// All parts, all closing, and the longest reference.
test('the largest sweep fits in a transaction and in its compute units', async () => {
  const wallets = await openWallets(shared())
  const { some, amounts } = await fillSome(wallets, wallets.partsPerSweep)
  const request = { ...newSweepRequest(some, { amounts }), reference: 'r'.repeat(64) }
  const live = await sweep(shared(), wallets, request)
  expect(live.wire.length).toBeLessThanOrEqual(1_232)
  expect(await wallets.checkSweeps([live])).toEqual([{ state: 'landed' }])
  const { meta } = await readTransaction(live.token)
  const allowed = 32_000 + 12_000 * some.length
  expect(meta.computeUnitsConsumed).toBeLessThan(allowed)
  const tooMany = newSweepRequest(await derive(wallets, 6), { amounts: [1n, 1n, 1n, 1n, 1n, 1n] })
  await expect(wallets.prepareSweeps([tooMany])).rejects.toThrow(
    'the parts of a sweep fit in a transaction',
  )
})

test('accounts that stay open keep their rent, and the treasury gets a token account', async () => {
  const wallets = await openWallets(shared(), { isPoor: true })
  await shared().call('requestAirdrop', wallets.rail.treasuryAddress, 1_000_000_000)
  const { some, amounts, total } = await fillSome(wallets, 2, 'USDT')
  const before = await wallets.rail.treasuryBalances()
  expect(before.USDT).toBe(0n)
  const live = await sweep(
    shared(),
    wallets,
    newSweepRequest(some, { amounts, isClosing: false, asset: 'USDT' }),
  )
  expect(await wallets.checkSweeps([live])).toEqual([{ state: 'landed' }])
  const { meta } = await readTransaction(live.token)
  const after = await wallets.rail.treasuryBalances()
  expect(after.USDT).toBe(total)
  expect(before.SOL - after.SOL).toBe((await rentOf(165)) + BigInt(meta.fee))
  expect(meta.computeUnitsConsumed).toBeLessThan(32_000 + 12_000)
  for (const { tokenAccounts } of some) {
    const { value } = await shared().call('getTokenAccountBalance', tokenAccounts.USDT)
    expect(value.amount).toBe('0')
  }
})

test('a deposit to a closed token account creates it again and is read', async () => {
  const wallets = await openWallets(shared())
  const { some, amounts } = await fillSome(wallets, 1)
  const { USDC } = some[0]!.tokenAccounts
  const live = await sweep(shared(), wallets, newSweepRequest(some, { amounts }))
  const late = await deposit(shared(), some[0]!, { amount: 77n })
  await shared().advance(32)
  expect(await wallets.readAmounts([USDC])).toEqual([77n])
  const { moves } = await readOne(wallets, USDC, live.token)
  expect(moves).toMatchObject([{ signature: late, change: 77n, left: 77n }])
  const all = await readOne(wallets, USDC)
  expect(all.moves.map(({ change }) => change)).toEqual([amounts[0], -amounts[0]!, 77n])
})

test('the treasury signs first and every wallet in its position', async () => {
  const wallets = await openWallets(shared())
  const some = await derive(wallets, 5)
  const live = await prepareSweep(wallets, newSweepRequest(some, { amounts: [1n, 2n, 3n, 4n, 5n] }))
  const count = live.wire[0]!
  expect(count).toBe(6)
  const message = live.wire.subarray(1 + 64 * count)
  const signers = Array.from({ length: count }, (_, index) => {
    const key = message.subarray(5 + 32 * index, 37 + 32 * index)
    const spki = Buffer.concat([Buffer.from('302a300506032b6570032100', 'hex'), key])
    const signature = live.wire.subarray(1 + 64 * index, 65 + 64 * index)
    const publicKey = createPublicKey({ key: spki, format: 'der', type: 'spki' })
    expect(verify(null, message, publicKey, signature)).toBe(true)
    return base58.encode(key)
  })
  expect(signers[0]).toBe(wallets.rail.treasuryAddress)
  expect(new Set(signers.slice(1))).toEqual(new Set(some.map((wallet) => wallet.address)))
  expect(live.token).toBe(base58.encode(live.wire.subarray(1, 65)))
  const { value } = await shared().call('isBlockhashValid', blockhashOf(live.wire), {
    commitment: 'confirmed',
  })
  expect(value).toBe(true)
})

// A wrong seed or a changed mint must not block the other sweeps.
test('a sweep that cannot be signed is refused alone', async () => {
  const wallets = await openWallets(shared())
  const [wallet] = await derive(wallets, 1)
  const stranger = await deriveOne(await openWallets(shared()))
  const valid = newSweepRequest([wallet!], { amounts: [1n] })
  const wrongSeed = newSweepRequest([stranger], { amounts: [1n] })
  const swapped = { ...wallet!, tokenAccounts: stranger.tokenAccounts }
  const wrongAccount = newSweepRequest([swapped], { amounts: [1n] })
  const outcomes = await wallets.prepareSweeps([wrongSeed, valid, wrongAccount, valid])
  expect(outcomes.map((outcome) => outcome instanceof Refusal)).toEqual([true, false, true, false])
  const failing = {
    ...createSeedSigner(makeMnemonic()),
    sign: () => Promise.reject(new Error('no')),
  }
  const unsigned = await openWallets(shared(), { walletSigner: failing })
  expect(await unsigned.prepareSweeps([valid])).toMatchObject([{ reason: 'rail_unavailable' }])
  expect(await wallets.prepareSweeps([])).toEqual([])
})

test('a failed sweep reports its reason and moves nothing', async () => {
  const chain = shared()
  const wallets = await openWallets(chain)
  const { some, amounts } = await fillSome(wallets, 3)
  const accounts = some.map(({ tokenAccounts }) => tokenAccounts.USDC)
  const findingOf = async (request: ReturnType<typeof newSweepRequest>) => {
    const live = await sweep(chain, wallets, request)
    const [finding] = await wallets.checkSweeps([live])
    return finding
  }
  const failed = (reason: string) => ({ state: 'failed', reason })
  const tooMuch = newSweepRequest(some, { amounts: amounts.with(1, 2_000_000n) })
  expect(await findingOf(tooMuch)).toEqual(failed('coins_missing'))
  const tooLittle = newSweepRequest(some, { amounts: amounts.with(2, 1n) })
  expect(await findingOf(tooLittle)).toEqual(failed('account_not_empty'))
  const empty = newSweepRequest(await derive(wallets, 4), { amounts: [...amounts, 1n] })
  expect(await findingOf(empty)).toEqual(failed('coins_missing'))
  const faucet = await openFaucet(chain)
  const account = address(accounts[0]!)
  await land(chain, faucet, [getFreezeAccountInstruction({ account, mint: usdc, owner: faucet })])
  expect(await findingOf(newSweepRequest(some, { amounts }))).toEqual(failed('account_frozen'))
  expect(await wallets.readAmounts(accounts)).toEqual(amounts)
})

test('a sweep that never lands is gone once no block can include it', async () => {
  const chain = shared()
  const wallets = await openWallets(chain)
  const { some, amounts } = await fillSome(wallets, 2)
  const live = await prepareSweep(wallets, newSweepRequest(some, { amounts }))
  await setFaults(chain, { match: { any: true }, fault: 'drop' })
  await wallets.sendSweeps([live])
  const height = Number(await chain.call('getBlockHeight', { commitment: 'finalized' }))
  await chain.advance(Number(live.validUntil) - height)
  expect(await wallets.checkSweeps([live])).toEqual([{ state: 'unseen' }])
  await chain.advance(32)
  expect(await wallets.checkSweeps([live])).toEqual([{ state: 'pending' }])
  await chain.advance(1)
  expect(await wallets.checkSweeps([live])).toEqual([{ state: 'gone' }])
})

test('the same bytes sent twice sweep once', async () => {
  const wallets = await openWallets(shared())
  const { some, amounts, total } = await fillSome(wallets, 2)
  const before = await wallets.rail.treasuryBalances()
  const live = await prepareSweep(wallets, newSweepRequest(some, { amounts, isClosing: false }))
  await wallets.sendSweeps([live, live])
  await shared().advance(1)
  await deposit(shared(), some[0]!, { amount: 5_000_000n })
  await wallets.sendSweeps([live])
  await shared().advance(32)
  const after = await wallets.rail.treasuryBalances()
  expect(after.USDC - before.USDC).toBe(total)
})
