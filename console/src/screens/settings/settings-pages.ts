import type { Permission } from '../../api/session'
import { settingTexts } from './texts'

const { tabs } = settingTexts

/** The pages of the settings, in the order of their tabs. */
export const settingsPages: { path: string; label: string; permission: Permission }[] = [
  { path: '/settings', label: tabs.checkout, permission: 'settings.see' },
  { path: '/settings/payments', label: tabs.payments, permission: 'settings.see' },
  { path: '/settings/approvals', label: tabs.approvals, permission: 'settings.see' },
  { path: '/settings/bank-accounts', label: tabs.bankAccounts, permission: 'business.see' },
  { path: '/settings/kyc', label: tabs.kyc, permission: 'business.see' },
  { path: '/settings/fees', label: tabs.fees, permission: 'settings.see' },
]
