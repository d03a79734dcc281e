import { PageTabs } from '../../parts/page-tabs'
import { payoutTexts } from './texts'

const { tabs, title } = payoutTexts

const pages = [
  { path: '/payouts', label: tabs.payouts },
  { path: '/payouts/batches', label: tabs.batches },
  { path: '/payouts/recipients', label: tabs.recipients },
  { path: '/payouts/claims', label: tabs.claims },
  { path: '/payouts/freezes', label: tabs.freezes },
]

export const PayoutTabs = () => <PageTabs label={title} pages={pages} />
