import { frameTexts } from '../../frame/texts'
import type { ScreenRoute } from '../screen-route'

const { menu } = frameTexts

export const balanceRoutes: ScreenRoute[] = [
  {
    path: '/balances',
    load: () => import('./balances'),
    permissions: ['balances.see'],
    menu: {
      label: menu.balances,
      icon: 'balance',
      group: 'main',
      goKey: 'b',
      isTab: true,
      counts: ['low_balance'],
    },
  },
  {
    path: '/balances/statement',
    load: () => import('./statement'),
    permissions: ['balances.see'],
    isBare: true,
  },
  {
    path: '/balances/month',
    load: () => import('./month'),
    permissions: ['balances.see'],
    isBare: true,
  },
]
