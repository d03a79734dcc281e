import type { Clock } from './base/clock.js'
import { type Config, type Provider, providers } from './base/config.js'
import type { Mode } from './base/environment.js'
import type { Logger } from './base/log.js'
import type { BankRail } from './collections/ports.js'
import type { Database } from './postgres/database.js'
import type { BankDriver } from './rails/bank/driver.js'
import { createBankRail } from './rails/bank/rail.js'
import { createMonnifyDriver } from './rails/monnify/driver.js'

type Tools = { config: Config; db: Database; clock: Clock; logger: Logger }

type DriverTools = { payerEmail: string; mode: Mode; clock: Clock; logger: Logger }

type CreateDriver = (
  config: Config['providers'][Mode],
  tools: DriverTools,
) => BankDriver | undefined

/** The driver of each provider, if its variables are set. */
const drivers: Partial<Record<Provider, CreateDriver>> = {
  monnify: (config, tools) => config.monnify && createMonnifyDriver(config.monnify, tools),
}

/**
 * Opens every provider whose variables are set, also those that are not chosen: merchants may be
 * bound to them, and payouts that began there must end there.
 */
export function openProviders(tools: Tools, mode: Mode): BankRail[] {
  const { config, db, clock, logger } = tools
  return providers.flatMap((provider) => {
    const given = { payerEmail: config.payerEmail, mode, clock, logger }
    const driver = drivers[provider]?.(config.providers[mode], given)
    return driver ? [createBankRail({ driver, mode, db, clock, logger })] : []
  })
}
