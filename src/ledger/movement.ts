import type { EnvironmentId } from '../base/environment.js'
import type { Asset } from '../money/assets.js'
import type { LedgerAccountName } from './accounts.js'
import type { Purpose } from './purposes.js'

/** One debit and one credit. Money goes from the debit side to the credit side. */
export type MovementLine = {
  debit: LedgerAccountName
  credit: LedgerAccountName
  amount: bigint
  purpose: Purpose
}

/**
 * What one cause does to the books: all of its lines, or none. As a hold, the money is set aside
 * until the cause is settled or released.
 */
export type Movement = {
  environmentId: EnvironmentId
  asset: Asset
  causeId: string
  isHold: boolean
  lines: MovementLine[]
}

/** Where a line stands on the merchant's statement, if it touches the available balance. */
export type MovementEntry = { entryNumber: bigint | null; availableAfter: bigint | null }

export type Moved = { isMoved: true; entries: MovementEntry[] }

/**
 * Why a movement was not made; the use case says it to the caller in its own words. `available` is
 * what the debited account could have spent.
 */
export type NotMoved = { isMoved: false; why: 'not_covered' | 'beyond_limit'; available: bigint }
