import { strict as assert } from 'node:assert'
import { day, hour, minute, second } from '../base/clock.js'
import { limits } from '../base/limits.js'
import { solanaLimits } from '../base/solana-limits.js'
import { signInLimits } from '../team/limits.js'
import { webhookLimits } from '../webhooks/limits.js'

export const payoutLimits = {
  /** The creating process sends first; polling starts after this. */
  firstPollDelayMs: second,
  /**
   * Where the creating process also follows what it sent, polling starts this long after its first
   * check: by then that process has concluded it, or has died.
   */
  followedPollDelayMs: 10 * second,
  /** Between checks of what a process follows. */
  followIntervalMs: second / 5,
  /** Beyond this a process leaves payouts to the workers. */
  followedMax: 20_000,
  pollIntervalMs: second,
  pollIntervalMaxMs: 10 * minute,
  /**
   * After a claim or its renewal, nothing is sent later than this: it covers sending, plus ten
   * calls in a row to a slow node (asserted below). Until then no operator ends the payout.
   */
  leaseMs: 2 * minute,
  /** An attempt is not sent later than this after it was signed or claimed: a lease might end. */
  sendWithinMs: minute,
  attemptsPerBatchMax: 256,
  /** Attempts that a worker sends again before it checks that it still holds its lease. */
  sendsPerLeaseCheckMax: 32,
  /** A transaction expires about a minute after its signing; reported if open for this long. */
  expiredAfterMs: 5 * minute,
  /** A payout without an outcome after this needs an operator. */
  reviewAfterMs: 3 * day,
  /** A payout that was not approved by then fails, if a member could have approved it. */
  approveWithinMs: 3 * day,
  /** What an approver has at least, from the moment at which their approval is accepted. */
  approverTimeMs: day,
  /** A payout that waits for new approvers, or without any, fails then. The database holds it. */
  approveWithinMaxMs: 7 * day,
  expiriesPerBatchMax: 200,
  approvalIntervalMs: 10 * second,
  /** What one creator has sent in this time counts towards the daily limit of a rule. */
  ruleWindowMs: day,
  /** Transfers to a recipient that its history counts. */
  recipientTransfersMax: 10_000,
  narrationLengthMax: 100,
  attemptsMax: 5,
  /** How long fee schedules are cached; a change takes effect within this. */
  feeCacheMs: second,
  feesCachedMax: 10_000,
  /** How long paused rails are cached; a pause takes effect within this. */
  pauseCacheMs: second,
  freezesListedMax: 200,
  /** How long levies are cached; a levy that holds from now on takes effect within this. */
  levyCacheMs: second,
  mintsPerBatchMax: 100,
  /** Open payouts compared with the treasury; beyond that the smallest count as not landed. */
  openPayoutsListedMax: 10_000,
  /** Checks of a payout that the hot wallet cannot cover while earlier ones may still end. */
  shortfallChecksMax: 20,
  reversalIntervalMs: second,
  /** Retry interval of a reversal that exceeds the balance limit of the ledger. */
  unbookedReversalIntervalMs: minute,
  waitingReversalsPerBatchMax: 500,
  reviewsPerBatchMax: 1_000,
  treasuryIntervalMs: minute,
  /** At most one alarm per treasury and asset in this time. */
  shortfallAlarmIntervalMs: minute,
  /** `manilla doctor` reports payouts that were refused in this time. */
  shortfallShownMs: hour,
} as const

/** Claims. The database holds the limits of guesses and look-ups, too. */
export const claimLimits = {
  expiresAfterMs: 30 * day,
  expiresAfterMaxMs: 365 * day,
  descriptionLengthMax: 140,
  wordLengthMin: 4,
  wordLengthMax: 64,
  /** Wrong secret words until the merchant has to unlock it. */
  guessesMax: 5,
  /** Bank accounts and wallets that are looked up until the merchant has to unlock it. */
  lookupsMax: 20,
  /** How long a recipient may take to confirm the name of the account. */
  confirmWithinMs: 15 * minute,
  expiriesPerBatchMax: 100,
  expiryIntervalMs: 10 * second,
} as const

