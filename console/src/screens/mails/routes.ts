import { frameTexts } from '../../frame/texts'
import type { ScreenRoute } from '../screen-route'

/** Owners, admins and finance: mails name payers and balances. */
const permissions: ScreenRoute['permissions'] = ['business.see']

export const mailRoutes: ScreenRoute[] = [
  {
    path: '/mails',
    load: () => import('./mails'),
    permissions,
    menu: { label: frameTexts.menu.mails, icon: 'mail', group: 'business' },
  },
  { path: '/mails/suppressed', load: () => import('./suppressed'), permissions },
  { path: '/mails/$reference', load: () => import('./mail'), permissions },
]
