import { frameTexts } from '../../frame/texts'
import type { ScreenRoute } from '../screen-route'

const { menu } = frameTexts

export const developerRoutes: ScreenRoute[] = [
  {
    path: '/quick-start',
    load: () => import('./quick-start'),
    permissions: ['developers.see'],
    menu: { label: menu.quickStart, icon: 'code', group: 'developers' },
  },
  {
    path: '/keys',
    load: () => import('./keys'),
    permissions: ['keys.change'],
    menu: { label: menu.keys, icon: 'key', group: 'developers' },
  },
  {
    path: '/webhooks',
    load: () => import('./webhooks'),
    permissions: ['developers.see'],
    menu: {
      label: menu.webhooks,
      icon: 'hook',
      group: 'developers',
      goKey: 'w',
      counts: ['endpoint_failing'],
    },
  },
  {
    path: '/webhooks/$id',
    load: () => import('./webhooks'),
    permissions: ['developers.see'],
  },
  {
    path: '/events',
    load: () => import('./events'),
    permissions: ['developers.see'],
    menu: { label: menu.events, icon: 'pulse', group: 'developers' },
  },
  { path: '/events/$id', load: () => import('./event'), permissions: ['developers.see'] },
  {
    path: '/requests',
    load: () => import('./requests'),
    permissions: ['developers.see'],
    menu: { label: menu.requests, icon: 'list', group: 'developers', goKey: 'l' },
  },
  { path: '/requests/$id', load: () => import('./request'), permissions: ['developers.see'] },
]
