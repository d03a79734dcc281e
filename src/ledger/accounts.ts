import type { EnvironmentId } from '../base/environment.js'
import type { Asset } from '../money/assets.js'
import { column, Table } from '../postgres/table.js'

/**
 * The ledger accounts of one environment and asset, without those of sub-accounts. `available` and
 * `suspense` are owed to the merchant or payer and grow with credits. `levies` is owed to the
 * state, or was debited by the bank. `clearing` (at the bank), `treasury` and `deposits` (on the
 * chain) are what Manilla holds. `receivables` is the other side of what sub-accounts owe.
 */
export const ownAccountNames = [
  'available',
  'suspense',
  'fees',
  'levies',
  'exchange',
  'clearing',
  'treasury',
  'deposits',
  'receivables',
] as const

export type LedgerAccountName =
  | (typeof ownAccountNames)[number]
  | SubaccountName
  | `sub_pending:${string}`
  | `sub_owed:${string}`

/** What a sub-account may spend. The name contains its id. */
export type SubaccountName = `sub:${string}`

/** The ledger accounts of a sub-account: to spend, released later, owed to the merchant. */
export const subaccountName = (id: string): SubaccountName => `sub:${id}`
export const pendingName = (id: string) => `sub_pending:${id}` as const
export const owedName = (id: string) => `sub_owed:${id}` as const

/** The sub-account that may spend the money of this ledger account; undefined for all others. */
export function subaccountIdOf(name: LedgerAccountName): string | undefined {
  return name.startsWith('sub:') ? name.slice(4) : undefined
}

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
  if (name === 'available' || name === 'suspense') return false
  return !name.startsWith('sub:') && !name.startsWith('sub_pending:')
}
