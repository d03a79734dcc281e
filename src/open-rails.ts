import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import type { Clock } from './base/clock.js'
import type { Config, SolanaConfig } from './base/config.js'
import type { Mode } from './base/environment.js'
import type { Logger } from './base/log.js'
import { deriveNoticeKey } from './base/sealed.js'
import type { CollectionRail, LocalnetPayers, WalletRail } from './collections/ports.js'
import type { WatchedTreasury } from './operations/watch-treasuries.js'
import type { BankDirectory, ReversingRail, SimulatedRail } from './payouts/ports.js'
import type { PayoutRails } from './payouts/prepare-payouts.js'
import { openCommitments } from './payouts/treasury-books.js'
import type { Database } from './postgres/database.js'
import { makeKeyBytes } from './rails/ed25519.js'
import { createSolanaRail, type SolanaRail } from './rails/solana/rail.js'
import { makeMnemonic, openSeedFile } from './rails/solana/seed.js'
import { createKeySigner, openKeyFile, type Signer } from './rails/solana/signer.js'
import { ProcessSigner } from './rails/solana/signer-process.js'
import {
  callLocalnet,
  createCoinCustomers,
  createCoinMint,
  giveLamports,
} from './simulation/embedded-chain.js'
import { keepLocalnetRunning } from './simulation/localnet/keep-running.js'
import { localnetLimits } from './simulation/localnet/limits.js'
import { magicRules } from './simulation/magic-wallets.js'
import { createSandboxBank, type SandboxBank } from './simulation/sandbox-bank/sandbox-bank.js'
import { createSimulatedBank } from './simulation/sandbox-bank/simulated-bank.js'
import { SimulatedChain } from './simulation/simulated-chain.js'
import { type CoinMint, createFilling } from './simulation/test-funding.js'
import { refuseOtherSeed } from './wallets/troubled-wallets.js'

/** Everything that talks to banks and chains, by mode. */
export type OpenRails = {
  rails: PayoutRails
  reversing: ReversingRail[]
  collecting: Record<Mode, CollectionRail | undefined>
  wallets: Record<Mode, WalletRail | undefined>
  coinCustomers: LocalnetPayers | undefined
  banks: Record<Mode, BankDirectory | undefined>
  simulated: SimulatedRail[]
  mint: CoinMint | undefined
  sandboxBank: SandboxBank | undefined
  localnet: Chain | undefined
  solana: Record<Mode, SolanaRail | undefined>
  treasuries: WatchedTreasury[]
  close(): Promise<void>
}

/** The secrets of the embedded chain, in the home of the service. */
const treasuryFile = 'test-treasury.json'
const seedFile = 'test-seed.txt'

type Chain = Awaited<ReturnType<typeof keepLocalnetRunning>>

type Tools = {
  config: Config
  db: Database
  clock: Clock
  logger: Logger
  /** The chain of test mode is the embedded one of a service that runs. */
  isBorrowed?: boolean
}

/**
 * Opens what the configuration names. With the embedded database, test mode has a chain of its own
 * too; the sandbox bank needs nothing.
 */
export async function openRails(tools: Tools): Promise<OpenRails> {
  const { config, db, clock, logger } = tools
  const isEmbedded = !config.databaseUrl && config.solana.test.urls.length === 0
  const localnet = isEmbedded ? await openLocalnet(tools) : undefined
  const embedded = localnet && (await openOnLocalnet(tools, localnet))
  const solana = {
    test: embedded ? embedded.rail : await openSolana(tools, 'test'),
    live: await openSolana(tools, 'live'),
  }
  for (const rail of Object.values(solana))
    if (rail?.wallets) await refuseOtherSeed(db, rail.wallets)
  const noticeKey = deriveNoticeKey(config.secret)
  const sandboxBank = createSandboxBank({ db, clock, logger, noticeKey })
  return {
    rails: {
      test: {
        ...(solana.test && { crypto_transfer: solana.test, crypto_return: solana.test }),
        bank_transfer: sandboxBank,
        bank_return: sandboxBank,
      },
      live: { ...(solana.live && { crypto_transfer: solana.live, crypto_return: solana.live }) },
    },
    reversing: [sandboxBank],
    collecting: { test: sandboxBank, live: undefined },
    wallets: { test: solana.test?.wallets, live: solana.live?.wallets },
    coinCustomers: localnet && createCoinCustomers(localnet.url),
    banks: { test: sandboxBank, live: undefined },
    simulated: [
      createSimulatedBank(sandboxBank),
      ...(embedded ? [new SimulatedChain(localnet.url, embedded.rail)] : []),
    ],
    mint: embedded?.mint,
    sandboxBank,
    localnet,
    solana,
    treasuries: (['test', 'live'] as const).flatMap((mode) => {
      const rail = solana[mode]
      return rail ? [{ mode, rail, floors: config.solana[mode].floors }] : []
    }),
    async close() {
      await Promise.all([sandboxBank.stop(), solana.test?.stop(), solana.live?.stop()])
      await localnet?.stop()
    },
  }
}