/** Callbacks that are asked before a payout is sent. */
export const callbackLimits = {
  /** A callback that has not answered by then has not decided. */
  answerMs: 10 * second,
  /** Until it is asked again; twice as long after each attempt. */
  retryMs: 5 * second,
  retryMaxMs: 5 * minute,
  /** Until an approved payout that could not be sent is tried again. */
  sendRetryMs: minute,
  rejectionLengthMax: 500,
  /** The start of a longer answer, all that is kept of it, is no decision. */
  answerBytesMax: 4_000,
  /** Requests to callbacks that are open at once, per process. */
  slotsMax: 400,
  /** Of these, to callbacks whose latest answer decided nothing. */
  slotsOfUnprovenMax: 200,
  /** Fraction of the free slots that one merchant may take. */
  merchantShareMax: 1 / 8,
  /** Merchants whose callback decided last time. */
  merchantsRememberedMax: 1_000,
  /** While requests are open, others are claimed this often, or as soon as one ends. */
  busyPollIntervalMs: 100,
} as const

/** Payout batches. */
export const batchLimits = {
  itemsMax: 10_000,
  bodyBytesMax: 5 * 1024 * 1024,
  /** Problems that one refusal lists. */
  issuesShownMax: 100,
  /** Items that a worker validates or pays in one transaction. */
  itemsPerStepMax: 250,
  /** The same for a bank that needs a call for each item. */
  callsPerStepMax: 25,
  /** Bounds a run: a worker that shuts down waits for its end. */
  stepsPerRunMax: 8,
  batchesPerRunMax: 4,
  /** Between polls for the results of transfers; grows with the age of the batch. */
  resultsIntervalMs: second,
  resultsIntervalMaxMs: minute,
  /** Items whose transfer is checked in one transaction. */
  resultsPerStepMax: 2_000,
  /** When an item that the bank or chain could not accept is retried. */
  itemRetryMs: 15 * second,
  /** An item that the bank or chain could not check since the upload is then invalid. */
  checkedWithinMs: 5 * minute,
  /** A payment of the same amount to the same recipient within this time is reported. */
  repeatsWithinMs: 30 * day,
  /** Newest transfers to a recipient that are compared. */
  repeatsComparedMax: 50,
  expiriesPerRunMax: 100,
  approvalIntervalMs: 10 * second,
  /** Open batches that a hint to consoles compares. */
  batchesHintedMax: 20,
} as const

export const settlementLimits = {
  retryMs: 2 * minute,
  perBatchMax: 20,
  /** Of one environment, made so close together that their ids may be in another order. */
  settlementsAtOnceMax: 100,
} as const

export const disputeLimits = {
  /** A dispute that was not observed for this long is no longer listed. */
  openMs: hour,
  retentionMs: 30 * day,
  listedMax: 100,
} as const

export const reconcileLimits = {
  intervalMs: day,
  depositsIntervalMs: 10 * minute,
  pollIntervalMs: minute,
  leaseMs: hour,
  /** A difference is confirmed after this delay: the payment may have been in flight. */
  confirmDelayMs: 3 * second,
  /** Compared again in every run: banks and nodes report late, and clocks differ. */
  overlapMs: 3 * day,
  overlapSlots: 10_000n,
  statementPagesMax: 1_000,
  attemptsPerCheckMax: 256,
  noticesComparedMax: 1_000_000,
  /** Collection accounts queried at the bank one by one. */
  accountsQueriedMax: 1_000,
  walletPagesMax: 1_000,
  walletsPerPageMax: 1_000,
  /** Differences of one rail that are kept as rows; the count covers all. */
  differencesKeptMax: 1_000,
} as const

// A lease outlives the work it covers, or two workers would do the same row.
assert(payoutLimits.leaseMs >= payoutLimits.sendWithinMs + 10 * solanaLimits.callTimeoutMs)
// A refund is on its way before an operator can end it, and before it may be sent again.
const refundSendMs = limits.banks.refundSearchMs + limits.banks.timeoutMs
assert(payoutLimits.leaseMs >= payoutLimits.sendWithinMs + refundSendMs)
// The end of an answer may be missing by a character.
assert(callbackLimits.answerBytesMax + 4 <= webhookLimits.responseBytesMax)
assert(callbackLimits.slotsOfUnprovenMax < callbackLimits.slotsMax)
// A member who is invited at once, and joins on the last day, can still approve.
assert(
  payoutLimits.approveWithinMaxMs >=
    signInLimits.invitationMs + signInLimits.linkDistrustMs + payoutLimits.approverTimeMs,
)
assert(reconcileLimits.overlapMs > reconcileLimits.intervalMs)
