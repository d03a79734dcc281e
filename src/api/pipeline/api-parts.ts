import type { Clock } from '../../base/clock.js'
import type { NairaLimits } from '../../base/config.js'
import type { EnvironmentId, Mode } from '../../base/environment.js'
import type { Logger } from '../../base/log.js'
import type { Refusal } from '../../base/refusal.js'
import type { Seal } from '../../base/sealed.js'
import type { Secret } from '../../base/secret.js'
import type { CollectionAccount } from '../../collections/accounts/account.js'
import type { PreparedAccount } from '../../collections/accounts/create-accounts.js'
import type { Rails } from '../../collections/rails.js'
import type { BackCoins } from '../../conversions/ports.js'
import type { KeyedAnswer } from '../../idempotency/answer.js'
import type { Funding } from '../../ledger/fund.js'
import type { Moved } from '../../ledger/movement.js'
import type { Payout } from '../../payouts/payout.js'
import type { SimulatedRail } from '../../payouts/ports.js'
import type { NewPayout } from '../../payouts/requests/create-payouts.js'
import type { PayoutPreparation } from '../../payouts/requests/prepare-payouts.js'
import type { Database } from '../../postgres/database.js'
import type { RateBook } from '../../rates/rate-book.js'
import type { Screening } from '../../screening/ports.js'
import type { Passwords } from '../../team/passwords.js'
import type { Sessions } from '../../team/sessions.js'
import type { Call, RunChange } from '../server/keyed-lane.js'
import type { OpenPage } from '../server/page-source.js'
import type { ChangeHints } from '../streams/change-hints.js'
import type { Streams } from '../streams/streams.js'
import type { Collections } from './open-collections.js'

/** Everything that the routes use; compose.ts puts it together. */
export type ApiParts = {
  db: Database
  clock: Clock
  logger: Logger
  sessions: Sessions
  passwords: Passwords
  /** Undefined: the console answers on every host. */
  consoleUrl: string | undefined
  /** For lists of an environment, which may be read from a replica. */
  openPage: OpenPage
  seal: Seal
  /** Undefined: notices of the mail relay are not accepted. */
  mailBounceSecret: Secret | undefined
  allowsLoopbackWebhooks: boolean
  naira: Record<Mode, NairaLimits>
  fundBalance: (call: Call<Funding, Moved>) => Promise<KeyedAnswer>
  change: RunChange
  payoutPreparation: PayoutPreparation
  rates: RateBook
  /** Mints the coins that a test conversion lacks; undefined: there is no localnet. */
  backCoins: BackCoins | undefined
  /** Mints what was recorded, before the caller reads that it has the coins. */
  mintPending: () => Promise<void>
  simulated: SimulatedRail[]
  commitPayout: (call: Call<NewPayout, Payout>) => Promise<KeyedAnswer>
  /** Sends a committed payout, without waiting for it. */
  sendPayout: (committed: NewPayout) => void
  rails: Rails
  collections: Collections
  /** Undefined: nothing is screened. */
  screening: Screening | undefined
  streams: Streams
  changeHints: ChangeHints
  baseUrl: () => string
  commitAccount: (call: Call<PreparedAccount, CollectionAccount>) => Promise<KeyedAnswer>
  storeRefusal: (call: Call<Refusal, never>) => Promise<KeyedAnswer>
  /** Does what became due when a test clock was advanced. If it fails, workers do it soon. */
  afterAdvance: (environmentId: EnvironmentId) => Promise<void>
}
