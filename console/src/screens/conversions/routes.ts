import type { ScreenRoute } from '../screen-route'

/** They belong to the balances, which name them in tabs and actions. */
export const conversionRoutes: ScreenRoute[] = [
  {
    path: '/balances/convert',
    load: () => import('./convert'),
    permissions: ['payouts.create'],
  },
  {
    path: '/balances/conversions',
    load: () => import('./conversions'),
    permissions: ['balances.see'],
  },
  {
    path: '/balances/conversions/$reference',
    load: () => import('./conversion'),
    permissions: ['balances.see'],
  },
]
