import type { EnvironmentId } from '../base/environment.js'
import type { Asset } from '../money/assets.js'
import type { LedgerAccountName } from './accounts.js'
import type { Purpose } from './purposes.js'

/** One debit and one credit. Money moves from the debited to the credited account. */
export type MovementLine = {
  debit: LedgerAccountName
  credit: LedgerAccountName
  amount: bigint
  purpose: Purpose
}

/** The transfers of one cause: all or none. A hold reserves the money until it is resolved. */
export type Movement = {
  environmentId: EnvironmentId
  asset: Asset
  causeId: string
  isHold: boolean
  lines: MovementLine[]
}

/** Position of a line on the merchant's statement; null if it does not touch `available`. */
export type MovementEntry = {
  entryNumber: bigint | null
  availableAfter: bigint | null
  /** Position on the statement of the sub-account that it touches. */
  ofSubaccount?: SubaccountEntry | undefined
}

export type SubaccountEntry = {
  subaccountId: string
  subaccountEntry: bigint
  subaccountAfter: bigint
}

export type Moved = { isMoved: true; entries: MovementEntry[] }

/** Why a movement was refused, and what the debited account could have spent. */
export type NotMoved = { isMoved: false; why: 'not_covered' | 'beyond_limit'; available: bigint }