/**
 * For a command beside a running service, which alone may run the embedded chain: uses its chain,
 * or opens it for the moment where nobody does.
 */
export async function borrowRails(tools: Tools, chainUrl: string | undefined): Promise<OpenRails> {
  const { home } = tools.config
  if (!chainUrl || !(await isChainOf(home, chainUrl))) return openRails(tools)
  const [keyFile, seed] = [treasuryFile, seedFile].map((file) => path.join(home, file))
  const test = { urls: [chainUrl], keyFile, seedFile: existsSync(seed!) ? seed : undefined }
  const { solana, ...config } = tools.config
  const borrowed = { ...solana, test: { ...solana.test, ...test } }
  return openRails({ ...tools, config: { ...config, solana: borrowed }, isBorrowed: true })
}

/** The address may be old, and somebody else's chain may answer there by now. */
async function isChainOf(home: string, url: string): Promise<boolean> {
  const file = path.join(home, 'localnet', 'genesis.json')
  if (!existsSync(file)) return false
  const { genesisHash } = JSON.parse(readFileSync(file, 'utf8')) as { genesisHash: string }
  const answer = await callLocalnet(url, 'getGenesisHash', []).catch(() => undefined)
  return answer === genesisHash
}

function openLocalnet({ config, logger }: Tools): Promise<Chain> {
  const folder = path.join(config.home, 'localnet')
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const options = { folder, slotMs: localnetLimits.blockMs, rules: magicRules() }
  return keepLocalnetRunning(options, logger)
}

async function openOnLocalnet(tools: Tools, { url }: Chain) {
  const { home } = tools.config
  const signer = openKeyFile(
    makeOnce(path.join(home, treasuryFile), () => JSON.stringify([...makeKeyBytes()])),
  )
  const seed = makeOnce(path.join(home, seedFile), () => `${makeMnemonic().reveal()}\n`)
  await giveLamports(url, signer.address)
  const mint = createCoinMint(url, { treasuryAddress: signer.address }, { waitsForBlock: true })
  const rail = await createSolanaRail({
    ...shared(tools, 'test'),
    endpoints: [url],
    signer,
    isEmbedded: true,
    network: 'not-mainnet',
    walletSigner: openSeedFile(seed),
    fill: createFilling({ ...tools, mint }),
  })
  return { rail, mint }
}

/** A secret of the embedded chain: made at the first start, and kept. */
function makeOnce(file: string, make: () => string): string {
  if (!existsSync(file)) writeFileSync(file, make(), { mode: 0o600, flag: 'wx' })
  return file
}

async function openSolana(tools: Tools, mode: Mode): Promise<SolanaRail | undefined> {
  const config = tools.config.solana[mode]
  const signer = openSigner(config, tools.logger)
  if (config.urls.length === 0 || !signer) return undefined
  const network = mode === 'live' ? 'mainnet' : 'not-mainnet'
  const { urls: endpoints, mints } = config
  const isEmbedded = mode === 'test' && tools.isBorrowed === true
  const walletSigner = config.seedFile ? openSeedFile(config.seedFile) : undefined
  const options = { endpoints, mints, signer, walletSigner, isEmbedded }
  return createSolanaRail({ ...shared(tools, mode), ...options, network })
}

function shared({ db, clock, logger }: Tools, mode: Mode) {
  return { clock, logger, promised: openCommitments(db, mode) }
}

function openSigner(config: SolanaConfig, logger: Logger): Signer | undefined {
  if (config.keyFile) return openKeyFile(config.keyFile)
  if (config.secretKey) return createKeySigner(config.secretKey)
  if (!config.signer) return undefined
  const [command = '', ...args] = config.signer.command.split(' ')
  return new ProcessSigner({ command, args, address: config.signer.address, logger })
}
