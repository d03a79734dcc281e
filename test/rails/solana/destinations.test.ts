import { randomBytes } from 'node:crypto'
import { base58 } from '@scure/base'
import { type Address, address, generateKeyPairSigner } from '@solana/kit'
import { getCreateAccountInstruction } from '@solana-program/system'
import {
  AuthorityType,
  getFreezeAccountInstruction,
  getInitializeAccount3Instruction,
  getInitializeMint2Instruction,
  getSetAuthorityInstruction,
  TOKEN_PROGRAM_ADDRESS,
} from '@solana-program/token'
import { beforeEach, expect, test } from 'vitest'
import { Refusal } from '../../../src/base/refusal.js'
import { rpcAt, setFaults, shareChain } from '../../simulation/localnet/localnet.js'
import { newWallet, tokenAccountOf, usdc, usdt } from '../../simulation/localnet/transfers.js'
import { land, newCarriage, openFaucet, openRail, prepareOne, reasonOf, toTarget } from './rail.js'

/** Who must not be paid, and what is said about it. */

const shared = shareChain()
beforeEach(() => setFaults(shared()))

const systemProgram: Address = address('11111111111111111111111111111111')
const creation = { extraFees: ['crypto_account_creation'] }

async function giveCoins(owner: string): Promise<void> {
  const chain = shared()
  const order = { owner, mint: usdc, amount: '5', key: crypto.randomUUID() }
  await chain.call('localnet_mint', order)
  await chain.advance(1)
}

test('a fresh wallet is fine, and its token account costs extra until it is there', async () => {
  const chain = shared()
  const rail = await openRail(chain)
  const carriage = await newCarriage()
  expect(await rail.inspect([toTarget(carriage)])).toEqual([
    { destination: carriage.destination, extraFees: ['crypto_account_creation'] },
  ])
  await rail.send([await prepareOne(rail, carriage)])
  await chain.advance(1)
  expect(await rail.inspect([toTarget(carriage)])).toMatchObject([{ extraFees: [] }])
  // The other coin has an account of its own.
  expect(await rail.inspect([toTarget({ ...carriage, asset: 'USDT' })])).toMatchObject([creation])
})

test('lamports at the address of a token account do not make it one', async () => {
  const chain = shared()
  const rail = await openRail(chain)
  const to = await newWallet()
  await chain.call('requestAirdrop', await tokenAccountOf(to), 5_000_000)
  await chain.advance(1)
  expect(await rail.inspect([await newCarriage({ to })])).toMatchObject([creation])
})

test('a wallet that was found well is not asked about again for a while', async () => {
  const chain = shared()
  const rail = await openRail(chain)
  const carriage = await newCarriage()
  await giveCoins(carriage.destination.address)
  expect(await reasonOf(rail, carriage)).toBeUndefined()
  const faucet = await openFaucet(chain)
  const freeze = getFreezeAccountInstruction({
    account: await tokenAccountOf(carriage.destination.address),
    mint: usdc,
    owner: faucet,
  })
  await land(chain, faucet, [freeze])
  expect(await reasonOf(rail, carriage)).toBeUndefined()
  rail.clock.pass(10_000)
  expect(await reasonOf(rail, carriage)).toBe('destination_frozen')
})

test('a token account that changed its owner is not paid', async () => {
  const chain = shared()
  const rail = await openRail(chain)
  const wallet = await generateKeyPairSigner()
  await chain.call('requestAirdrop', wallet.address, 1_000_000_000)
  await giveCoins(wallet.address)
  const handOver = getSetAuthorityInstruction({
    owned: await tokenAccountOf(wallet.address),
    owner: wallet,
    authorityType: AuthorityType.AccountOwner,
    newAuthority: await newWallet(),
  })
  await land(chain, wallet, [handOver])
  const carriage = await newCarriage({ to: wallet.address })
  expect(await reasonOf(rail, carriage)).toBe('destination_wrong_token')
  // Were it sent all the same, the stranger would get nothing.
  const attempt = await prepareOne(rail, carriage)
  await rail.send([attempt])
  await chain.advance(32)
  const reason = 'destination_wrong_token'
  expect(await rail.check([attempt])).toEqual([{ state: 'failed', reason }])
})

