import { generateKeyPairSync } from 'node:crypto'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import type { Instruction } from '@solana/kit'
import { createKeyPairSignerFromBytes, type KeyPairSigner } from '@solana/kit'
import { afterEach } from 'vitest'
import type { Clock } from '../../../src/base/clock.js'
import { toEnvironmentId } from '../../../src/base/environment.js'
import { createLogger } from '../../../src/base/log.js'
import { Refusal } from '../../../src/base/refusal.js'
import { Secret } from '../../../src/base/secret.js'
import type {
  AttemptFinding,
  LiveAttempt,
  PayoutInstruction,
  PreparedAttempt,
  Target,
} from '../../../src/payouts/ports.js'
import { createKeySigner } from '../../../src/rails/solana/keys/signer.js'
import {
  createSolanaRail,
  type SolanaOptions,
  type SolanaRail,
} from '../../../src/rails/solana/rail.js'
import type { TestChain } from '../../simulation/localnet/localnet.js'
import {
  lifetime,
  newWallet,
  sign,
  unchecked,
  usdc,
  usdt,
} from '../../simulation/localnet/transfers.js'

/** A rail on an embedded chain, with its own treasury and a manual clock. */

export type TestClock = Clock & { pass(milliseconds: number): void }

function createTestClock(): TestClock {
  let elapsed = 0
  return {
    now: () => new Date(Date.UTC(2026, 0, 1) + elapsed),
    elapsedMs: () => elapsed,
    pass: (milliseconds) => {
      elapsed += milliseconds
    },
  }
}

const envelopeBytes = { private: 16, public: 12 }

/** In the key file format of Solana's tools. */
export function newSecret(): Secret {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519')
  const seed = privateKey.export({ format: 'der', type: 'pkcs8' }).subarray(envelopeBytes.private)
  const address = publicKey.export({ format: 'der', type: 'spki' }).subarray(envelopeBytes.public)
  return new Secret(JSON.stringify([...seed, ...address]))
}

export const silent = createLogger('silent')

export const noOpenPayouts = {
  sum: async () => 0n,
  list: async () => ({ total: 0n, largest: [] }),
}

const running = new Set<SolanaRail>()
afterEach(async () => {
  for (const rail of running) await rail.stop()
  running.clear()
})

export type TestRail = SolanaRail & { clock: TestClock; secret: Secret }

export async function openRail(
  chain: TestChain,
  options: Partial<SolanaOptions> & { secret?: Secret; isPoor?: boolean } = {},
): Promise<TestRail> {
  const clock = createTestClock()
  const { secret = newSecret(), isPoor = false, ...others } = options
  const signer = createKeySigner(secret)
  if (!isPoor) await fund(chain, signer.address)
  const rail = await createSolanaRail({
    nodeUrls: [chain.url],
    signer,
    clock,
    logger: silent,
    isEmbedded: true,
    network: 'not-mainnet',
    findOurAddresses: async () => new Set<string>(),
    openPayouts: noOpenPayouts,
    ...others,
  })
  running.add(rail)
  return { ...rail, clock, secret }
}

/** Mints 10 SOL and a million of each coin, and finalizes them by default. */
export async function fund(chain: TestChain, owner: string, blocks = 33): Promise<void> {
  await chain.call('requestAirdrop', owner, 10_000_000_000)
  const mintOf = (mint: string) => ({
    owner,
    mint,
    amount: '1000000000000',
    key: crypto.randomUUID(),
  })
  await chain.call('localnet_mint', [mintOf(usdc), mintOf(usdt)])
  await chain.advance(blocks)
}

let numbers = 0
export async function newInstruction(
  changes: Partial<Omit<PayoutInstruction, 'destination'>> & { to?: string } = {},
) {
  const { to, ...others } = changes
  numbers += 1
  const destination = { kind: 'wallet', address: to ?? (await newWallet()) } as const
  const reference = `ctr_${String(numbers).padStart(20, '0')}`
  return { asset: 'USDC', amount: 1_500_000n, destination, reference, ...others } as const
}

export function toTarget({ asset, amount, destination }: PayoutInstruction): Target {
  return { asset, amount, destination }
}

/** As loaded from its row. */
export function toAttempt(instruction: PayoutInstruction, prepared: PreparedAttempt): LiveAttempt {
  const { reference, asset } = instruction
  const row = { environmentId: toEnvironmentId(1), payoutId: reference, number: 1, polls: 1 }
  return { ...row, ...prepared, reference, asset, createdAt: new Date(0) }
}

export async function prepareOne(
  rail: TestRail,
  instruction: PayoutInstruction,
): Promise<LiveAttempt> {
  // Tests advance the chain faster than the clock: expire the cached blockhash.
  rail.clock.pass(10_000)
  const [prepared] = await rail.prepare([instruction])
  if (prepared instanceof Refusal) throw prepared
  return toAttempt(instruction, prepared!)
}

export async function checkOne(rail: SolanaRail, attempt: LiveAttempt): Promise<AttemptFinding> {
  return (await rail.check([attempt]))[0]!
}

export async function reasonOf(
  rail: TestRail,
  instruction: PayoutInstruction,
): Promise<string | undefined> {
  const [inspected] = await rail.inspect([toTarget(instruction)])
  return inspected instanceof Refusal ? inspected.reason : undefined
}

/** Mint and freeze authority of the coins. */
export async function openFaucet(chain: TestChain): Promise<KeyPairSigner> {
  const file = readFileSync(path.join(chain.folder, 'genesis.json'), 'utf8')
  return createKeyPairSignerFromBytes(Uint8Array.from(JSON.parse(file).faucet as number[]))
}

export async function land(
  chain: TestChain,
  payer: KeyPairSigner,
  instructions: Instruction[],
): Promise<void> {
  const { wire, signature } = await sign(payer, await lifetime(chain), instructions)
  await chain.call('sendTransaction', wire, unchecked)
  const { value } = await chain.call('getSignatureStatuses', [signature])
  if (value[0]?.err !== null) throw new Error(`did not land: ${JSON.stringify(value[0])}`)
  await chain.advance(1)
}
