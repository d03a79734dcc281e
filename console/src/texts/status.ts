/**
 * One word for each state of a resource: in lists, filters, pages and the glossary of the
 * documentation, which has the same table.
 */
export const statusWords = {
  payment: { ACCEPTED: 'Accepted', HELD: 'Held', RETURNING: 'Returning', RETURNED: 'Returned' },
  return: {
    PENDING: 'Needs approval',
    WAITING: 'Waiting',
    SENT: 'On the way',
    RETURNED: 'Returned',
    FAILED: 'Failed',
    REVERSED: 'Came back',
  },
  payout: {
    PENDING: 'Needs approval',
    SUBMITTED: 'On the way',
    COMPLETED: 'Arrived',
    CONFIRMED: 'Arrived',
    FAILED: 'Failed',
    REVERSED: 'Came back',
    REJECTED: 'Rejected',
    APPROVAL_EXPIRED: 'Not approved in time',
  },
  attempt: { LIVE: 'On the way', LANDED: 'Arrived', FAILED: 'Failed', DEAD: 'Expired' },
  settlement: {
    PENDING: 'Needs approval',
    SUBMITTED: 'On the way',
    PAID: 'Arrived',
    FAILED: 'Failed',
    REVERSED: 'Came back',
  },
  batch: {
    VALIDATING: 'Checking',
    READY: 'Ready',
    INVALID: 'Has problems',
    PENDING: 'Needs approval',
    PROCESSING: 'Paying',
    COMPLETED: 'Completed',
    CANCELLED: 'Cancelled',
    REJECTED: 'Rejected',
    EXPIRED: 'Not approved in time',
  },
  recipient: { ACTIVE: 'Active', DISABLED: 'Disabled' },
  case: { OPEN: 'Open', OVERDUE: 'Overdue', CLOSED: 'Closed' },
  claim: {
    OPEN: 'Open',
    CLAIMED: 'Claimed',
    EXPIRED: 'Expired',
    CANCELLED: 'Cancelled',
  },
  item: {
    PENDING: 'Not checked',
    VALID: 'Can be paid',
    INVALID: 'Cannot be paid',
    SUBMITTED: 'On the way',
    COMPLETED: 'Paid',
    FAILED: 'Not paid',
  },
  conversion: { COMPLETED: 'Completed' },
  subaccount: { ACTIVE: 'Active', PAUSED: 'Paused', CLOSED: 'Closed' },
  invoice: {
    DRAFT: 'Draft',
    OPEN: 'Open',
    PARTIALLY_PAID: 'Partly paid',
    PAID: 'Paid',
    OVERDUE: 'Overdue',
    VOID: 'Void',
  },
  schedule: { ACTIVE: 'Active', PAUSED: 'Paused', ENDED: 'Ended' },
  share: { PENDING: 'Pending', POSTED: 'Credited' },
  payment_link: {
    active: 'Active',
    inactive: 'Switched off',
    expired: 'Expired',
    sold_out: 'Sold out',
  },
  /** One-time links, virtual accounts, dedicated accounts and wallets. */
  collection: {
    pending: 'Open',
    paid: 'Paid',
    expired: 'Expired',
    cancelled: 'Cancelled',
    ACTIVE: 'Open',
    PAID: 'Paid',
    EXPIRED: 'Expired',
    CANCELLED: 'Cancelled',
    INACTIVE: 'Deactivated',
  },
  delivery: { PENDING: 'Waiting', DELIVERED: 'Delivered', GIVEN_UP: 'Given up' },
  kyc: {
    NONE: 'Not started',
    DRAFT: 'Draft',
    SUBMITTED: 'Under review',
    MORE_NEEDED: 'More needed',
    APPROVED: 'Approved',
    REJECTED: 'Rejected',
  },
  key: { active: 'Active', rolled: 'Rolled', expired: 'Expired', revoked: 'Revoked' },
}

export type Stateful = keyof typeof statusWords

const { payment, payout, settlement } = statusWords
/** Money that comes or goes has the same word for the same state. */
const ofMoney: Record<string, string> = {
  ...statusWords.return,
  ...settlement,
  ...payout,
  ...payment,
}

/** A state that this console does not know yet is shown as words: `UNDER_REVIEW`. */
export function wordOf(value: string, of?: Stateful): string {
  const words: Record<string, string> = of ? statusWords[of] : ofMoney
  return words[value] ?? sentence(value)
}

/** `UNDER_REVIEW` → `Under review`. */
function sentence(value: string): string {
  const words = value.toLowerCase().replaceAll('_', ' ')
  return words.charAt(0).toUpperCase() + words.slice(1)
}
