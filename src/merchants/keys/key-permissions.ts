import type { Permission } from '../../team/permissions.js'

/**
 * What a secret key can be restricted to: the permissions of the operations that accept a key. A
 * test compares them with the routes.
 */
export const keyPermissions = [
  'payments.see',
  'payouts.see',
  'balances.see',
  'subaccounts.see',
  'customers.see',
  'cases.see',
  'collect.create',
  'customers.change',
  'payments.decide',
  'cases.change',
  'payouts.create',
  'recipients.change',
  'subaccounts.change',
  'developers.see',
  'developers.change',
  'settings.see',
  'settings.change',
] as const satisfies Permission[]

export type KeyPermission = (typeof keyPermissions)[number]
