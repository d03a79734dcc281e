import { usePermissions } from '../../api/session'
import { PageTabs } from '../../parts/page-tabs'
import { settlementTexts } from './texts'

const { tabs, title } = settlementTexts

const pages = [
  { path: '/settlements', label: tabs.settlements, permission: 'balances.see' },
  { path: '/settlements/schedule', label: tabs.schedule, permission: 'settings.see' },
] as const

export function SettlementTabs() {
  const permissions = usePermissions()
  const shown = pages.filter(({ permission }) => permissions.has(permission))
  return <PageTabs label={title} pages={shown} />
}