test('what is not a wallet is refused by what it is', async () => {
  const chain = shared()
  const rail = await openRail(chain)
  const faucet = await openFaucet(chain)
  const [nonce, mint, loose] = [
    await generateKeyPairSigner(),
    await generateKeyPairSigner(),
    await generateKeyPairSigner(),
  ]
  const owner = await newWallet()
  const create = (newAccount: typeof nonce, space: number, programAddress = systemProgram) =>
    getCreateAccountInstruction({
      payer: faucet,
      newAccount,
      space,
      programAddress,
      lamports: 10_000_000n,
    })
  await land(chain, faucet, [
    create(nonce, 80),
    create(mint, 82, TOKEN_PROGRAM_ADDRESS),
    getInitializeMint2Instruction({ mint: mint.address, decimals: 6, mintAuthority: owner }),
    create(loose, 165, TOKEN_PROGRAM_ADDRESS),
    getInitializeAccount3Instruction({ account: loose.address, mint: usdc, owner }),
  ])
  await giveCoins(owner)
  const cases: [string, string][] = [
    [usdc, 'destination_is_mint'],
    [usdt, 'destination_is_mint'],
    [mint.address, 'destination_is_mint'],
    [systemProgram, 'destination_is_program'],
    [TOKEN_PROGRAM_ADDRESS, 'destination_is_program'],
    ['BPFLoaderUpgradeab1e11111111111111111111111', 'destination_is_program'],
    ['NativeLoader1111111111111111111111111111111', 'destination_is_program'],
    ['KeccakSecp256k11111111111111111111111111111', 'destination_is_program'],
    ['Feature111111111111111111111111111111111111', 'destination_is_program'],
    ['Sysvar1111111111111111111111111111111111111', 'destination_not_a_wallet'],
    ['SysvarRewards111111111111111111111111111111', 'destination_not_a_wallet'],
    ['StakeConfig11111111111111111111111111111111', 'destination_not_a_wallet'],
    ['SysvarC1ock11111111111111111111111111111111', 'destination_not_a_wallet'],
    ['1nc1nerator11111111111111111111111111111111', 'destination_not_a_wallet'],
    [nonce.address, 'destination_not_a_wallet'],
    [loose.address, 'destination_not_a_wallet'],
    [await tokenAccountOf(owner), 'destination_not_a_wallet'],
    [await tokenAccountOf(await newWallet()), 'destination_not_a_wallet'],
    ['0x52908400098527886E0F7030069857D2E4169EE7', 'destination_not_a_wallet'],
    [base58.encode(randomBytes(31)), 'destination_not_a_wallet'],
    [base58.encode(randomBytes(33)), 'destination_not_a_wallet'],
    ['1'.repeat(500), 'destination_not_a_wallet'],
    [rail.treasuryAddress, 'destination_is_ours'],
    [await tokenAccountOf(rail.treasuryAddress, usdc), 'destination_is_ours'],
    [await tokenAccountOf(rail.treasuryAddress, usdt), 'destination_is_ours'],
  ]
  const carriages = await Promise.all(cases.map(([to]) => newCarriage({ to })))
  const outcomes = await rail.inspect(carriages.map(toTarget))
  const reasons = outcomes.map((outcome) => outcome instanceof Refusal && outcome.reason)
  expect(cases.map(([to], index) => [to, reasons[index]])).toEqual(cases)
  for (const outcome of outcomes)
    expect((outcome as Refusal).message).toMatch(/\. Send the address of (a|the|one)\b.*\.$/)
  const told = outcomes[cases.findIndex(([to]) => to === loose.address)] as Refusal
  expect(told.message).toContain(owner)
  expect(told.code).toBe('crypto_transfer_failed')
})

test('what needs no look at the chain is refused when it is to be signed, too', async () => {
  const rail = await openRail(shared())
  const bad = [usdc, rail.treasuryAddress, 'nonsense', await tokenAccountOf(await newWallet())]
  const carriages = await Promise.all([...bad, await newWallet()].map((to) => newCarriage({ to })))
  const outcomes = await rail.prepare(carriages)
  expect(outcomes.map((outcome) => outcome instanceof Refusal && outcome.reason)).toEqual([
    'destination_is_mint',
    'destination_is_ours',
    'destination_not_a_wallet',
    'destination_not_a_wallet',
    false,
  ])
})

// The rules see nothing wrong with the wallet; only running the transfer shows that it fails.
test('what the chain would refuse is refused before anything is promised', async () => {
  const chain = shared()
  const rail = await openRail(chain, { mints: { USDT: await newWallet() } })
  expect(await reasonOf(rail, await newCarriage({ asset: 'USDT', amount: 0n }))).toBe(
    'simulation_failed',
  )
})

test('many targets are judged at once, each for itself', async () => {
  const rail = await openRail(shared())
  const carriages = await Promise.all(
    Array.from({ length: 130 }, (_, index) => newCarriage(index % 2 ? { to: usdt } : {})),
  )
  const outcomes = await rail.inspect(carriages.map(toTarget))
  expect(outcomes.map((outcome) => outcome instanceof Refusal)).toEqual(
    carriages.map((_, index) => index % 2 === 1),
  )
})

test('a chain that does not answer makes the rail unavailable', async () => {
  const chain = shared()
  const rail = await openRail(chain)
  const carriage = await newCarriage()
  await setFaults(chain, { match: { any: true }, fault: 'rate_limit' })
  expect(await reasonOf(rail, carriage)).toBe('rail_unavailable')
  const outcome = (await rail.prepare([carriage]))[0]
  expect(outcome).toMatchObject({ code: 'crypto_transfer_failed', reason: 'rail_unavailable' })
  await setFaults(rpcAt(chain.url))
  expect(await reasonOf(rail, carriage)).toBeUndefined()
})
