import type { ScreenRoute } from '../screen-route'

/** Paths below /operator are for operators, whatever their roles at merchants are. */
export const operatorRoutes: ScreenRoute[] = [
  {
    path: '/operator',
    load: () => import('../not-built'),
    menu: { label: 'Health', icon: 'pulse', group: 'operator', isTab: true },
  },
]
