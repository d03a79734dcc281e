import type { Clock } from '../../base/clock.js'
import { limits } from '../../base/limits.js'
import type { Logger } from '../../base/log.js'
import type { WalletRail } from '../../collections/ports.js'
import type { Coin } from '../../money/assets.js'
import type { ExpiringRail } from '../../payouts/ports.js'
import type { OpenPayoutTotals } from '../../payouts/treasury-books.js'
import { bytesOf, deriveTokenAccount, type TokenAddress } from './addresses.js'
import { ChainIdentity, type Network, WrongChain } from './chain-identity.js'
import { createCheck, createExamine } from './check.js'
import { createCoverTreasury } from './cover-treasury.js'
import { Endpoints } from './endpoints.js'
import { createFindTransfers, type TreasuryHistory } from './find-transfers.js'
import { createInspect } from './inspect.js'
import { createLatestBlockhash } from './latest-blockhash.js'
import { createPrepare } from './prepare.js'
import { type Mints, mainnetMints } from './programs.js'
import { Recipients } from './recipients.js'
import { createSend } from './send.js'
import type { Signer } from './signer.js'
import { Templates } from './template.js'
import { type Balances, SolanaTreasury } from './treasury.js'
import type { WalletSigner } from './wallet-signer.js'
import { createWallets } from './wallets.js'

export type { TreasuryTransfer } from './find-transfers.js'

export type SolanaOptions = {
  /** URLs, all of the same chain. Conclusions need a majority of them: see `quorum.ts`. */
  endpoints: string[]
  signer: Signer
  /** Without it, the rail has no deposit wallets. */
  walletSigner?: WalletSigner | undefined
  clock: Clock
  logger: Logger
  /** Default: the mints of mainnet. */
  mints?: Partial<Mints>
  /** The embedded localnet: fast, never prunes, never rolls back a block. */
  isEmbedded: boolean
  network: Network
  /** Micro-lamports per compute unit. */
  computeUnitPrice?: bigint
  openPayouts: OpenPayoutTotals
  /**
   * Test mode: mints funds that are recorded but not on the chain yet. Called before a payout is
   * refused because its simulation (inspect.ts) or the sums (cover-treasury.ts) find the treasury
   * short.
   */
  mintPending?: () => Promise<void>
}

export type SolanaRail = ExpiringRail & {
  readonly treasuryAddress: string
  /** Whether the chain, which is part of the rail's name, is known. If not, tries to find out. */
  isChainKnown(): Promise<boolean>
  treasuryBalances(): Promise<Balances>
  /** Everything that moved the treasury's coins since a slot, newest first. */
  findTransfersByMemo(since: bigint): Promise<TreasuryHistory>
  /** Same chain, same name; undefined without a seed. */
  readonly wallets: WalletRail | undefined
  stop(): Promise<void>
}

const defaultComputeUnitPrice = 10_000n

/**
 * Pays coins from a hot wallet on Solana. Throws when endpoints serve different chains or a wrong
 * one. While no endpoint responds, it refuses every request and concludes nothing.
 */
export async function createSolanaRail(options: SolanaOptions): Promise<SolanaRail> {
  const { signer, clock, logger, isEmbedded, computeUnitPrice = defaultComputeUnitPrice } = options
  const identity = new ChainIdentity(options.network)
  const endpoints = new Endpoints(options.endpoints, identity, logger)
  await verifyAtStart(endpoints)
  const mints = { ...mainnetMints, ...options.mints }
  const sources = deriveSources(signer.address, mints)
  const treasury = new SolanaTreasury({ address: signer.address, sources, endpoints, clock })
  const payer = { treasury: signer.address, sources, mints, microLamports: computeUnitPrice }
  const shared = {
    endpoints,
    clock,
    logger,
    signer,
    mints,
    treasury,
    recipients: new Recipients(mints, sources),
    templates: new Templates(payer),
    reserved: {
      mints: new Set(Object.values(mints)),
      ours: new Set([signer.address, sources.USDC.address, sources.USDT.address]),
    },
  }
  const { blockhashCacheMs, embeddedBlockhashCacheMs } = limits.solana
  const cachedMs = isEmbedded ? embeddedBlockhashCacheMs : blockhashCacheMs
  const getLatestBlockhash = createLatestBlockhash(endpoints, clock, cachedMs)
  const { openPayouts, walletSigner, mintPending = async () => {} } = options
  const cover = createCoverTreasury({ treasury, computeUnitPrice, openPayouts, mintPending })
  const chain = { identity, isEmbedded }
  const isChainKnown = () => verifyAgain(endpoints, identity, logger)
  return {
    // A getter: in test mode the chain is unknown until an endpoint has responded.
    get name() {
      return nameOf(identity)
    },
    takesBatches: true,
    treasuryAddress: signer.address,
    isChainKnown: isChainKnown,
    inspect: createInspect({ ...shared, cover, mintPending }),
    prepare: createPrepare({ ...shared, getLatestBlockhash }),
    send: createSend(endpoints, logger),
    check: createCheck({ ...shared, chain }),
    examine: createExamine({ ...shared, chain }),
    treasuryBalances: () => treasury.readBalances(),
    findTransfersByMemo: createFindTransfers(shared),
    wallets: walletSigner && {
      get name() {
        return nameOf(identity)
      },
      isChainKnown: isChainKnown,
      ...createWallets({
        ...shared,
        chain,
        walletSigner,
        getLatestBlockhash,
        microLamports: computeUnitPrice,
      }),
    },
    async stop() {
      endpoints.close()
      await Promise.all([signer.stop?.(), walletSigner?.stop?.()])
    },
  }
}

function nameOf({ genesisHash }: ChainIdentity): string {
  return `solana:${genesisHash ?? 'unknown'}`
}

function deriveSources(treasury: string, mints: Mints): Record<Coin, TokenAddress> {
  const owner = bytesOf(treasury)
  return {
    USDC: deriveTokenAccount(owner, bytesOf(mints.USDC)),
    USDT: deriveTokenAccount(owner, bytesOf(mints.USDT)),
  }
}

/** A running service continues without an endpoint of a wrong chain; the operator removes it. */
async function verifyAgain(
  endpoints: Endpoints,
  identity: ChainIdentity,
  logger: Logger,
): Promise<boolean> {
  if (identity.genesisHash !== undefined) return true
  try {
    await endpoints.verifyChains()
  } catch (error) {
    if (!(error instanceof WrongChain)) throw error
    logger.error({ why: error.message }, 'endpoint is on the wrong chain')
  }
  return identity.genesisHash !== undefined
}

async function verifyAtStart(endpoints: Endpoints): Promise<void> {
  try {
    await endpoints.verifyChains()
  } catch (error) {
    endpoints.close()
    throw error
  }
}
