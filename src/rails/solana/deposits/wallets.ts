import type { Clock } from '../../../base/clock.js'
import type { LiveSweep, WalletRail } from '../../../collections/ports.js'
import { bytesOf, deriveTokenAccount } from '../addresses.js'
import { createCheck } from '../check.js'
import type { WalletSigner } from '../keys/wallet-signer.js'
import type { ChainContext } from '../payouts/check-attempts.js'
import { createSend } from '../payouts/send.js'
import type { Mints } from '../programs.js'
import { sweepFailureOf } from '../rpc/chain-errors.js'
import type { RpcNodes } from '../rpc/nodes.js'
import { partsPerSweep } from './compile-sweep.js'
import { createFindStrayTokens } from './find-stray-tokens.js'
import { createPollAmounts, createReadAmounts } from './poll-amounts.js'
import { createPrepareSweeps, type SweepDependencies } from './prepare-sweeps.js'
import { createReadMoves } from './read-moves.js'

type WalletDependencies = SweepDependencies & {
  nodes: RpcNodes
  chain: ChainContext
  clock: Clock
}

/** Deposit wallets: derivation, polling and sweeps. The rail adds its name and chain check. */
export function createWallets(dependencies: WalletDependencies) {
  const { nodes, logger, mints, walletSigner } = dependencies
  const check = createCheck({ ...dependencies, explain: sweepFailureOf })
  return {
    mints,
    deriveWallets: createDeriveWallets(walletSigner, mints),
    pollAmounts: createPollAmounts(dependencies),
    readAmounts: createReadAmounts(dependencies),
    readMoves: createReadMoves({ nodes, logger }),
    findStrayTokens: createFindStrayTokens(nodes, mints),
    partsPerSweep,
    prepareSweeps: createPrepareSweeps(dependencies),
    sendSweeps: createSend(nodes, logger),
    checkSweeps: (sweeps: LiveSweep[]) => check(sweeps),
  } satisfies Partial<WalletRail>
}

function createDeriveWallets(signer: WalletSigner, mints: Mints): WalletRail['deriveWallets'] {
  return async (numbers) => {
    const addresses = await signer.deriveAddresses(numbers)
    return addresses.map((address) => {
      const owner = bytesOf(address)
      const tokenAccounts = {
        USDC: deriveTokenAccount(owner, bytesOf(mints.USDC)).address,
        USDT: deriveTokenAccount(owner, bytesOf(mints.USDT)).address,
      }
      return { address, tokenAccounts }
    })
  }
}
