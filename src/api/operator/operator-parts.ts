import type { Clock } from '../../base/clock.js'
import type { Config } from '../../base/config.js'
import type { Seal } from '../../base/sealed.js'
import type { CheckResult } from '../../operations/doctor/check-result.js'
import type { WatchedFloat } from '../../operations/metrics/watch-floats.js'
import type { WatchedTreasury } from '../../operations/metrics/watch-treasuries.js'
import type { ReconcilableRails } from '../../operations/reconcile/reconcile.js'
import type { Database } from '../../postgres/database.js'
import type { RateBook } from '../../rates/rate-book.js'
import type { Sessions } from '../../team/sessions.js'

/** The rails that operators watch; all of them, in both modes. */
export type WatchedRails = ReconcilableRails & {
  treasuries: WatchedTreasury[]
  floats: WatchedFloat[]
  /** URL of the embedded chain. */
  chainUrl?: string | undefined
}

/** Everything that the operator's routes use; compose.ts puts it together. */
export type OperatorParts = {
  /** A pool of its own: operators read a lot at once, and merchants must not wait for them. */
  db: Database
  seal: Seal
  clock: Clock
  config: Config
  sessions: Sessions
  rails: WatchedRails
  rates: RateBook
  /** The checks of `manilla doctor`, within this process. */
  examine(): Promise<CheckResult[]>
}
