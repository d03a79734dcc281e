import { hour, minute } from '../../base/clock.js'
import type { BankLimits } from '../../collections/ports.js'

/** What Paystack publishes. Wrong, late and second transfers to a temporary account go back. */
export const paystackLimits: BankLimits = {
  expiryMinMs: 15 * minute,
  expiryMaxMs: 8 * hour,
  bounces: ['underpayment', 'overpayment', 'latePayment', 'duplicatePayment'],
  customerNeeds: ['name', 'phone'],
  closesTemporary: false,
  closesDedicated: true,
  masksSenders: true,
  refundsById: true,
  // Valid for charges and for transfers.
  referencePattern: /^[a-z0-9-]{16,50}$/,
  isWholeNaira: false,
  collectMin: 5_000n,
  // Not published: the smallest amount that its dashboard is known to send.
  payoutMin: 10_000n,
  refundMin: 10_000n,
}
