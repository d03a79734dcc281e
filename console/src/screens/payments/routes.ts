import { frameTexts } from '../../frame/texts'
import type { ScreenRoute } from '../screen-route'

const { menu } = frameTexts

export const paymentRoutes: ScreenRoute[] = [
  {
    path: '/payments',
    load: () => import('./payments'),
    permissions: ['payments.see'],
    menu: {
      label: menu.payments,
      icon: 'payIn',
      group: 'main',
      goKey: 'p',
      isTab: true,
      counts: ['held_payment'],
    },
  },
  {
    path: '/payments/$reference',
    load: () => import('./payment'),
    permissions: ['payments.see'],
  },
  {
    path: '/payments/$reference/receipt',
    load: () => import('./receipt'),
    permissions: ['payments.see'],
    isBare: true,
  },
]
