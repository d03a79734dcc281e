import type { ScreenRoute } from '../screen-route'

/** They belong to the payouts, which name them in tabs. */
export const batchRoutes: ScreenRoute[] = [
  {
    path: '/payouts/batches',
    load: () => import('./batches'),
    permissions: ['payouts.see'],
  },
  {
    path: '/payouts/batches/new',
    load: () => import('./new-batch'),
    permissions: ['payouts.create'],
  },
  {
    path: '/payouts/batches/$reference',
    load: () => import('./batch-page'),
    permissions: ['payouts.see'],
  },
]
