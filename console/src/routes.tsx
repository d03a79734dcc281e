import type { Permission } from './api/session'
import { balanceRoutes } from './screens/balances/routes'
import { batchRoutes } from './screens/batches/routes'
import { businessRoutes } from './screens/business/routes'
import { caseRoutes } from './screens/cases/routes'
import { claimRoutes } from './screens/claims/routes'
import { collectRoutes } from './screens/collect/routes'
import { conversionRoutes } from './screens/conversions/routes'
import { customerRoutes } from './screens/customers/routes'
import { developerRoutes } from './screens/developers/routes'
import { freezeRoutes } from './screens/freezes/routes'
import { homeRoutes } from './screens/home/routes'
import { invoiceRoutes } from './screens/invoices/routes'
import { mailRoutes } from './screens/mails/routes'
import { operatorRoutes } from './screens/operator/routes'
import { paymentRoutes } from './screens/payments/routes'
import { payoutRoutes } from './screens/payouts/routes'
import { recipientRoutes } from './screens/recipients/routes'
import type { ScreenRoute } from './screens/screen-route'
import { settingsRoutes } from './screens/settings/routes'
import { settlementRoutes } from './screens/settlements/routes'
import { splitRuleRoutes } from './screens/split-rules/routes'
import { subaccountRoutes } from './screens/subaccounts/routes'
import { youRoutes } from './screens/you/routes'

/** Every screen, in the order of the menu. */
export const screenRoutes: ScreenRoute[] = [
  ...homeRoutes,
  ...paymentRoutes,
  ...payoutRoutes,
  ...batchRoutes,
  ...recipientRoutes,
  ...claimRoutes,
  ...freezeRoutes,
  ...balanceRoutes,
  ...conversionRoutes,
  ...settlementRoutes,
  ...subaccountRoutes,
  ...splitRuleRoutes,
  ...collectRoutes,
  ...invoiceRoutes,
  ...customerRoutes,
  ...caseRoutes,
  ...developerRoutes,
  ...businessRoutes,
  ...mailRoutes,
  ...settingsRoutes,
  ...youRoutes,
  ...operatorRoutes,
]

/** Screens that have another address now: bookmarks and links in old messages still open them. */
export const movedPaths = [{ from: '/settings/settlements', to: '/settlements/schedule' }]

/** Pages for developers show times in UTC. */
export const isDeveloperPath = (path: string) =>
  developerRoutes.some((route) => route.path === path)

export const isOperatorPath = (path: string) => /^\/operator(\/|$)/.test(path)

type Viewer = { permissions: ReadonlySet<Permission>; isOperator: boolean }

export function mayOpen(
  { path, permissions: needed }: ScreenRoute,
  { permissions, isOperator }: Viewer,
): boolean {
  if (isOperatorPath(path)) return isOperator
  return needed === undefined || needed.some((permission) => permissions.has(permission))
}
