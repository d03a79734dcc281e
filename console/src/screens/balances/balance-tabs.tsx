import { PageTabs } from '../../parts/page-tabs'
import { balanceTexts } from './texts'

const { tabs, title } = balanceTexts

const pages = [
  { path: '/balances', label: tabs.balances },
  { path: '/balances/conversions', label: tabs.conversions },
]

export const BalanceTabs = () => <PageTabs label={title} pages={pages} />
