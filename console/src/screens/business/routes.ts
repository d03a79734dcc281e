import { frameTexts } from '../../frame/texts'
import type { ScreenRoute } from '../screen-route'

const { menu } = frameTexts

export const businessRoutes: ScreenRoute[] = [
  {
    path: '/team',
    load: () => import('../team/team'),
    permissions: ['team.see', 'team.change'],
    menu: { label: menu.team, icon: 'users', group: 'business' },
  },
  {
    path: '/audit',
    load: () => import('./audit'),
    permissions: ['audit.see', 'audit.own'],
    menu: { label: menu.audit, icon: 'shield', group: 'business' },
  },
]
