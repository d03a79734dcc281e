/** What a hint of the live stream can name. */
export const topics = [
  'payments',
  'payouts',
  'balances',
  'deliveries',
  'approvals',
  'requests',
  'batches',
  'cases',
  'notes',
] as const

/** `clock`: another browser has moved the test clock, by which everything is dated. */
export type Topic = (typeof topics)[number] | 'clock'

/** The start of a path, and the topics whose hints make its answer out of date. */
const byPath: [string, Topic[]][] = [
  ['/v1/attention', ['payments', 'payouts', 'balances', 'deliveries', 'approvals', 'cases']],
  ['/v1/collections', ['payments']],
  ['/v1/checkout', ['payments']],
  ['/v1/payment-links', ['payments']],
  ['/v1/disbursements/batches', ['batches', 'approvals']],
  ['/v1/recipients', ['payouts']],
  ['/v1/freezes', ['payouts']],
  ['/v1/cases', ['cases', 'payments', 'payouts']],
  ['/v1/claims', ['balances', 'payouts']],
  ['/v1/disbursements', ['payouts', 'approvals']],
  ['/v1/settlements', ['payouts']],
  ['/v1/balance', ['balances', 'payouts']],
  ['/v1/conversions', ['balances']],
  ['/v1/customers', ['payments']],
  ['/v1/invoices', ['payments']],
  ['/v1/invoice-schedules', ['payments']],
  ['/v1/subaccounts', ['balances', 'payouts', 'payments']],
  ['/v1/reports/received', ['payments', 'payouts', 'balances']],
  ['/v1/reports/fees', ['balances']],
  ['/v1/reports/conversion', ['payments']],
  ['/v1/reports/balance', ['balances']],
  ['/v1/reports/payout-times', ['payouts']],
  ['/v1/timeline', ['payments', 'payouts', 'deliveries', 'approvals', 'cases']],
  ['/v1/webhook-endpoints', ['deliveries']],
  ['/v1/events', ['payments', 'payouts', 'deliveries']],
  ['/v1/request-logs', ['requests']],
  ['/v1/settings/changes', ['approvals']],
]

export function topicsOf(path: string): Topic[] {
  if (path.endsWith('/notes')) return ['notes']
  return byPath.find(([start]) => path.startsWith(start))?.[1] ?? []
}
