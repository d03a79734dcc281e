import type { EnvironmentId } from '../base/environment.js'
import type { Asset } from '../money/assets.js'
import { column, Table } from '../postgres/table.js'

/**
 * The ledger accounts of one environment and asset. `available` and `suspense` are owed to the
 * merchant or payer and grow with credits. `levies` is owed to the state, or was debited by the
 * bank. `clearing` (at the bank), `treasury` and `deposits` (on
 * the chain) are what Manilla holds.
 */
export type LedgerAccountName =
  | 'available'
  | 'suspense'
  | 'fees'
  | 'levies'
  | 'exchange'
  | 'clearing'
  | 'treasury'
  | 'deposits'

export const ledgerAccounts = new Table('ledger_accounts', {
  environmentId: column.int4<EnvironmentId>(),
  asset: column.text<Asset>(),
  name: column.text<LedgerAccountName>(),
  debitsPending: column.int8(),
  debitsPosted: column.int8(),
  creditsPending: column.int8(),
  creditsPosted: column.int8(),
  entryCount: column.int8(),
})

export type LedgerAccount = typeof ledgerAccounts.row
export type LedgerAccountKey = Pick<LedgerAccount, 'environmentId' | 'asset' | 'name'>
export type Sums = Omit<LedgerAccount, keyof LedgerAccountKey>

/** Posted balance minus holds. Pending credits do not count. */
export function spendable(account: Sums): bigint {
  return account.creditsPosted - account.debitsPosted - account.debitsPending
}

/** Accounts that are owed to someone are never overdrawn; a database constraint holds this too. */
export function mayOverdraw(name: LedgerAccountName): boolean {
  return name !== 'available' && name !== 'suspense'
}
