import { PageTabs } from '../../parts/page-tabs'
import { payoutTexts } from './texts'

const { tabs, title } = payoutTexts

const pages = [
  { path: '/payouts', label: tabs.payouts },
  { path: '/payouts/batches', label: tabs.batches },
  { path: '/payouts/claims', label: tabs.claims },
]

export const PayoutTabs = () => <PageTabs label={title} pages={pages} />
