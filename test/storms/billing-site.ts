import type { Database } from '../../src/postgres/database.js'
import type { Random } from '../support/seed.js'
import type { ReceivedMail } from '../support/smtp-server.js'
import { type FundedMerchant, openFundedMerchant } from './funded-merchant.js'
import type { JournalCallers } from './journal-callers.js'

/**
 * Orderly customers do one thing at a time, so what each of their invoices was paid follows from
 * what was acknowledged. At the others everything happens at once: only sums follow.
 */
export type BilledCustomer = {
  reference: string
  email: string
  accountNumber: string
  isOrderly: boolean
  /** Whether something is being done for an orderly customer. */
  isBusy: boolean
}

export type BillingSite = FundedMerchant & {
  db: Database
  customers: BilledCustomer[]
  /** What the relay accepted. */
  mails: ReceivedMail[]
}

export type BillingScene = { site: BillingSite; callers: JournalCallers; random: Random }

/** All amounts are multiples of it, so that the oracle counts few units. */
export const unitKobo = 10_000
const fundedAmount = 10n ** 12n
const customerCount = 14
const lagosOffsetMs = 60 * 60_000

export async function openBillingSite(db: Database, mails: ReceivedMail[]): Promise<BillingSite> {
  return { ...(await openFundedMerchant(db, fundedAmount)), db, customers: [], mails }
}

/** An invoice for each week. */
function weekly(customer: string) {
  return {
    customer,
    frequency: 'weekly',
    startsOn: dateInLagos(new Date()),
    lines: [{ description: 'Subscription', quantity: '1', unitAmount: 3 * unitKobo }],
  }
}

function dateInLagos(time: Date): string {
  return new Date(time.getTime() + lagosOffsetMs).toISOString().slice(0, 10)
}

/** Customers with accounts of their own. Mails to them leave, though it is test mode. */
export async function openCustomers({ site, callers }: BillingScene): Promise<void> {
  const addresses = Array.from({ length: customerCount }, (_, index) => `c${index}@example.com`)
  await callers.change('key', 'PATCH', '/v1/settings', {
    mails: { testAddresses: addresses, invoices: true },
  })
  for (const [index, email] of addresses.entries()) {
    const body = { name: `Customer ${index}`, email }
    const created = await callers.send('customer', 'key', '/v1/customers', body)
    const reference = String(created!.answer.kept.reference)
    const opening = { externalReference: email }
    const path = '/v1/collections/dedicated-accounts'
    const opened = await callers.send('dedicated account', 'key', path, opening)
    const accountNumber = String(opened!.answer.kept.accountNumber)
    const account = String(opened!.answer.kept.accountReference)
    await callers.send('giving', 'key', `/v1/customers/${reference}/accounts`, { account })
    const isOrderly = index % 2 === 0
    site.customers.push({ reference, email, accountNumber, isOrderly, isBusy: false })
    // Invoices of a schedule come at any moment, which no orderly customer allows.
    if (!isOrderly)
      await callers.send('schedule', 'key', '/v1/invoice-schedules', weekly(reference))
  }
}
