import { PageTabs } from '../../parts/page-tabs'
import { texts } from '../../texts/en'

const { tabs, title } = texts.balances

const pages = [
  { path: '/balances', label: tabs.balances },
  { path: '/balances/conversions', label: tabs.conversions },
]

export const BalanceTabs = () => <PageTabs label={title} pages={pages} />
