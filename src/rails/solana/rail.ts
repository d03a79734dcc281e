import type { Clock } from '../../base/clock.js'
import { limits } from '../../base/limits.js'
import type { Logger } from '../../base/log.js'
import type { WalletRail } from '../../collections/ports.js'
import { unidentifiedChain } from '../../collections/rails.js'
import type { Coin } from '../../money/assets.js'
import type { ExpiringRail } from '../../payouts/ports.js'
import type { OpenPayoutTotals } from '../../payouts/reconciliation/treasury-books.js'
import { bytesOf, deriveTokenAccount, type TokenAddress } from './addresses.js'
import { createCheck, createExamine } from './check.js'
import { createFindTransfers, type TreasuryHistory } from './deposits/find-transfers.js'
import { createWallets } from './deposits/wallets.js'
import type { Signer } from './keys/signer.js'
import type { WalletSigner } from './keys/wallet-signer.js'
import { createCoverTreasury } from './payouts/cover-treasury.js'
import { createInspect } from './payouts/inspect.js'
import { createPrepare } from './payouts/prepare.js'
import { Recipients } from './payouts/recipients.js'
import { createSend } from './payouts/send.js'
import { Templates } from './payouts/template.js'
import { type Balances, SolanaTreasury } from './payouts/treasury.js'
import { type Mints, mainnetMints } from './programs.js'
import { ChainIdentity, type Network, type PinnedChain } from './rpc/chain-identity.js'
import { createLatestBlockhash } from './rpc/latest-blockhash.js'
import { WrongChain } from './rpc/node.js'
import { RpcNodes } from './rpc/nodes.js'

export type { TreasuryTransfer } from './deposits/find-transfers.js'

export type SolanaOptions = {
  /** URLs, all of the same chain. Conclusions need a majority of them: see `majority.ts`. */
  nodeUrls: string[]
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
  /** Default: the chain is not remembered after a restart, as on the localnet. */
  pinnedChain?: PinnedChain
  /** Micro-lamports per compute unit. */
  computeUnitPrice?: bigint
  openPayouts: OpenPayoutTotals
  /** Returns which addresses are our deposit wallets on this rail: payouts to them are refused. */
  findOurAddresses(rail: string, addresses: string[]): Promise<Set<string>>
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
  /** Checks the chain of every RPC node, for the log and the metrics. */
  watchChains(): Promise<void>
  treasuryBalances(): Promise<Balances>
  /** Everything that moved the treasury's coins since a slot, newest first. */
  findTransfersByMemo(since: bigint): Promise<TreasuryHistory>
  /** Same chain, same name; undefined without a seed. */
  readonly wallets: WalletRail | undefined
  stop(): Promise<void>
}

const defaultComputeUnitPrice = 10_000n

/**
 * Pays coins from a hot wallet on Solana. Throws when too few nodes can serve our chain because
 * others serve a wrong one. While no node responds, it refuses every request and concludes
 * nothing.
 */
export async function createSolanaRail(options: SolanaOptions): Promise<SolanaRail> {
  const { signer, clock, logger, isEmbedded, computeUnitPrice = defaultComputeUnitPrice } = options
  const identity = new ChainIdentity(options.network, options.pinnedChain)
  const nodes = new RpcNodes(options.nodeUrls, identity, logger)
  await verifyAtStart(nodes)
  const mints = { ...mainnetMints, ...options.mints }
  const sources = deriveSources(signer.address, mints)
  const treasury = new SolanaTreasury({ address: signer.address, sources, nodes, clock })
  const payer = { treasury: signer.address, sources, mints, microLamports: computeUnitPrice }
  const shared = {
    nodes,
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
  const getLatestBlockhash = createLatestBlockhash(nodes, clock, cachedMs)
  const { openPayouts, walletSigner, mintPending = async () => {} } = options
  const cover = createCoverTreasury({ treasury, computeUnitPrice, openPayouts, mintPending })
  const chain = { isEmbedded }
  const findOurAddresses = (addresses: string[]) =>
    options.findOurAddresses(nameOf(identity), addresses)
  const isChainKnown = async () => {
    if (identity.genesisHash === undefined) await watchChains(nodes, logger)
    return identity.genesisHash !== undefined
  }
  /** All nodes may have been down at the start: tries again to identify the chain. */
  const onceIdentified =
    <Given extends unknown[], Result>(work: (...given: Given) => Promise<Result>) =>
    async (...given: Given) => {
      await isChainKnown()
      return work(...given)
    }
  return {
    // A getter: in test mode the chain is unknown until a node has responded.
    get name() {
      return nameOf(identity)
    },
    takesBatches: true,
    checkAfterMs: isEmbedded ? limits.solana.embeddedFinalityMs : limits.solana.checkAfterMs,
    treasuryAddress: signer.address,
    isChainKnown,
    watchChains: () => watchChains(nodes, logger),
    inspect: onceIdentified(createInspect({ ...shared, cover, mintPending, findOurAddresses })),
    prepare: onceIdentified(createPrepare({ ...shared, getLatestBlockhash })),
    send: createSend(nodes, logger),
    check: createCheck({ ...shared, chain }),
    examine: createExamine({ ...shared, chain }),
    treasuryBalances: () => treasury.readBalances(),
    findTransfersByMemo: createFindTransfers(shared),
    wallets: walletSigner && {
      get name() {
        return nameOf(identity)
      },
      isChainKnown,
      ...createWallets({
        ...shared,
        chain,
        walletSigner,
        getLatestBlockhash,
        microLamports: computeUnitPrice,
      }),
    },
    async stop() {
      nodes.close()
      await Promise.all([signer.stop?.(), walletSigner?.stop?.()])
    },
  }
}

function nameOf({ genesisHash }: ChainIdentity): string {
  return genesisHash === undefined ? unidentifiedChain : `solana:${genesisHash}`
}

function deriveSources(treasury: string, mints: Mints): Record<Coin, TokenAddress> {
  const owner = bytesOf(treasury)
  return {
    USDC: deriveTokenAccount(owner, bytesOf(mints.USDC)),
    USDT: deriveTokenAccount(owner, bytesOf(mints.USDT)),
  }
}

/** A running service refuses nothing but the answers of a wrong chain, which may come back. */
async function watchChains(nodes: RpcNodes, logger: Logger): Promise<void> {
  try {
    await nodes.verifyChains()
  } catch (error) {
    if (!(error instanceof WrongChain)) throw error
    logger.error({ why: error.message }, 'too few RPC nodes are on the right chain')
  }
}

async function verifyAtStart(nodes: RpcNodes): Promise<void> {
  try {
    await nodes.verifyChains()
  } catch (error) {
    nodes.close()
    throw error
  }
}
