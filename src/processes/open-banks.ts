import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import type { Emulator } from '#emulators/emulator.js'
import type { Clock } from '../base/clock.js'
import { type Config, type Provider, providers, readProviders } from '../base/config.js'
import type { Mode } from '../base/environment.js'
import type { Logger } from '../base/log.js'
import type { BankRail } from '../collections/ports.js'
import type { Database } from '../postgres/database.js'
import type { BankDriver } from '../rails/bank/driver.js'
import { createBankRail } from '../rails/bank/rail.js'
import { createFlutterwaveDriver } from '../rails/flutterwave/driver.js'
import { createMonnifyDriver } from '../rails/monnify/driver.js'
import { createPaystackDriver } from '../rails/paystack/driver.js'

type BankDependencies = { config: Config; db: Database; clock: Clock; logger: Logger }

type DriverDependencies = { payerEmail: string; mode: Mode; clock: Clock; logger: Logger }

type CreateDriver = (
  config: Config['providers'][Mode],
  dependencies: DriverDependencies,
) => BankDriver | undefined

/** The driver of each provider, if its variables are set. */
const drivers: Record<Provider, CreateDriver> = {
  paystack: ({ paystack }, dependencies) =>
    paystack && createPaystackDriver(paystack, dependencies),
  monnify: ({ monnify }, dependencies) => monnify && createMonnifyDriver(monnify, dependencies),
  flutterwave: ({ flutterwave }, dependencies) =>
    flutterwave && createFlutterwaveDriver(flutterwave, dependencies),
}

export type EmulatedBank = { config: Config; emulator: Emulator | undefined }

/**
 * Opens the emulator of test mode, if one is configured, and returns the configuration that uses
 * it. A command uses the emulator of the running service.
 */
export async function openEmulatedBank(
  dependencies: BankDependencies & { isAlone?: boolean; isLocalnetBorrowed?: boolean },
): Promise<EmulatedBank | undefined> {
  const { config, clock, isAlone } = dependencies
  const { collect, payout } = config.bank.test
  const provider = providers.find((name) => [collect, payout].includes(`${name}-emulator`))
  if (!provider) return undefined
  const folder = path.join(config.home, 'emulators')
  const variablesFile = path.join(folder, `${provider}-variables.json`)
  if (!isAlone) {
    if (!existsSync(variablesFile)) throw onlyAlone(provider)
    return { config: withVariables(config, readVariables(variablesFile)), emulator: undefined }
  }
  const { openEmulator, variablesFor } = await loadEmulators(provider)
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const emulator = await openEmulator(provider, {
    clock,
    file: path.join(folder, `${provider}.json`),
  })
  const variables = variablesFor(emulator, 'TEST')
  writeFileSync(variablesFile, JSON.stringify(variables), { mode: 0o600 })
  return { config: withVariables(config, variables), emulator }
}

/** The live service is built and installed without the emulators. */
async function loadEmulators(provider: Provider) {
  try {
    return await import('#emulators/open-emulator.js')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ERR_MODULE_NOT_FOUND') throw error
    throw new Error(
      `BANK_TEST=${provider}-emulator needs the folder emulators/ of the repository, which this build does not have. Choose another bank.`,
    )
  }
}

function readVariables(file: string): Record<string, string> {
  return JSON.parse(readFileSync(file, 'utf8')) as Record<string, string>
}

function withVariables(config: Config, variables: Record<string, string>): Config {
  const test = readProviders(variables, 'TEST')
  return {
    ...config,
    providers: { ...config.providers, test: { ...config.providers.test, ...test } },
  }
}

function onlyAlone(provider: Provider): Error {
  return new Error(
    `BANK_TEST=${provider}-emulator works with \`npm start\` only. Elsewhere run the emulator with \`npm run emulator -- ${provider} --mode test\` and set the variables that it prints.`,
  )
}

/**
 * Opens every provider whose variables are set, also those that are not chosen: merchants may be
 * bound to them, and payouts that began there must end there.
 */
export function openProviders(dependencies: BankDependencies, mode: Mode): BankRail[] {
  const { config, db, clock, logger } = dependencies
  return providers.flatMap((provider) => {
    const given = { payerEmail: config.payerEmail, mode, clock, logger }
    const driver = drivers[provider](config.providers[mode], given)
    return driver ? [createBankRail({ driver, mode, db, clock, logger })] : []
  })
}
