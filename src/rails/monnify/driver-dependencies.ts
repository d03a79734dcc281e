import type { Clock } from '../../base/clock.js'
import type { Mode } from '../../base/environment.js'
import type { Logger } from '../../base/log.js'
import type { BankLimits } from '../../collections/ports.js'

/** Dependencies that the files of the driver share. */
export type DriverDependencies = {
  /** For customers without an address. */
  payerEmail: string
  mode: Mode
  clock: Clock
  logger: Logger
  limits: BankLimits
}
