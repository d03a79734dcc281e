import { strict as assert } from 'node:assert'
import { day, hour, minute, second } from '../base/clock.js'
import { limits } from '../base/limits.js'

export const signInLimits = {
  passwordLengthMin: 12,
  passwordLengthMax: 200,
  /** Words, runs and other signs that have to be guessed; see judge-password.ts. */
  passwordWeightMin: 6,
  /** Each takes 128 MiB and half of the threads that wait for the system. */
  hashesRunningMax: 2,
  hashesWaitingMax: 20,
  /** How long the second factor may come after the password. */
  signInStepMs: 10 * minute,
  challengeMs: 5 * minute,
  /** A new authenticator app is confirmed with a code within this time. */
  enrolmentMs: 15 * minute,
  guessWindowMs: 15 * minute,
  guessesPerUserMax: 5,
  guessesPerNetworkMax: 30,
  /** Wrong passwords and codes of a signed-in user, while the session lasts. The last ends it. */
  guessesPerSessionMax: 10,
  recoveryCodes: 10,
  passkeysMax: 20,
  invitationMs: 72 * hour,
  /** How long the maker of a used link may be the one who uses that account. */
  linkDistrustMs: 72 * hour,
  invitationsOpenMax: 100,
  membersListedMax: 500,
  sessionsListedMax: 100,
  /** Old rows that one request deletes. */
  rowsDeletedMax: 100,
} as const

export const consoleLimits = {
  /** An ended session may work for this long. */
  sessionCacheMs: second,
  sessionsCachedMax: 10_000,
  lastSeenIntervalMs: minute,
  idleMs: 12 * hour,
  sessionMaxMs: 7 * day,
  operatorIdleMs: 30 * minute,
  operatorSessionMaxMs: 12 * hour,
  stepUpMs: 5 * minute,
  startLinkMs: 15 * minute,
  browserNameLength: 200,
} as const

export const noteLimits = {
  /** Length of the note on a refund, or on a request for a decision about a payment. */
  refundLengthMax: 500,
  /** Length of a note on a payment or payout. */
  lengthMax: 2_000,
  perResourceMax: 200,
} as const

// Approvals check who used whose link; guesses are counted for a while.
assert(limits.retention.invitationMs > signInLimits.linkDistrustMs)
assert(limits.retention.signInMs > signInLimits.guessWindowMs)
