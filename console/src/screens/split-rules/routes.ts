import type { ScreenRoute } from '../screen-route'

/** In the menu they are a tab of sub-accounts. */
export const splitRuleRoutes: ScreenRoute[] = [
  {
    path: '/subaccounts/rules',
    load: () => import('./split-rules'),
    permissions: ['subaccounts.see'],
  },
  {
    path: '/subaccounts/rules/new',
    load: () => import('./new-rule'),
    permissions: ['subaccounts.change'],
  },
  {
    path: '/subaccounts/rules/$reference',
    load: () => import('./split-rule'),
    permissions: ['subaccounts.see'],
  },
  {
    path: '/subaccounts/rules/$reference/change',
    load: () => import('./change-rule'),
    permissions: ['subaccounts.change'],
  },
]
