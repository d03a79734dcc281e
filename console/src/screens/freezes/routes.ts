import type { ScreenRoute } from '../screen-route'

/** They belong to the payouts, which name them in tabs. */
export const freezeRoutes: ScreenRoute[] = [
  {
    path: '/payouts/freezes',
    load: () => import('./freezes'),
    permissions: ['payouts.see'],
  },
]
