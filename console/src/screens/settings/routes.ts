import { frameTexts } from '../../frame/texts'
import type { ScreenRoute } from '../screen-route'

const { menu } = frameTexts

export const settingsRoutes: ScreenRoute[] = [
  {
    path: '/settings',
    load: () => import('./checkout'),
    permissions: ['settings.see', 'business.see'],
    menu: { label: menu.settings, icon: 'gear', group: 'business', counts: ['kyc'] },
  },
  {
    path: '/settings/payments',
    load: () => import('./payment-rules'),
    permissions: ['settings.see'],
  },
  {
    path: '/settings/approvals',
    load: () => import('./approvals'),
    permissions: ['settings.see'],
  },
  {
    path: '/settings/bank-accounts',
    load: () => import('./bank-accounts'),
    permissions: ['business.see'],
  },
  { path: '/settings/kyc', load: () => import('./kyc'), permissions: ['business.see'] },
  { path: '/settings/fees', load: () => import('./fees'), permissions: ['settings.see'] },
]
