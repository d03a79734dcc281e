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
import {
  land,
  newInstruction,
  openFaucet,
  openRail,
  prepareOne,
  reasonOf,
  toTarget,
} from './rail.js'

/** Destinations that must be refused, and the refusals' messages. */

const shared = shareChain()
beforeEach(() => setFaults(shared()))

const systemProgram: Address = address('11111111111111111111111111111111')
const creation = { extraFees: ['crypto_account_creation'] }

async function giveCoins(owner: string): Promise<void> {
  const chain = shared()
  const mint = { owner, mint: usdc, amount: '5', key: crypto.randomUUID() }
  await chain.call('localnet_mint', mint)
  await chain.advance(1)
}

test('a fresh wallet is accepted, and creating its token account costs extra', async () => {
  const chain = shared()
  const rail = await openRail(chain)
  const instruction = await newInstruction()
  expect(await rail.inspect([toTarget(instruction)])).toEqual([
    { destination: instruction.destination, extraFees: ['crypto_account_creation'] },
  ])
  await rail.send([await prepareOne(rail, instruction)])
  await chain.advance(1)
  expect(await rail.inspect([toTarget(instruction)])).toMatchObject([{ extraFees: [] }])
  // The other coin has its own token account.
  expect(await rail.inspect([toTarget({ ...instruction, asset: 'USDT' })])).toMatchObject([
    creation,
  ])
})

test('lamports at the address of a token account do not create it', async () => {
  const chain = shared()
  const rail = await openRail(chain)
  const to = await newWallet()
  await chain.call('requestAirdrop', await tokenAccountOf(to), 5_000_000)
  await chain.advance(1)
  expect(await rail.inspect([await newInstruction({ to })])).toMatchObject([creation])
})

test('a verified wallet is not checked again for a while', async () => {
  const chain = shared()
  const rail = await openRail(chain)
  const instruction = await newInstruction()
  await giveCoins(instruction.destination.address)
  expect(await reasonOf(rail, instruction)).toBeUndefined()
  const faucet = await openFaucet(chain)
  const freeze = getFreezeAccountInstruction({
    account: await tokenAccountOf(instruction.destination.address),
    mint: usdc,
    owner: faucet,
  })
  await land(chain, faucet, [freeze])
  expect(await reasonOf(rail, instruction)).toBeUndefined()
  rail.clock.pass(10_000)
  expect(await reasonOf(rail, instruction)).toBe('destination_frozen')
})

test('a token account with a new owner is not paid', async () => {
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
  const instruction = await newInstruction({ to: wallet.address })
  expect(await reasonOf(rail, instruction)).toBe('destination_wrong_token')
  // Even if it is sent, the new owner gets nothing.
  const attempt = await prepareOne(rail, instruction)
  await rail.send([attempt])
  await chain.advance(32)
  const reason = 'destination_wrong_token'
  expect(await rail.check([attempt])).toEqual([{ state: 'failed', reason }])
})

test('a destination that is not a wallet is refused with its kind', async () => {
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
  const instructions = await Promise.all(cases.map(([to]) => newInstruction({ to })))
  const outcomes = await rail.inspect(instructions.map(toTarget))
  const reasons = outcomes.map((outcome) => outcome instanceof Refusal && outcome.reason)
  expect(cases.map(([to], index) => [to, reasons[index]])).toEqual(cases)
  for (const outcome of outcomes)
    expect((outcome as Refusal).message).toMatch(/\. Send (a|the)\b.*\baddress\b.*\.$/)
  const refused = outcomes[cases.findIndex(([to]) => to === loose.address)] as Refusal
  expect(refused.message).toContain(owner)
  expect(refused.code).toBe('crypto_transfer_failed')
})

test('offline checks also apply when signing', async () => {
  const rail = await openRail(shared())
  const bad = [usdc, rail.treasuryAddress, 'nonsense', await tokenAccountOf(await newWallet())]
  const instructions = await Promise.all(
    [...bad, await newWallet()].map((to) => newInstruction({ to })),
  )
  const outcomes = await rail.prepare(instructions)
  expect(outcomes.map((outcome) => outcome instanceof Refusal && outcome.reason)).toEqual([
    'destination_is_mint',
    'destination_is_ours',
    'destination_not_a_wallet',
    'destination_not_a_wallet',
    false,
  ])
})

// The destination is a valid wallet; only the simulation shows that the transfer fails.
test('a transfer that fails in simulation is refused', async () => {
  const chain = shared()
  const rail = await openRail(chain, { mints: { USDT: await newWallet() } })
  expect(await reasonOf(rail, await newInstruction({ asset: 'USDT', amount: 0n }))).toBe(
    'simulation_failed',
  )
})

test('many targets are judged together, each by itself', async () => {
  const rail = await openRail(shared())
  const instructions = await Promise.all(
    Array.from({ length: 130 }, (_, index) => newInstruction(index % 2 ? { to: usdt } : {})),
  )
  const outcomes = await rail.inspect(instructions.map(toTarget))
  expect(outcomes.map((outcome) => outcome instanceof Refusal)).toEqual(
    instructions.map((_, index) => index % 2 === 1),
  )
})

test('the rail is unavailable while the chain does not respond', async () => {
  const chain = shared()
  const rail = await openRail(chain)
  const instruction = await newInstruction()
  await setFaults(chain, { match: { any: true }, fault: 'rate_limit' })
  expect(await reasonOf(rail, instruction)).toBe('rail_unavailable')
  const outcome = (await rail.prepare([instruction]))[0]
  expect(outcome).toMatchObject({ code: 'crypto_transfer_failed', reason: 'rail_unavailable' })
  await setFaults(rpcAt(chain.url))
  expect(await reasonOf(rail, instruction)).toBeUndefined()
})
