import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import type { Emulator } from '#emulators/emulator.js'
import type { Clock } from '../base/clock.js'
import { type BankChoice, type Config, type SolanaConfig, usesSandbox } from '../base/config.js'
import { type Environment, type Mode, modes } from '../base/environment.js'
import type { Logger } from '../base/log.js'
import { deriveNoticeKey } from '../base/sealed.js'
import type { BankRail, LocalnetPayers, SandboxPayers } from '../collections/ports.js'
import { type ModeRails, Rails } from '../collections/rails.js'
import type { ResolveHolder } from '../operations/definitions/definition.js'
import type { WatchedFloat } from '../operations/metrics/watch-floats.js'
import type { WatchedTreasury } from '../operations/metrics/watch-treasuries.js'
import type { SimulatedRail } from '../payouts/ports.js'
import { createOpenPayoutTotals } from '../payouts/reconciliation/treasury-books.js'
import type { Database } from '../postgres/database.js'
import type { BankAccountNumber } from '../rails/bank/driver.js'
import { makeKeyBytes } from '../rails/ed25519.js'
import { openScreening } from '../rails/screening/open-screening.js'
import { makeMnemonic, openSeedFile } from '../rails/solana/keys/seed.js'
import { createKeySigner, openKeyFile, type Signer } from '../rails/solana/keys/signer.js'
import { ProcessSigner } from '../rails/solana/keys/signer-process.js'
import { createSolanaRail, type SolanaRail } from '../rails/solana/rail.js'
import { createPinnedChain } from '../rails/solana/rpc/store-chains.js'
import type { Screening } from '../screening/ports.js'
import {
  callLocalnet,
  createCoinMint,
  createLocalnetPayers,
  giveLamports,
} from '../simulation/embedded-chain.js'
import { createEmulatedOutcomes, createEmulatedPayers } from '../simulation/emulated-payers.js'
import { localnetLimits } from '../simulation/localnet/limits.js'
import { keepLocalnetRunning } from '../simulation/localnet/server/keep-running.js'
import { magicRules } from '../simulation/magic-wallets.js'
import { createSandboxBank, type SandboxBank } from '../simulation/sandbox-bank/sandbox-bank.js'
import { createSimulatedBank } from '../simulation/sandbox-bank/simulated-bank.js'
import { SimulatedChain } from '../simulation/simulated-chain.js'
import { type CoinMint, createPendingMint } from '../simulation/test-funding.js'
import { findOurAddresses } from '../wallets/store-wallets.js'
import { assertSameSeed } from '../wallets/troubled-wallets.js'
import { openEmulatedBank, openProviders } from './open-banks.js'

/** Every connection to a bank or chain, by mode. */
export type OpenRails = {
  rails: Rails
  localnetPayers: LocalnetPayers | undefined
  simulatedRails: SimulatedRail[]
  mint: CoinMint | undefined
  sandboxBank: SandboxBank | undefined
  /** Simulated payers of the bank of test mode. */
  testPayers: SandboxPayers | undefined
  emulator: Emulator | undefined
  localnet: RunningLocalnet | undefined
  solana: Record<Mode, SolanaRail | undefined>
  treasuries: WatchedTreasury[]
  floats: WatchedFloat[]
  /** Undefined: nothing is screened. */
  screening?: Screening | undefined
  close(): Promise<void>
}

/** Secrets of the localnet, kept in MANILLA_HOME. */
const treasuryFile = 'test-treasury.json'
const seedFile = 'test-seed.txt'

type RunningLocalnet = Awaited<ReturnType<typeof keepLocalnetRunning>>

type RailDependencies = {
  config: Config
  db: Database
  clock: Clock
  logger: Logger
  /** Test mode uses the localnet of another process, a running service. */
  isLocalnetBorrowed?: boolean
  /** This process is the only one of the service, so it may run an emulator itself. */
  isAlone?: boolean
}

/**
 * Opens the rails that the configuration names. With the embedded database and no Solana RPC nodes
 * for test mode, it also starts a localnet.
 */
