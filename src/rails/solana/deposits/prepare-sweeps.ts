import { strict as assert } from 'node:assert'
import { base58 } from '@scure/base'
import { limits } from '../../../base/limits.js'
import type { Logger } from '../../../base/log.js'
import type { SweepRequest, WalletRail } from '../../../collections/ports.js'
import { assets } from '../../../money/assets.js'
import { bytesOf, deriveTokenAccount } from '../addresses.js'
import type { Signer } from '../keys/signer.js'
import type { WalletSigner } from '../keys/wallet-signer.js'
import { compile } from '../payouts/compile.js'
import { findLifetime, trySign } from '../payouts/prepare.js'
import { railUnavailable } from '../payouts/refuse.js'
import type { SolanaTreasury } from '../payouts/treasury.js'
import type { Mints } from '../programs.js'
import type { Lifetime } from '../rpc/latest-blockhash.js'
import { toWireTransaction } from '../rpc/wire.js'
import { partsPerSweep, sweepInstructions, sweepMemoBytes } from './compile-sweep.js'

export type SweepDependencies = {
  signer: Signer
  walletSigner: WalletSigner
  logger: Logger
  treasury: SolanaTreasury
  mints: Mints
  microLamports: bigint
  getLatestBlockhash: () => Promise<Lifetime>
}

/** Signed by the wallets; the treasury's signature, which comes first, is still missing. */
type PartlySigned = { message: Buffer; signatures: Uint8Array[] }

/** Signs sweeps without sending them. A sweep that cannot be signed is refused alone. */
export function createPrepareSweeps(dependencies: SweepDependencies): WalletRail['prepareSweeps'] {
  return async (requests) => {
    const lifetime = await findLifetime(dependencies)
    if (!lifetime) return requests.map(railUnavailable)
    const blockhash = base58.encode(lifetime.blockhash)
    const partlySigned = await Promise.all(
      requests.map((request) => signWithWallets(dependencies, request, blockhash)),
    )
    const messages = partlySigned.flatMap((sweep) => (sweep ? [sweep.message] : []))
    const treasurySignatures = await trySign(dependencies, messages)
    if (!treasurySignatures) return requests.map(railUnavailable)
    const signatureOf = new Map(
      messages.map((message, index) => [message, treasurySignatures[index]!]),
    )
    return partlySigned.map((sweep) => {
      if (!sweep) return railUnavailable()
      const signature = signatureOf.get(sweep.message)!
      const wire = toWireTransaction(sweep.message, signature, ...sweep.signatures)
      assert(wire.length <= limits.solana.transactionBytes, 'a sweep fits in a transaction')
      const { lastValidBlockHeight: validUntil, slot: signedSlot } = lifetime
      return { token: base58.encode(signature), wire, validUntil, signedSlot }
    })
  }
}

/** Undefined when the wallet signer fails: then nothing was signed that could be sent. */
async function signWithWallets(
  dependencies: SweepDependencies,
  request: SweepRequest,
  blockhash: string,
): Promise<PartlySigned | undefined> {
  const { message, signers } = compileSweep(dependencies, request, blockhash)
  const [, ...wallets] = signers
  const numbers = new Map(request.parts.map(({ wallet, walletNumber }) => [wallet, walletNumber]))
  try {
    assertTokenAccounts(dependencies.mints, request)
    const toSign = wallets.map((wallet) => ({ number: numbers.get(wallet)!, wallet, message }))
    return { message, signatures: await dependencies.walletSigner.sign(toSign) }
  } catch (error) {
    const { reference } = request
    dependencies.logger.error({ err: error, reference }, 'the wallet signer failed for a sweep')
    return undefined
  }
}

function compileSweep(dependencies: SweepDependencies, request: SweepRequest, blockhash: string) {
  const { reference, asset } = request
  const { length } = request.parts
  const { treasury, mints, microLamports } = dependencies
  assert(length > 0 && length <= partsPerSweep, 'the parts of a sweep fit in a transaction')
  assert(Buffer.byteLength(reference) <= sweepMemoBytes, 'the memo has a bounded length')
  const instructions = sweepInstructions({
    treasury: treasury.address,
    destination: treasury.sources[asset],
    mint: mints[asset],
    decimals: assets[asset].decimals,
    microLamports,
    memo: reference,
    parts: request.parts,
  })
  return compile({ payer: treasury.address, blockhash, instructions })
}

/** The mints may have been configured differently when the wallets were derived. */
function assertTokenAccounts(mints: Mints, { asset, parts }: SweepRequest): void {
  for (const { wallet, tokenAccount } of parts) {
    const { address } = deriveTokenAccount(bytesOf(wallet), bytesOf(mints[asset]))
    assert.equal(tokenAccount, address, `the wallet's ${asset} token account`)
  }
}
