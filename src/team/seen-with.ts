import { allPermissions, type Permission } from './permissions.js'

/**
 * What a caller needs to see a resource, wherever it is shown or sent: in its own operations,
 * search, timelines, events, deliveries, webhooks, the request log, streams and attention. A return
 * is part of its payment, also where it shows how it was paid out.
 */
export const seenWith = {
  payment: 'payments.see',
  return: 'payments.see',
  virtual_account: 'payments.see',
  dedicated_account: 'payments.see',
  crypto_wallet: 'payments.see',
  dedicated_crypto_wallet: 'payments.see',
  checkout_session: 'payments.see',
  bank_transfer: 'payouts.see',
  crypto_transfer: 'payouts.see',
  batch: 'payouts.see',
  recipient: 'payouts.see',
  claim: 'payouts.see',
  case: 'cases.see',
  balance: 'balances.see',
  balance_entry: 'balances.see',
  conversion: 'balances.see',
  customer: 'customers.see',
  invoice: 'customers.see',
  subaccount: 'subaccounts.see',
  split: 'subaccounts.see',
  // The report of a settlement shows the balance of the sub-account.
  subaccount_settlement: 'subaccounts.see',
  // The report of a settlement shows the balance before and after it.
  settlement: 'balances.see',
  // Settlements show where they went.
  settlement_destination: 'balances.see',
  event: 'developers.see',
  webhook_endpoint: 'developers.see',
  request: 'developers.see',
} as const satisfies Record<string, Permission>

export type ResourceKind = keyof typeof seenWith

export const resourceKinds = Object.keys(seenWith) as ResourceKind[]

export type Permissions = ReadonlySet<Permission>

/** Permissions of an API key that is not restricted. */
export const everyPermission: Permissions = new Set(allPermissions)

export function sees(permissions: Permissions, kind: ResourceKind): boolean {
  return permissions.has(seenWith[kind])
}

/** The permission to see the result of such an operation, made by others, in the request log. */
const resultsSeenWith: Partial<Record<Permission, Permission>> = {
  'collect.create': 'payments.see',
  'payments.decide': 'payments.see',
  'payments.ask': 'payments.see',
  // Each operation on notes also needs the permission to see the payment, payout or case.
  'notes.write': 'payments.see',
  'cases.change': 'cases.see',
  'payouts.create': 'payouts.see',
  'recipients.change': 'payouts.see',
  'customers.change': 'customers.see',
  'subaccounts.change': 'subaccounts.see',
  'payouts.approve': 'payouts.see',
  'developers.change': 'developers.see',
  'settings.change': 'settings.see',
  'approvals.change': 'settings.see',
  'business.change': 'business.see',
  'team.change': 'team.see',
}

export function seesResult(permissions: Permissions, needed: Permission): boolean {
  return permissions.has(resultsSeenWith[needed] ?? needed)
}
