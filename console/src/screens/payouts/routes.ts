import { frameTexts } from '../../frame/texts'
import type { ScreenRoute } from '../screen-route'

const { menu } = frameTexts

export const payoutRoutes: ScreenRoute[] = [
  {
    path: '/payouts',
    load: () => import('./payouts'),
    permissions: ['payouts.see'],
    menu: {
      label: menu.payouts,
      icon: 'payOut',
      group: 'main',
      goKey: 'o',
      isTab: true,
      counts: ['approval', 'payout_review'],
    },
  },
  { path: '/payouts/new', load: () => import('./new-payout'), permissions: ['payouts.create'] },
  {
    path: '/payouts/$reference',
    load: () => import('./payout'),
    permissions: ['payouts.see'],
  },
  {
    path: '/payouts/$reference/receipt',
    load: () => import('./receipt'),
    permissions: ['payouts.see'],
    isBare: true,
  },
]
