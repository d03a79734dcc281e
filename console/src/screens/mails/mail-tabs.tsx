import { PageTabs } from '../../parts/page-tabs'
import { mailTexts } from './texts'

const { tabs, title } = mailTexts

const pages = [
  { path: '/mails', label: tabs.sent },
  { path: '/mails/suppressed', label: tabs.suppressed },
]

export const MailTabs = () => <PageTabs label={title} pages={pages} />
