import { PageTabs } from '../../parts/page-tabs'
import { kinds, pathOfKind, paymentLinksPath } from './kinds'
import { linkTexts } from './link-texts'
import { collectTexts } from './texts'

/** The ways to collect money, below the title of the page. */
export function CollectTabs() {
  const pages = kinds.map((kind) => ({ path: pathOfKind(kind), label: collectTexts.tabs[kind] }))
  pages.splice(1, 0, { path: paymentLinksPath, label: linkTexts.title })
  return <PageTabs label={collectTexts.title} pages={pages} />
}
