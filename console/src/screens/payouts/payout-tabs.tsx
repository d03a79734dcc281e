import { PageTabs } from '../../parts/page-tabs'
import { texts } from '../../texts/en'

const { tabs, title } = texts.payouts

const pages = [
  { path: '/payouts', label: tabs.payouts },
  { path: '/payouts/batches', label: tabs.batches },
]

export const PayoutTabs = () => <PageTabs label={title} pages={pages} />
