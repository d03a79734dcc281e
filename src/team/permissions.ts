import type { Mode } from '../base/environment.js'

/** What a member of a merchant may do. Owners may do everything. */
export const roles = ['owner', 'admin', 'finance', 'developer', 'support', 'viewer'] as const
export type Role = (typeof roles)[number]

/** A cell of the table: in both modes, in test mode only, or not at all. */
type Grant = 'both' | 'test' | 'none'
type Row = { does: string; may: Record<Role, Grant> }

/** In the order of `roles`: x = both modes, t = test mode only, - = not at all. */
function row(does: string, cells: string): Row {
  const grants = { x: 'both', t: 'test', '-': 'none' } as const
  const marks = cells.split(' ') as (keyof typeof grants)[]
  const may = Object.fromEntries(roles.map((role, index) => [role, grants[marks[index]!]]))
  return { does, may: may as Row['may'] }
}

/**
 * The permissions of every role. Every route of a merchant names one of them, the console shows
 * what the session lists, and docs/guides/console.md prints this table.
 */
export const permissions = {
  'payments.see': row('See payments and what was collected', 'x x x x x x'),
  'payouts.see': row('See payouts', 'x x x x x x'),
  'balances.see': row('See balances and the statement', 'x x x - - x'),
  'subaccounts.see': row('See sub-accounts, their balances and splits', 'x x x - - x'),
  'payers.see': row('See names and bank accounts of payers', 'x x x - x -'),
  'customers.see': row('See customers and invoices', 'x x x - x -'),
  'exports.make': row('Export lists', 'x x x - - -'),
  'cases.see': row('See cases', 'x x x x x x'),
  'collect.create': row('Create payment links and collection accounts', 'x x x t x -'),
  'customers.change': row('Create and change customers and invoices', 'x x x t x -'),
  'payments.decide': row('Refund payments and decide held money', 'x x x t - -'),
  'payments.ask': row('Ask for a refund or a decision', 'x x x t x -'),
  'notes.write': row('Write notes on payments, payouts and cases', 'x x x x x -'),
  'cases.change': row('Open, change and close cases', 'x x x t x -'),
  'payouts.create': row('Create payouts', 'x x x t - -'),
  'recipients.change': row('Save, change, disable and enable recipients', 'x x x t - -'),
  'subaccounts.change': row(
    'Change sub-accounts and splits, move money between them',
    'x x x t - -',
  ),
  'payouts.freeze': row('Freeze payouts, and thaw them with a second member', 'x x - - - -'),
  'payouts.approve': row('Approve payouts of others', 'x x x - - -'),
  'developers.see': row('See webhooks, events and the request log', 'x x x x x -'),
  'developers.change': row('Change webhooks and resend events', 'x x - x - -'),
  'endpoints.change': row('Choose where webhooks are sent and which events', 'x x - t - -'),
  'keys.change': row('Create, roll and revoke API keys', 'x x - t - -'),
  'settings.see': row('See settings', 'x x x x - x'),
  'settings.change': row('Change settings and policies', 'x x - - - -'),
  'business.see': row('See bank accounts and KYC', 'x x x - - -'),
  'business.change': row('Change bank accounts and KYC', 'x x - - - -'),
  'approvals.change': row('Change the approval rule', 'x - - - - -'),
  'team.see': row('See the team', 'x x x x x x'),
  'team.change': row('Invite people and change roles', 'x x - - - -'),
  'audit.own': row('See own lines of the audit log', 'x x x x x -'),
  'audit.see': row('See the whole audit log', 'x x x - - -'),
} as const satisfies Record<string, Row>

export type Permission = keyof typeof permissions

export const allPermissions = Object.keys(permissions) as Permission[]

export function permissionsOf(role: Role, mode: Mode): Permission[] {
  return allPermissions.filter((name) => {
    const grant: Grant = permissions[name].may[role]
    return grant === 'both' || (grant === 'test' && mode === 'test')
  })
}

/** The roles that have a permission in a mode, for refusals. */
export function rolesWith(permission: Permission, mode: Mode): Role[] {
  return roles.filter((role) => permissionsOf(role, mode).includes(permission))
}

/** An operator who views a merchant changes nothing and exports nothing. */
export const viewPermissions = allPermissions.filter(
  (name) => name.endsWith('.see') && name !== 'payers.see' && name !== 'customers.see',
)