export async function openRails(dependencies: RailDependencies): Promise<OpenRails> {
  const { config, db } = dependencies
  const screening = config.screening && (await openScreening(config.screening, dependencies))
  const isEmbedded = !config.databaseUrl && config.solana.test.urls.length === 0
  const localnet = isEmbedded ? await openLocalnet(dependencies) : undefined
  const embedded = localnet && (await openOnLocalnet(dependencies, localnet))
  const solana = {
    test: embedded ? embedded.rail : await openSolana(dependencies, 'test'),
    live: await openSolana(dependencies, 'live'),
  }
  for (const rail of Object.values(solana))
    if (rail?.wallets) await assertSameSeed(db, rail.wallets)
  const { sandboxBank, emulated, banks } = await openBanks(dependencies)
  const railsOf = (mode: Mode): ModeRails => ({
    ...banks[mode],
    chain: solana[mode],
    wallets: solana[mode]?.wallets,
  })
  const rails = new Rails({ test: railsOf('test'), live: railsOf('live') })
  return {
    rails,
    localnetPayers: localnet && createLocalnetPayers(localnet.url),
    simulatedRails: [
      ...(sandboxBank ? [createSimulatedBank(sandboxBank)] : []),
      ...(emulated?.emulator ? [createEmulatedOutcomes(emulated.emulator)] : []),
      ...(embedded ? [new SimulatedChain(localnet.url, embedded.rail)] : []),
    ],
    mint: embedded?.mint,
    sandboxBank,
    testPayers: testPayersOf(sandboxBank, emulated?.emulator),
    emulator: emulated?.emulator,
    localnet,
    solana,
    treasuries: (['test', 'live'] as const).flatMap((mode) => {
      const rail = solana[mode]
      return rail ? [{ mode, rail, floors: config.solana[mode].floors }] : []
    }),
    floats: modes.flatMap((mode) =>
      rails.banksOf(mode).map((bank) => ({ bank, floatMin: config.bank[mode].floatMin })),
    ),
    screening,
    async close() {
      screening?.stop()
      await Promise.all([sandboxBank?.stop(), solana.test?.stop(), solana.live?.stop()])
      await emulated?.emulator?.close()
      await localnet?.stop()
    },
  }
}

async function openBanks(dependencies: RailDependencies) {
  const { config } = dependencies
  const sandboxBank = usesSandbox(config.bank) ? openSandboxBank(dependencies) : undefined
  const emulated = await openEmulatedBank(dependencies)
  const withEmulator = { ...dependencies, config: emulated ? emulated.config : config }
  const inTestMode = [...(sandboxBank ? [sandboxBank] : []), ...openProviders(withEmulator, 'test')]
  const banks = {
    test: chooseBanks(config.bank.test, inTestMode),
    live: chooseBanks(config.bank.live, openProviders(dependencies, 'live')),
  }
  return { sandboxBank, emulated, banks }
}

/**
 * Opens only the banks, and asks the one that carries payouts of this environment whose account it
 * is. Undefined: no bank is configured here.
 */
export async function resolveHolder(
  dependencies: RailDependencies,
  environment: Pick<Environment, 'mode' | 'payoutBank'>,
  account: BankAccountNumber,
): ReturnType<ResolveHolder> {
  const { sandboxBank, banks } = await openBanks(dependencies)
  try {
    return await new Rails(banks).payoutBankOf(environment)?.resolveName(account)
  } finally {
    await sandboxBank?.stop()
  }
}

function testPayersOf(
  sandboxBank: SandboxBank | undefined,
  emulator: Emulator | undefined,
): SandboxPayers | undefined {
  return emulator ? createEmulatedPayers(emulator) : sandboxBank
}

function chooseBanks({ collect, payout }: BankChoice, banks: BankRail[]): ModeRails {
  const find = (choice: BankChoice['collect']) => {
    const provider = choice === 'sandbox' ? 'sandbox-bank' : choice.replace('-emulator', '')
    return banks.find((bank) => bank.provider === provider)
  }
  return { collectBank: find(collect), payoutBank: find(payout), banks }
}

/**
 * Opens the rails for a command. Only one process may run the localnet, so the command uses that of
 * the running service; if none is running, it starts the localnet itself.
 */
export async function borrowRails(
  dependencies: RailDependencies,
  chainUrl: string | undefined,
): Promise<OpenRails> {
  const { home, solana } = dependencies.config
  if (!chainUrl || !(await isLocalnetOf(home, chainUrl))) return openRails(dependencies)
  const seed = path.join(home, seedFile)
  const test = {
    ...solana.test,
    urls: [chainUrl],
    keyFile: path.join(home, treasuryFile),
    seedFile: existsSync(seed) ? seed : undefined,
  }
  const config = { ...dependencies.config, solana: { ...solana, test } }
  return openRails({ ...dependencies, config, isLocalnetBorrowed: true })
}

