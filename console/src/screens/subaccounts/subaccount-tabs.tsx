import { PageTabs } from '../../parts/page-tabs'
import { subaccountTexts } from './texts'

const { tabs, title } = subaccountTexts

const pages = [
  { path: '/subaccounts', label: tabs.subaccounts },
  { path: '/subaccounts/rules', label: tabs.rules },
]

export const SubaccountTabs = () => <PageTabs label={title} pages={pages} />
