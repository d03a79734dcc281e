import type { ComponentType } from 'react'
import { frameTexts } from '../../frame/texts'
import type { ScreenRoute } from '../screen-route'

const { menu } = frameTexts
const permissions: ScreenRoute['permissions'] = ['payments.see']

type Lists = typeof import('./lists')
type Details = typeof import('./details')

const list = (name: keyof Lists) => async (): Promise<{ Screen: ComponentType }> => ({
  Screen: (await import('./lists'))[name],
})
const detail = (name: keyof Details) => async (): Promise<{ Screen: ComponentType }> => ({
  Screen: (await import('./details'))[name],
})

export const collectRoutes: ScreenRoute[] = [
  {
    path: '/collect',
    load: list('Links'),
    permissions,
    menu: { label: menu.collect, icon: 'link', group: 'main' },
  },
  { path: '/collect/payment-links', load: () => import('./payment-links'), permissions },
  {
    path: '/collect/payment-links/$reference',
    load: () => import('./payment-link'),
    permissions,
  },
  { path: '/collect/accounts', load: list('Accounts'), permissions },
  { path: '/collect/dedicated', load: list('Dedicated'), permissions },
  { path: '/collect/wallets', load: list('Wallets'), permissions },
  { path: '/collect/dedicated-wallets', load: list('DedicatedWallets'), permissions },
  { path: '/collect/links/$reference', load: detail('Link'), permissions },
  { path: '/collect/accounts/$reference', load: detail('Account'), permissions },
  { path: '/collect/dedicated/$reference', load: detail('DedicatedAccount'), permissions },
  { path: '/collect/wallets/$reference', load: detail('Wallet'), permissions },
  { path: '/collect/dedicated-wallets/$reference', load: detail('DedicatedWallet'), permissions },
]