/** The URL may be outdated, and another chain may answer there now. */
async function isLocalnetOf(home: string, url: string): Promise<boolean> {
  const file = path.join(home, 'localnet', 'genesis.json')
  if (!existsSync(file)) return false
  const { genesisHash } = JSON.parse(readFileSync(file, 'utf8')) as { genesisHash: string }
  const answered = await callLocalnet(url, 'getGenesisHash', []).catch(() => undefined)
  return answered === genesisHash
}

function openSandboxBank({ config, db, clock, logger }: RailDependencies): SandboxBank {
  const { old, next } = config.otherSecrets ?? {}
  return createSandboxBank({
    db,
    clock,
    logger,
    noticeKey: deriveNoticeKey(config.secret),
    otherNoticeKeys: [old, next].flatMap((secret) => (secret ? [deriveNoticeKey(secret)] : [])),
  })
}

function openLocalnet({ config, logger }: RailDependencies): Promise<RunningLocalnet> {
  const folder = path.join(config.home, 'localnet')
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const options = { folder, slotMs: localnetLimits.blockMs, rules: magicRules() }
  return keepLocalnetRunning(options, logger)
}

async function openOnLocalnet(dependencies: RailDependencies, { url }: RunningLocalnet) {
  const { home } = dependencies.config
  const keyFile = path.join(home, treasuryFile)
  createOnce(keyFile, () => JSON.stringify([...makeKeyBytes()]))
  const signer = openKeyFile(keyFile)
  const seed = path.join(home, seedFile)
  createOnce(seed, () => `${makeMnemonic().reveal()}\n`)
  await giveLamports(url, signer.address)
  const mint = createCoinMint(url, { treasuryAddress: signer.address }, { waitsForBlock: true })
  const rail = await createSolanaRail({
    ...shared(dependencies, 'test'),
    nodeUrls: [url],
    signer,
    isEmbedded: true,
    network: 'not-mainnet',
    walletSigner: openSeedFile(seed),
    mintPending: createPendingMint({ ...dependencies, mint }),
  })
  return { rail, mint }
}

function createOnce(file: string, makeSecret: () => string): void {
  if (!existsSync(file)) writeFileSync(file, makeSecret(), { mode: 0o600, flag: 'wx' })
}

async function openSolana(
  dependencies: RailDependencies,
  mode: Mode,
): Promise<SolanaRail | undefined> {
  const config = dependencies.config.solana[mode]
  const signer = openSigner(config, mode, dependencies.logger)
  if (config.urls.length === 0 || !signer) return undefined
  const isEmbedded = mode === 'test' && dependencies.isLocalnetBorrowed === true
  return createSolanaRail({
    ...shared(dependencies, mode),
    nodeUrls: config.urls,
    mints: config.mints,
    signer,
    walletSigner: config.seedFile
      ? open(mode, 'SEED_FILE', () => openSeedFile(config.seedFile!))
      : undefined,
    isEmbedded,
    network: mode === 'live' ? 'mainnet' : 'not-mainnet',
    ...(!isEmbedded && { pinnedChain: createPinnedChain({ ...dependencies, mode }) }),
  })
}

function shared({ db, clock, logger }: RailDependencies, mode: Mode) {
  return {
    clock,
    logger,
    openPayouts: createOpenPayoutTotals(db, mode),
    findOurAddresses: (rail: string, addresses: string[]) => findOurAddresses(db, rail, addresses),
  }
}

function openSigner(config: SolanaConfig, mode: Mode, logger: Logger): Signer | undefined {
  const { keyFile, secretKey } = config
  if (keyFile) return open(mode, 'KEY_FILE', () => openKeyFile(keyFile))
  if (secretKey) return open(mode, 'SECRET_KEY', () => createKeySigner(secretKey))
  if (!config.signer) return undefined
  const [command = '', ...args] = config.signer.command.split(' ')
  return new ProcessSigner({ command, args, address: config.signer.address, logger })
}

/** Names the variable whose key or seed cannot be read. */
function open<Opened>(mode: Mode, variable: string, work: () => Opened): Opened {
  try {
    return work()
  } catch (error) {
    throw new Error(`SOLANA_${mode.toUpperCase()}_${variable}: ${(error as Error).message}`)
  }
}
