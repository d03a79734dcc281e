import { strict as assert } from 'node:assert'
import { day, hour, minute, second } from '../base/clock.js'
import { limits } from '../base/limits.js'
import { laneLimits } from '../postgres/limits.js'

export const paymentLinkLimits = {
  /** Questions to the payer, besides name and e-mail address. */
  fieldsMax: 5,
  labelLengthMax: 60,
  answerLengthMax: 200,
  slugLengthMin: 3,
  slugLengthMax: 60,
  usesMax: 10_000,
  /** Paid sessions of a link are counted up to this. */
  usesCountedMax: 10_000,
  /** Slugs that are drawn for one link. */
  slugsDrawnMax: 5,
} as const

export const collectionLimits = {
  /** Accounts of one customer that are listed; a customer has one or two. */
  customerAccountsMax: 100,
  /** Of each kind of row that the export of a customer has. */
  exportRowsMax: 5_000,
  paymentsShownMax: limits.checkout.paymentsShownMax,
  expiryDefaultMs: 30 * minute,
  expiryMaxMs: day,
  /** How long an invoice in naira can be paid in coins at one price. */
  coinPriceOfInvoiceMs: hour,
  /** A notice that has waited longer is stored and acknowledged at once, and judged later. */
  noticeJudgeWaitMaxMs: second,
  /** First retry of a notice that was not judged or matches no collection account. */
  noticeRetryDelayMs: second,
  noticeRetryDelayMaxMs: hour,
  noticesPerBatchMax: 256,
  returnRetryMs: minute,
  expiriesPerBatchMax: 500,
  returnsPerBatchMax: 100,
  /** Attempts to return a payment before a person must decide. */
  returnAttemptsMax: 20,
  /** How far back banks are queried at every run for payments without a notice. */
  missedPaymentsLookbackMs: day,
  /** Pages further back, to the last clean reconciliation, that one run lists. */
  missedPagesPerRunMax: 10,
  /** A search that has reached the end begins again after this, if it is still needed. */
  missedSearchIntervalMs: 6 * hour,
  missedSearchLeaseMs: 10 * minute,
  missedPaymentsIntervalMs: 10 * minute,
  /** Younger payments are skipped: their notices may still arrive. */
  missedPaymentsAgeMinMs: minute,
} as const

// The innermost timeout fires first, so that its cause is reported.
assert(collectionLimits.noticeJudgeWaitMaxMs < laneLimits.callWaitMaxMs)
assert(collectionLimits.missedPaymentsAgeMinMs < collectionLimits.missedPaymentsLookbackMs)
assert(collectionLimits.missedPaymentsIntervalMs < collectionLimits.missedPaymentsLookbackMs)
// A limit of uses that is reached must be seen.
assert(paymentLinkLimits.usesMax <= paymentLinkLimits.usesCountedMax)
