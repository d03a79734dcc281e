import { frameTexts } from '../../frame/texts'
import type { ScreenRoute } from '../screen-route'

const { menu } = frameTexts

export const homeRoutes: ScreenRoute[] = [
  {
    path: '/',
    load: () => import('./home'),
    menu: { label: menu.home, icon: 'home', group: 'main', goKey: 'h', isTab: true },
  },
]
