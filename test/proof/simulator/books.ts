import { toReference } from '../../../src/base/ids.js'
import { type Payout, payoutKinds } from '../../../src/payouts/payout.js'
import type { Database } from '../../../src/postgres/database.js'
import { sql } from '../../../src/postgres/sql.js'

/** What the service has in its books, in the words of the API. */
export type Books = {
  payouts: BookedPayout[]
  balances: BookedBalance[]
}

export type BookedPayout = Pick<
  Payout,
  'environmentId' | 'kind' | 'asset' | 'amount' | 'fee' | 'status' | 'failureReason' | 'takesFrom'
> & { reference: string; merchantReference: string | null }

export type BookedBalance = {
  environmentId: number
  asset: string
  available: bigint
  held: bigint
}

export async function readBooks(db: Database): Promise<Books> {
  const payouts = await db.rows(sql<Payout>`
    select environment_id, id, kind, asset, amount, fee, status, failure_reason, takes_from,
      merchant_reference
    from payouts`)
  const balances = await db.rows(sql<BookedBalance>`
    select environment_id, asset, credits_posted - debits_posted - debits_pending as available,
      debits_pending as held
    from ledger_accounts where name = 'available'`)
  return {
    payouts: payouts.map(({ id, ...payout }) => ({
      ...payout,
      reference: toReference(payoutKinds[payout.kind].prefix, id),
    })),
    balances,
  }
}
