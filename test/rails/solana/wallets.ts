import type { Instruction, KeyPairSigner } from '@solana/kit'
import { expect } from 'vitest'
import { Refusal } from '../../../src/base/refusal.js'
import type {
  HistoryRange,
  LiveSweep,
  SweepRequest,
  TokenHistory,
  Wallet,
  WalletRail,
} from '../../../src/collections/ports.js'
import { createSeedSigner, makeMnemonic } from '../../../src/rails/solana/keys/seed.js'
import type { SolanaOptions } from '../../../src/rails/solana/rail.js'
import { createLocalnetPayers } from '../../../src/simulation/embedded-chain.js'
import type { TestChain } from '../../simulation/localnet/localnet.js'
import { lifetime, sign, unchecked } from '../../simulation/localnet/transfers.js'
import { openRail, type TestRail } from './rail.js'

/** A rail with deposit wallets on an embedded chain, and payers. */

export type TestWallets = WalletRail & { rail: TestRail }

type Options = Partial<SolanaOptions> & { isPoor?: boolean }

export async function openWallets(chain: TestChain, options: Options = {}): Promise<TestWallets> {
  const walletSigner = createSeedSigner(makeMnemonic())
  const rail = await openRail(chain, { walletSigner, ...options })
  return { ...rail.wallets!, rail }
}

export async function deriveOne(wallets: WalletRail, number = 0): Promise<Wallet> {
  return (await wallets.deriveWallets([number]))[0]!
}

type Deposit = { asset?: 'USDC' | 'USDT'; amount?: bigint; key?: string }

/** Sent, but not in a block yet. */
export function deposit(chain: TestChain, { address }: Wallet, changes: Deposit = {}) {
  const { asset = 'USDC', amount = 5_000_000n, key = crypto.randomUUID() } = changes
  const payers = createLocalnetPayers(chain.url, { waitsForBlock: false })
  return payers.deposit({ key, address, asset, amount })
}

export async function readOne(wallets: WalletRail, tokenAccount: string, after?: string) {
  return readRange(wallets, { tokenAccount, after: after ?? null })
}

export async function readRange(wallets: WalletRail, range: HistoryRange): Promise<TokenHistory> {
  const [read] = await wallets.readMoves([range])
  if (read instanceof Error) throw read
  return read!
}

/** Sends a transaction, which may fail on the chain. Returns its signature. */
export async function submit(
  chain: TestChain,
  payer: KeyPairSigner,
  instructions: Instruction[],
): Promise<string> {
  const { wire, signature } = await sign(payer, await lifetime(chain), instructions)
  await chain.call('sendTransaction', wire, unchecked)
  return signature
}

let references = 0

export function newSweepRequest(
  wallets: Wallet[],
  changes: { amounts: bigint[]; isClosing?: boolean; asset?: 'USDC' | 'USDT' },
): SweepRequest {
  const { amounts, isClosing = true, asset = 'USDC' } = changes
  references += 1
  const parts = wallets.map(({ address, tokenAccounts }, walletNumber) => ({
    walletNumber,
    wallet: address,
    tokenAccount: tokenAccounts[asset],
    amount: amounts[walletNumber]!,
    isClosing,
  }))
  return { reference: `swp_${String(references).padStart(22, '0')}`, asset, parts }
}

/** As loaded from its row. */
export async function prepareSweep(
  wallets: TestWallets,
  request: SweepRequest,
): Promise<LiveSweep> {
  // Tests advance the chain faster than the clock: expire the cached blockhash.
  wallets.rail.clock.pass(10_000)
  const [prepared] = await wallets.prepareSweeps([request])
  if (prepared instanceof Refusal) throw prepared
  return { ...prepared!, reference: request.reference, asset: request.asset }
}

/** Signs, sends and finalizes. */
export async function sweep(
  chain: TestChain,
  wallets: TestWallets,
  request: SweepRequest,
): Promise<LiveSweep> {
  const live = await prepareSweep(wallets, request)
  expect(await wallets.checkSweeps([live])).toEqual([{ state: 'unseen' }])
  await wallets.sendSweeps([live])
  expect(await wallets.checkSweeps([live])).toEqual([{ state: 'pending' }])
  await chain.advance(32)
  return live
}
