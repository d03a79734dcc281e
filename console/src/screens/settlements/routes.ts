import { frameTexts } from '../../frame/texts'
import type { ScreenRoute } from '../screen-route'

const { menu } = frameTexts

export const settlementRoutes: ScreenRoute[] = [
  {
    path: '/settlements',
    load: () => import('./settlements'),
    // Who sees no balances is led to the schedule.
    permissions: ['balances.see', 'settings.see'],
    menu: {
      label: menu.settlements,
      icon: 'bank',
      group: 'main',
      goKey: 's',
      counts: ['settlement_destination_unconfirmed'],
    },
  },
  {
    path: '/settlements/schedule',
    load: () => import('./schedule'),
    permissions: ['settings.see'],
  },
  {
    path: '/settlements/$reference',
    load: () => import('./settlement'),
    permissions: ['balances.see'],
  },
]
