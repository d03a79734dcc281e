import type { EnvironmentId } from '../base/environment.js'
import type { Asset } from '../money/assets.js'

/**
 * The ledger accounts of one environment and asset. `available` and `suspense` are owed to the
 * merchant or payer and grow with credits. `clearing` (at the bank), `treasury` and `deposits` (on
 * the chain) are what Manilla holds.
 */
export type LedgerAccountName =
  | 'available'
  | 'suspense'
  | 'fees'
  | 'exchange'
  | 'clearing'
  | 'treasury'
  | 'deposits'

export type LedgerAccountKey = {
  environmentId: EnvironmentId
  asset: Asset
  name: LedgerAccountName
}

export type Sums = {
  debitsPending: bigint
  debitsPosted: bigint
  creditsPending: bigint
  creditsPosted: bigint
  entryCount: bigint
}

export type LedgerAccount = LedgerAccountKey & Sums

/** Posted balance minus holds. Pending credits do not count. */
export function spendable(account: Sums): bigint {
  return account.creditsPosted - account.debitsPosted - account.debitsPending
}

/** Accounts that are owed to someone are never overdrawn; a database constraint holds this too. */
export function mayOverdraw(name: LedgerAccountName): boolean {
  return name !== 'available' && name !== 'suspense'
}
