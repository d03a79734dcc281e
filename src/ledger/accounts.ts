import type { EnvironmentId } from '../base/environment.js'
import type { Asset } from '../money/assets.js'

/**
 * The accounts of one environment and asset. `available` and `suspense` are what we owe: credits
 * make them grow. `clearing` (at the bank), `treasury` and `deposits` (on the chain) are what is
 * held.
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

/** What may be spent: pending debits are spoken for, pending credits have not come yet. */
export function spendable(account: Sums): bigint {
  return account.creditsPosted - account.debitsPosted - account.debitsPending
}

/** What we owe to somebody is never overdrawn; the database refuses it too. */
export function mayOverdraw(name: LedgerAccountName): boolean {
  return name !== 'available' && name !== 'suspense'
}
