import type { NairaLimits } from '../base/config.js'
import type { EnvironmentId, Mode } from '../base/environment.js'
import type { Outcome } from '../base/refusal.js'
import type { Seal } from '../base/sealed.js'
import type { CollectionAccount } from '../collections/account.js'
import type { OrderedAccount } from '../collections/create-accounts.js'
import type { Answered } from '../idempotency/answer.js'
import type { Funding } from '../ledger/fund.js'
import type { Moved } from '../ledger/movement.js'
import type { NewPayout } from '../payouts/create-payouts.js'
import type { Payout } from '../payouts/payout.js'
import type { BankDirectory, SimulatedRail } from '../payouts/ports.js'
import type { PayoutPreparation, PayoutRails } from '../payouts/prepare-payouts.js'
import type { Database } from '../postgres/database.js'
import type { Call, KeyedChange } from './edge/keyed-lane.js'
import type { Streams } from './edge/streams.js'
import type { Collections } from './open-collections.js'

/** What the routes need of the house; compose.ts hands it to them. */
export type ApiParts = {
  db: Database
  seal: Seal
  allowsLoopbackWebhooks: boolean
  naira: Record<Mode, NairaLimits>
  fundBalance: (call: Call<Funding, Moved>) => Promise<Answered>
  change: (call: Call<KeyedChange, unknown>) => Promise<Answered>
  ordering: PayoutPreparation
  banks: Record<Mode, BankDirectory | undefined>
  simulated: SimulatedRail[]
  createPayout: (call: Call<Outcome<NewPayout>, Payout>) => Promise<Answered>
  /** At once, and without waiting for it. */
  sendPayout: (payout: Payout) => void
  rails: PayoutRails
  collections: Collections
  streams: Streams
  /** Where payers reach this service. */
  baseUrl: () => string
  createAccount: (call: Call<Outcome<OrderedAccount>, CollectionAccount>) => Promise<Answered>
  /** Does what fell due when a clock was moved. What fails here is done by workers soon after. */
  afterAdvance: (environmentId: EnvironmentId) => Promise<void>
}
