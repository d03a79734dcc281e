import { frameTexts } from '../../frame/texts'
import type { ScreenRoute } from '../screen-route'

const permissions: ScreenRoute['permissions'] = ['customers.see']

export const customerRoutes: ScreenRoute[] = [
  {
    path: '/customers',
    load: () => import('./customers'),
    permissions,
    menu: { label: frameTexts.menu.customers, icon: 'users', group: 'main', goKey: 'c' },
  },
  { path: '/customers/$reference', load: () => import('./customer'), permissions },
]
