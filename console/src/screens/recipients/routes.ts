import type { ScreenRoute } from '../screen-route'

/** They belong to the payouts, which name them in tabs. */
export const recipientRoutes: ScreenRoute[] = [
  {
    path: '/payouts/recipients',
    load: () => import('./recipients'),
    permissions: ['payouts.see'],
  },
  {
    path: '/payouts/recipients/$reference',
    load: () => import('./recipient'),
    permissions: ['payouts.see'],
  },
]
