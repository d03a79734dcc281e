import type { Clock } from '../../clock.js'
import { limits } from '../../limits.js'
import type { Logger } from '../../log.js'
import type { PayoutRail } from '../../payouts/ports.js'
import { bytesOf, deriveTokenAccount, type TokenAccount } from './addresses.js'
import { createCheck } from './check.js'
import { createCoverTreasury, type OpenAmount } from './cover-treasury.js'
import { askOne, Endpoints } from './endpoints.js'
import { createFindTransfers, type TreasuryHistory } from './find-transfers.js'
import { createInspect } from './inspect.js'
import { createLatestBlockhash } from './latest-blockhash.js'
import { createPrepare } from './prepare.js'
import { type Coin, type Mints, mainnetGenesis, mainnetMints } from './programs.js'
import { Recipients } from './recipients.js'
import { createSend } from './send.js'
import type { Signer } from './signer.js'
import { Templates } from './template.js'
import { type Balances, Treasury } from './treasury.js'

export type { TreasuryHistory, TreasuryTransfer } from './find-transfers.js'
export type { Balances } from './treasury.js'

export type SolanaOptions = {
  /** Of one chain. Two of different companies are better than one: see `judgeAttempt`. */
  endpoints: string[]
  signer: Signer
  clock: Clock
  logger: Logger
  /** Where the coins are not those of mainnet. */
  mints?: Partial<Mints>
  /** The chain of src/rails/localnet: fast, forgets nothing, never takes a block back. */
  isEmbedded: boolean
  /** Test mode must never touch the real chain, and live mode never another one. */
  network: 'mainnet' | 'not-mainnet'
  /** In millionths of a lamport for a compute unit. */
  computeUnitPrice?: bigint
  /** Without it, the hot wallet counts as free of promises. */
  openAmount?: OpenAmount
}

export type SolanaRail = PayoutRail & {
  readonly genesisHash: string
  readonly treasuryAddress: string
  /** Where the treasury keeps its coins. */
  readonly treasuryTokenAccounts: Record<Coin, string>
  treasuryBalances(): Promise<Balances>
  rentOfTokenAccount(): Promise<bigint>
  /** What moved the treasury's coins since a slot, newest first. */
  findTransfersByMemo(since: bigint): Promise<TreasuryHistory>
  stop(): Promise<void>
}

const usualPrice = 10_000n

/**
 * Pays coins out of a hot wallet on Solana. Throws when the endpoints do not answer, are not of
 * one chain, or are of the wrong one.
 */
export async function createSolanaRail(options: SolanaOptions): Promise<SolanaRail> {
  const { signer, clock, logger, isEmbedded, computeUnitPrice = usualPrice } = options
  const endpoints = new Endpoints(options.endpoints, logger)
  const genesisHash = await readGenesisHash(endpoints, options.network)
  const mints = { ...mainnetMints, ...options.mints }
  const sources = findSources(signer.address, mints)
  const treasury = new Treasury({ address: signer.address, sources, endpoints, clock })
  const payer = { treasury: signer.address, sources, mints, microLamports: computeUnitPrice }
  const shared = {
    ...{ endpoints, clock, logger, signer, mints, treasury },
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
  const cover = createCoverTreasury(treasury, computeUnitPrice, options.openAmount)
  return {
    name: `solana:${genesisHash}`,
    genesisHash,
    treasuryAddress: signer.address,
    treasuryTokenAccounts: { USDC: sources.USDC.address, USDT: sources.USDT.address },
    inspect: createInspect({ ...shared, cover }),
    prepare: createPrepare({ ...shared, getLatestBlockhash }),
    send: createSend(endpoints, logger),
    check: createCheck({ ...shared, chain: { genesisHash, isEmbedded } }),
    treasuryBalances: () => treasury.readBalances(),
    rentOfTokenAccount: () => treasury.rentOfTokenAccount(),
    findTransfersByMemo: createFindTransfers(shared),
    async stop() {
      endpoints.close()
      await signer.stop?.()
    },
  }
}

function findSources(treasury: string, mints: Mints): Record<Coin, TokenAccount> {
  const owner = bytesOf(treasury)
  return {
    USDC: deriveTokenAccount(owner, bytesOf(mints.USDC)),
    USDT: deriveTokenAccount(owner, bytesOf(mints.USDT)),
  }
}

async function readGenesisHash(
  endpoints: Endpoints,
  network: SolanaOptions['network'],
): Promise<string> {
  const asked = endpoints.all.map((endpoint) =>
    askOne(endpoint, [{ method: 'getGenesisHash', params: [] }]),
  )
  const hashes = new Set((await Promise.all(asked)).flat())
  if (hashes.size > 1) throw new Error('the Solana endpoints are not of one chain')
  const [hash] = hashes
  if (typeof hash !== 'string') throw new Error('a Solana endpoint does not tell its chain')
  if (hash === mainnetGenesis && network !== 'mainnet')
    throw new Error('the Solana endpoints are of mainnet, where test mode must not go')
  if (hash !== mainnetGenesis && network === 'mainnet')
    throw new Error('the Solana endpoints are not of mainnet, where alone live mode may go')
  return hash
}
