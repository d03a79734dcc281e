import { frameTexts } from '../../frame/texts'
import type { ScreenRoute } from '../screen-route'

const permissions: ScreenRoute['permissions'] = ['customers.see']

export const invoiceRoutes: ScreenRoute[] = [
  {
    path: '/invoices',
    load: () => import('./invoices'),
    permissions,
    menu: { label: frameTexts.menu.invoices, icon: 'file', group: 'main', goKey: 'i' },
  },
  {
    path: '/invoices/new',
    load: () => import('./new-invoice'),
    permissions: ['customers.change'],
  },
  { path: '/invoices/schedules', load: () => import('./schedules'), permissions },
  {
    path: '/invoices/schedules/new',
    load: () => import('./new-schedule'),
    permissions: ['customers.change'],
  },
  { path: '/invoices/schedules/$reference', load: () => import('./schedule'), permissions },
  { path: '/invoices/$reference', load: () => import('./invoice'), permissions },
  {
    path: '/invoices/$reference/change',
    load: () => import('./change-invoice'),
    permissions: ['customers.change'],
  },
]
