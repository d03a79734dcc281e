import { PageTabs } from '../../parts/page-tabs'
import { scheduleTexts } from './schedule-texts'
import { invoiceTexts } from './texts'

const pages = [
  { path: '/invoices', label: invoiceTexts.title },
  { path: '/invoices/schedules', label: scheduleTexts.title },
]

/** Invoices and what makes them, below the title of the page. */
export const InvoiceTabs = () => <PageTabs label={invoiceTexts.title} pages={pages} />
