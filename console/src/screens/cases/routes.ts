import { frameTexts } from '../../frame/texts'
import type { ScreenRoute } from '../screen-route'

const permissions: ScreenRoute['permissions'] = ['cases.see']

export const caseRoutes: ScreenRoute[] = [
  {
    path: '/cases',
    load: () => import('./cases'),
    permissions,
    menu: {
      label: frameTexts.menu.cases,
      icon: 'scale',
      group: 'main',
      goKey: 'a',
      counts: ['case_overdue'],
    },
  },
  { path: '/cases/$reference', load: () => import('./case-page'), permissions },
]
