import { frameTexts } from '../../frame/texts'
import type { ScreenRoute } from '../screen-route'

const { menu } = frameTexts

export const subaccountRoutes: ScreenRoute[] = [
  {
    path: '/subaccounts',
    load: () => import('./subaccounts'),
    permissions: ['subaccounts.see'],
    menu: { label: menu.subaccounts, icon: 'store', group: 'main', goKey: 'u' },
  },
  {
    path: '/subaccounts/$reference',
    load: () => import('./subaccount'),
    permissions: ['subaccounts.see'],
  },
]
