import type { ScreenRoute } from '../screen-route'

/** They belong to the payouts, which name them in tabs. */
export const claimRoutes: ScreenRoute[] = [
  {
    path: '/payouts/claims',
    load: () => import('./claims'),
    permissions: ['payouts.see'],
  },
  {
    path: '/payouts/claims/$reference',
    load: () => import('./claim'),
    permissions: ['payouts.see'],
  },
]
