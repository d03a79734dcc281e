import { PageTabs } from '../../parts/page-tabs'
import { taxTexts } from './tax-texts'

const { tabs, title } = taxTexts

const pages = [
  { path: '/operator/levies', label: tabs.levies },
  { path: '/operator/levies/vat', label: tabs.vat },
  { path: '/operator/levies/margins', label: tabs.margins },
]

export const TaxTabs = () => <PageTabs label={title} pages={pages} />
