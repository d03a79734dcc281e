import { strict as assert } from 'node:assert'
import { day, minute, second } from '../base/clock.js'
import { limits } from '../base/limits.js'

export const laneLimits = {
  /** Calls per transaction. Larger batches only add latency at the same throughput. */
  callsPerBatchMax: 256,
  /** Calls queued in one lane; the next one is refused. */
  callsWaitingMax: 20_000,
  retriesMax: 5,
  connectMs: 2.5 * second,
  /** The server cancels a statement before the client cuts the connection. */
  statementMs: 3 * second,
  deadlineMs: 4 * second,
  /** Short: a lane meets a lock only where two inserts collide. */
  lockMs: second / 20,
  /** Side lanes per lane, in which calls wait for locks. */
  sideLanesMax: 3,
  /** How long a call waits for a lock in a side lane. */
  deferredWaitMaxMs: 2 * second,
  /** A call that has waited this long is refused, and a lost connection is not retried. */
  callWaitMaxMs: 3 * second,
  reconnectMs: 50,
  reconnectMaxMs: second / 2,
} as const

/** Rows that a worker has claimed. */
export const leaseLimits = {
  /** How long the rows of a worker that was killed wait for another one. */
  leaseMs: 10 * second,
  renewIntervalMs: 2 * second,
  /** After a renewal; later, a worker that could not renew starts nothing outside. */
  holdsMs: 5 * second,
} as const

/** Reads that arrive together and share one query. */
export const gatherLimits = {
  keysPerBatchMax: 512,
  batchesInFlightMax: 4,
  keysWaitingMax: 20_000,
} as const

export const postgresLimits = {
  /** Delay before a lost connection for notifications is opened again. */
  relistenDelayMs: second,
  listenHeartbeatIntervalMs: 10 * second,
  poolSize: 10,
  /** Shapes of list statements that each connection keeps prepared. */
  preparedShapesMax: 500,
  connectMs: 5 * second,
  /** Workers and operator commands. */
  statementMs: 30 * second,
  /** API reads. */
  requestStatementMs: 8 * second,
  /** API changes, which may touch thousands of rows. */
  changeStatementMs: 15 * second,
  changePoolSize: 5,
  lockMs: 2 * second,
  /** Requests wait behind a migration that waits for their table. */
  migrationLockMs: 5 * second,
  idleInTransactionMs: 15 * second,
  /** A server that stays silent this long after its own timeout loses the connection. */
  responseGraceMs: second,
  /** Proofs over every row, whose statements the server never cancels. */
  proofStatementMs: day,
  keepAliveMs: 10 * second,
  /** Reserved for authentication and readiness, so that slow reads cannot block them. */
  quickPoolSize: 2,
  quickStatementMs: 1.5 * second,
} as const

export const embeddedLimits = {
  /** macOS has the shortest limit for the path of a Unix socket. */
  socketPathBytes: 103,
  logBytes: 10 * 1024 * 1024,
  logTailLength: 3_000,
  pollIntervalMs: 20,
  launchRetryIntervalMs: 200,
  /** Replaying the log after a crash may take minutes. */
  startTimeoutMs: 10 * minute,
  /** A server whose data directory was deleted notices within a minute and exits. */
  conflictTimeoutMs: 75 * second,
  stopTimeoutMs: minute,
  removalRetries: 10,
  removalRetryMs: 50,
} as const

export const listLimits = {
  /** Rows of an index that are read at a time for filters which that index does not serve. */
  rowsPerScan: 2_000,
  /** The first read is short: most pages are full after it. */
  rowsOfFirstScan: 200,
  /** Such reads for one page. A page that needs more is short, and its cursor continues. */
  scansPerPageMax: 4,
  /** Filters by amount that match at most this many rows read them all and sort. */
  rowsSortedMax: 10_000,
  /** Counts end here, and write a plus. */
  countMax: 10_000,
  /** Rows that a count reads for each status. */
  rowsCountedMax: 50_000,
  /** Shorter words are matched whole, longer ones also as the beginning of a word. */
  prefixLengthMin: 3,
  /** Words that a prefix may stand for. */
  wordsPerPrefixMax: 50,
  /** Accounts that share a merchant's reference. */
  accountsPerReferenceMax: 100,
  /** Entries of a statement that a summary adds up. */
  entriesSummedMax: 1_000_000,
  settlementsSummedMax: 100_000,
  searchLengthMax: 100,
  hitsMax: 20,
} as const

// A late renewal loses no lease, and a worker stops well before another starts: clocks differ.
assert(leaseLimits.holdsMs > 2 * leaseLimits.renewIntervalMs)
assert(leaseLimits.leaseMs >= 2 * leaseLimits.holdsMs)
// The innermost timeout fires first, so that its cause is reported.
assert(laneLimits.lockMs < laneLimits.deferredWaitMaxMs)
assert(laneLimits.deferredWaitMaxMs < laneLimits.statementMs)
assert(laneLimits.statementMs < laneLimits.deadlineMs)
assert(postgresLimits.quickStatementMs < limits.http.readinessTimeoutMs)
assert(postgresLimits.requestStatementMs < limits.http.requestMs)
assert(postgresLimits.changeStatementMs < limits.http.requestMs)
