import type { ScreenRoute } from '../screen-route'
import { operatorMenuTexts } from './menu-texts'

const { menu } = operatorMenuTexts

/** Paths below /operator are for operators, whatever their roles at merchants are. */
export const operatorRoutes: ScreenRoute[] = [
  {
    path: '/operator',
    load: () => import('./health'),
    menu: { label: menu.health, icon: 'pulse', group: 'operator', isTab: true },
  },
  {
    path: '/operator/actions',
    load: () => import('./actions'),
    menu: { label: menu.actions, icon: 'check', group: 'operator', queue: 'actions' },
  },
  {
    path: '/operator/merchants',
    load: () => import('./merchants'),
    menu: { label: menu.merchants, icon: 'store', group: 'operator', isTab: true },
  },
  { path: '/operator/merchants/$id', load: () => import('./merchant') },
  {
    path: '/operator/kyc',
    load: () => import('./kyc'),
    menu: { label: menu.kyc, icon: 'file', group: 'operator', queue: 'kyc' },
  },
  { path: '/operator/kyc/$id', load: () => import('./kyc-review') },
  {
    path: '/operator/fees',
    load: () => import('./fees'),
    menu: { label: menu.fees, icon: 'tag', group: 'operator' },
  },
  { path: '/operator/fees/$id', load: () => import('./merchant-fees') },
  {
    path: '/operator/payouts',
    load: () => import('./payouts'),
    menu: {
      label: menu.payouts,
      icon: 'payOut',
      group: 'operatorMoney',
      queue: 'payouts',
      isTab: true,
      tabLabel: menu.review,
    },
  },
  {
    path: '/operator/notices',
    load: () => import('./notices'),
    menu: { label: menu.notices, icon: 'held', group: 'operatorMoney', queue: 'notices' },
  },
  {
    path: '/operator/treasury',
    load: () => import('./treasury'),
    menu: { label: menu.treasury, icon: 'coin', group: 'operatorMoney', isTab: true },
  },
  {
    path: '/operator/exchange',
    load: () => import('./exchange'),
    menu: { label: menu.exchange, icon: 'swap', group: 'operatorMoney' },
  },
  {
    path: '/operator/levies',
    load: () => import('./levies'),
    menu: { label: menu.levies, icon: 'file', group: 'operatorMoney' },
  },
  { path: '/operator/levies/vat', load: () => import('./vat') },
  { path: '/operator/levies/margins', load: () => import('./margins') },
  {
    path: '/operator/reconciliation',
    load: () => import('./reconciliation'),
    menu: {
      label: menu.reconciliation,
      icon: 'scale',
      group: 'operatorMoney',
      queue: 'differences',
    },
  },
  {
    path: '/operator/rails',
    load: () => import('./rails'),
    menu: { label: menu.rails, icon: 'bank', group: 'operatorSystem' },
  },
  {
    path: '/operator/freezes',
    load: () => import('./freezes'),
    menu: { label: menu.freezes, icon: 'snow', group: 'operatorSystem' },
  },
  {
    path: '/operator/operators',
    load: () => import('./operators'),
    menu: { label: menu.operators, icon: 'users', group: 'operatorSystem' },
  },
  {
    path: '/operator/audit',
    load: () => import('./audit'),
    menu: { label: menu.audit, icon: 'shield', group: 'operatorSystem' },
  },
]
