import { texts } from '../../texts/en'
import type { ScreenRoute } from '../screen-route'

const { menu } = texts.frame

export const collectRoutes: ScreenRoute[] = [
  {
    path: '/collect',
    load: () => import('../not-built'),
    permissions: ['payments.see'],
    menu: { label: menu.collect, icon: 'link', group: 'main' },
  },
]
