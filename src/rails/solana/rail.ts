import type { Clock } from '../../base/clock.js'
import { limits } from '../../base/limits.js'
import type { Logger } from '../../base/log.js'
import type { WalletRail } from '../../collections/ports.js'
import type { Coin } from '../../money/assets.js'
import type { ExpiringRail } from '../../payouts/ports.js'
import type { OpenCommitments } from '../../payouts/treasury-books.js'
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

export type { TreasuryHistory, TreasuryTransfer } from './find-transfers.js'
export type { Balances } from './treasury.js'

export type SolanaOptions = {
  /** Of one chain. Conclusions need a majority of them: see `quorum.ts`. */
  endpoints: string[]
  signer: Signer
  /** Of the deposit wallets; without it there are none. */
  walletSigner?: WalletSigner | undefined
  clock: Clock
  logger: Logger
  /** Where the coins are not those of mainnet. */
  mints?: Partial<Mints>
  /** The chain of src/rails/localnet: fast, forgets nothing, never takes a block back. */
  isEmbedded: boolean
  network: Network
  /** In millionths of a lamport for a compute unit. */
  computeUnitPrice?: bigint
  promised: OpenCommitments
  /** Where somebody mints coins: ends when those are there that are known to be coming. */
  fill?: () => Promise<void>
}

export type SolanaRail = ExpiringRail & {
  readonly treasuryAddress: string
  /** Whether its chain, and with it its name, is known; asks once more where it is not. */
  hasMetItsChain(): Promise<boolean>
  treasuryBalances(): Promise<Balances>
  /** What moved the treasury's coins since a slot, newest first. */
  findTransfersByMemo(since: bigint): Promise<TreasuryHistory>
  /** On the same chain and under the same name, where there is a seed. */
  readonly wallets: WalletRail | undefined
  stop(): Promise<void>
}

const usualPrice = 10_000n

/**
 * Pays coins out of a hot wallet on Solana. Throws when endpoints are not of one chain, or of the
 * wrong one. While none of them answers it refuses whatever it is asked for, and concludes nothing.
 */
export async function createSolanaRail(options: SolanaOptions): Promise<SolanaRail> {
  const { signer, clock, logger, isEmbedded, computeUnitPrice = usualPrice } = options
  const identity = new ChainIdentity(options.network)
  const endpoints = new Endpoints(options.endpoints, identity, logger)
  await meetChain(endpoints)
  const mints = { ...mainnetMints, ...options.mints }
  const sources = findSources(signer.address, mints)
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
  const { blockhashMs, embeddedBlockhashMs } = limits.solana
  const cachedMs = isEmbedded ? embeddedBlockhashMs : blockhashMs
  const getLatestBlockhash = createLatestBlockhash(endpoints, clock, cachedMs)
  const { promised, walletSigner, fill = async () => {} } = options
  const cover = createCoverTreasury({ treasury, promised, fill, price: computeUnitPrice })
  const chain = { identity, isEmbedded }
  const hasMetItsChain = () => meetLater(endpoints, identity, logger)
  return {
    // Asked for each time: in test mode it is not known before an endpoint has answered.
    get name() {
      return nameOf(identity)
    },
    treasuryAddress: signer.address,
    hasMetItsChain,
    inspect: createInspect({ ...shared, cover, fill }),
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
      hasMetItsChain,
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

function findSources(treasury: string, mints: Mints): Record<Coin, TokenAddress> {
  const owner = bytesOf(treasury)
  return {
    USDC: deriveTokenAccount(owner, bytesOf(mints.USDC)),
    USDT: deriveTokenAccount(owner, bytesOf(mints.USDT)),
  }
}

/** A service that runs goes on without an endpoint of a wrong chain; somebody has to remove it. */
async function meetLater(
  endpoints: Endpoints,
  identity: ChainIdentity,
  logger: Logger,
): Promise<boolean> {
  if (identity.genesisHash !== undefined) return true
  try {
    await endpoints.meetAll()
  } catch (error) {
    if (!(error instanceof WrongChain)) throw error
    logger.error({ trouble: error.message }, 'an endpoint is of a chain where we must not go')
  }
  return identity.genesisHash !== undefined
}

async function meetChain(endpoints: Endpoints): Promise<void> {
  try {
    await endpoints.meetAll()
  } catch (error) {
    endpoints.close()
    throw error
  }
}
