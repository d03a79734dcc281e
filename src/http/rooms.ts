import type { Answered } from '../idempotency/answer.js'
import type { Funding } from '../ledger/fund.js'
import type { Moved } from '../ledger/movement.js'
import type { Database } from '../postgres/database.js'
import type { Seal } from '../sealed.js'
import type { Call, Change } from './keyed-lane.js'

/** What the routes need of the house; compose.ts hands it to them. */
export type Rooms = {
  db: Database
  seal: Seal
  allowsLoopbackWebhooks: boolean
  fundBalance: (call: Call<Funding, Moved>) => Promise<Answered>
  change: (call: Call<Change, unknown>) => Promise<Answered>
}
