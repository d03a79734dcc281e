import { strict as assert } from 'node:assert'
import { base58 } from '@scure/base'
import { limits } from '../../base/limits.js'
import type { Logger } from '../../base/log.js'
import type { SweepRequest, WalletRail } from '../../collections/ports.js'
import { assets } from '../../money/assets.js'
import { bytesOf, deriveTokenAccount } from './addresses.js'
import { compile } from './compile.js'
import { partsPerSweep, sweepInstructions, sweepMemoBytes } from './compile-sweep.js'
import type { Lifetime } from './latest-blockhash.js'
import { findLifetime, findSignatures } from './prepare.js'
import type { Mints } from './programs.js'
import { railUnavailable } from './refuse.js'
import type { Signer } from './signer.js'
import type { SolanaTreasury } from './treasury.js'
import type { WalletSigner } from './wallet-signer.js'
import { toWireTransaction } from './wire.js'

export type SweepParts = {
  signer: Signer
  walletSigner: WalletSigner
  logger: Logger
  treasury: SolanaTreasury
  mints: Mints
  microLamports: bigint
  getLatestBlockhash: () => Promise<Lifetime>
}

/** What the wallets have signed; the treasury's signature is the first, and is missing yet. */
type Half = { message: Buffer; signatures: Uint8Array[] }

/** Signs sweeps. Nothing leaves; one that cannot be signed is refused alone. */
export function createPrepareSweeps(parts: SweepParts): WalletRail['prepareSweeps'] {
  return async (orders) => {
    const lifetime = await findLifetime(parts)
    if (!lifetime) return orders.map(railUnavailable)
    const blockhash = base58.encode(lifetime.blockhash)
    const halves = await Promise.all(orders.map((order) => signHalf(parts, order, blockhash)))
    const messages = halves.flatMap((half) => (half ? [half.message] : []))
    const signed = await findSignatures(parts, messages)
    if (!signed) return orders.map(railUnavailable)
    const names = new Map(messages.map((message, index) => [message, signed[index]!]))
    return halves.map((half) => {
      if (!half) return railUnavailable()
      const signature = names.get(half.message)!
      const wire = toWireTransaction(half.message, signature, ...half.signatures)
      assert(wire.length <= limits.solana.transactionBytes, 'a sweep fits in a transaction')
      return { token: base58.encode(signature), wire, validUntil: lifetime.lastValidBlockHeight }
    })
  }
}

/** Nothing, where the wallets do not sign: then nothing was signed that could leave. */
async function signHalf(
  parts: SweepParts,
  order: SweepRequest,
  blockhash: string,
): Promise<Half | undefined> {
  const { message, signers } = write(parts, order, blockhash)
  const [, ...wallets] = signers
  const numbers = new Map(order.parts.map(({ wallet, walletNumber }) => [wallet, walletNumber]))
  try {
    assertOwn(parts.mints, order)
    const asked = wallets.map((wallet) => ({ number: numbers.get(wallet)!, wallet, message }))
    return { message, signatures: await parts.walletSigner.sign(asked) }
  } catch (error) {
    const { reference } = order
    parts.logger.error({ err: error, reference }, 'the wallets of a sweep do not sign')
    return undefined
  }
}

function write(parts: SweepParts, order: SweepRequest, blockhash: string) {
  const { reference, asset } = order
  const { length } = order.parts
  const { treasury, mints, microLamports } = parts
  assert(length > 0 && length <= partsPerSweep, 'a sweep has as many parts as fit')
  assert(Buffer.byteLength(reference) <= sweepMemoBytes, 'the memo has a bounded length')
  const instructions = sweepInstructions({
    treasury: treasury.address,
    destination: treasury.sources[asset],
    mint: mints[asset],
    decimals: assets[asset].decimals,
    microLamports,
    memo: reference,
    parts: order.parts,
  })
  return compile({ payer: treasury.address, blockhash, instructions })
}

/** The coins may have had other addresses when the wallets were made. */
function assertOwn(mints: Mints, { asset, parts }: SweepRequest): void {
  for (const { wallet, tokenAccount } of parts) {
    const { address } = deriveTokenAccount(bytesOf(wallet), bytesOf(mints[asset]))
    assert.equal(tokenAccount, address, `where the wallet keeps its ${asset}`)
  }
}
