import { texts } from '../../texts/en'
import type { ScreenRoute } from '../screen-route'

const { menu } = texts.frame

export const homeRoutes: ScreenRoute[] = [
  {
    path: '/',
    load: () => import('./home'),
    menu: { label: menu.home, icon: 'home', group: 'main', goKey: 'h', isTab: true },
  },
]
