import { strict as assert } from 'node:assert'
import { day, hour, minute, second } from './clock.js'
import { solanaLimits } from './solana-limits.js'

/**
 * Every loop, queue, page, retry and group is bounded by a figure in the `limits.ts` of its module.
 * Those that several modules share are here.
 */
export const limits = {
  http: {
    bodyBytesMax: 64 * 1024,
    /** Nesting depth of a JSON body. */
    bodyDepthMax: 100,
    requestMs: 30 * second,
    /** Longer than the 60 seconds of common proxies, so that the proxy closes first. */
    keepAliveMs: 72 * second,
    /** On shutdown: requests that are still running after this are cut off. */
    shutdownMs: 5 * second,
    /** On shutdown: the process exits after this, whatever is still running. */
    forcedExitMs: 10 * second,
    /** How long a refused connection stays open so that the client can read the response. */
    lingerMs: second,
    /** A readiness check that takes longer has failed. */
    readinessTimeoutMs: 2 * second,
    /** Field errors listed in one refusal; more would make the response larger than the request. */
    detailsShownMax: 20,
    pageSizeMax: 100,
    pageSizeDefault: 20,
    /** Rows that an export reads at a time; the export itself has no end. */
    csvRowsPerRead: 1_000,
    cursorLengthMax: 500,
    /** A reference or id in a path; longer ones are refused before any look-up. */
    pathSegmentLengthMax: 200,
  },
  replica: {
    delayMaxMs: 5 * second,
    checkIntervalMs: second,
    /** Shorter than on the primary, which repeats what fails here. */
    statementMs: 2 * second,
    connectMs: second,
    /** How long lists use the primary after the replica cancelled a slow one. */
    slowPauseMs: 5 * second,
    /** Positions of the primary kept for measuring, one per check: ten minutes. */
    samplesMax: 600,
  },
  solana: solanaLimits,
  /** Calls to payment providers. */
  banks: {
    /** A NIP session has 30 digits. */
    sessionIdLengthMax: 100,
    /** Calls after which money may have moved may take longer: a provider answers after 28 s. */
    timeoutMs: 35 * second,
    /** Calls of a request that has committed nothing yet. */
    earlyTimeoutMs: 10 * second,
    callsInFlightMax: 64,
    callsWaitingMax: 512,
    answerBytesMax: 4 * 1_024 * 1_024,
    /** Calls in a row without an answer until early calls are refused. */
    failuresUntilDown: 5,
    probeIntervalMs: 5 * second,
    directoryCacheMs: 6 * hour,
    /** Until a list of banks that could not be read is fetched again. */
    directoryRetryMs: minute,
    directoryBanksMax: 5_000,
    /** Between two requests for the same refund: a list may show the first one late. */
    refundRetryMs: 10 * minute,
    /** A refund is not sent if the search for an earlier request took longer. */
    refundSearchMs: 20 * second,
    /** Age of the payouts that are checked for reversals: no provider lists them by their time. */
    reversalLookbackMs: 3 * day,
    reversalIntervalMs: minute,
    reversalPagesMax: 100,
    /** Hints about payments that the bank does not know, or has not decided, are dropped. */
    hintAttemptsMax: 20,
    hintRetryMs: 2 * second,
    hintRetryMaxMs: hour,
    /** When the confirmation itself failed. */
    hintFailureRetryMs: 2 * minute,
    hintsPerBatchMax: 64,
    hintRetentionMs: 90 * day,
    hintsDeletedPerBatchMax: 1_000,
    floatIntervalMs: minute,
  },
  /** Copies of a notice that a test may request for one payment. */
  testMode: { noticeCopiesMax: 50 },
  checkout: {
    urlLengthMax: 2_048,
    descriptionLengthMax: 500,
    emailLengthMax: 254,
    /** Payments listed in the public session, per collection account. */
    paymentsShownMax: 50,
    /** Newest payments of an account among which the listed ones are chosen. */
    paymentsComparedMax: 1_000,
    /** Notes about payments on the checkout page. */
    notesShownMax: 10,
    /** Without an event stream, a page polls at this interval for some minutes, then slows down. */
    pollIntervalMs: 600,
    eagerPollingMs: 5 * minute,
    pollIntervalMaxMs: 5 * second,
    /** Poll interval of a page that has an event stream. */
    streamingPollIntervalMs: 30 * second,
  },
  /** How long rows are kept that no longer have a use; workers delete them in small batches. */
  retention: {
    requestLogDaysMax: 30,
    rowsDeletedPerBatchMax: 1_000,
    jobIntervalMs: hour,
    /** After a delivery has ended. Events are kept at least as long. */
    deliveryDays: 90,
    /** Default of EVENT_DAYS: 13 months. */
    eventDays: 396,
    eventDaysMax: 3_660,
    /** Default of PERSONAL_DATA_DAYS. NDPA: six months after the purpose ended. */
    personalDataDays: 180,
    /** Nigerian AML law: records of transactions are kept for five years, with two leap days. */
    amlRecordDaysMin: 5 * 365 + 2,
    amlRecordDaysMax: 30 * 366,
    /** After a session, or a link to join or to set a password, has ended. */
    sessionMs: 30 * day,
    invitationMs: 30 * day,
    /** Wrong guesses, and one-use links, steps and challenges that have expired. */
    signInMs: day,
  },
  testClock: {
    /** One advance. */
    advanceMaxMs: 366 * day,
    /** Distance of `sentAt` from now, either way. */
    sentWithinMs: 366 * day,
    /** Total offset: years stay at four digits. */
    offsetMaxMs: 100 * 366 * day,
    /** Accounts moved in one statement, which must end before its timeout. */
    openAccountsMax: 20_000,
    /** Moves of a clock that are read to convert a time. */
    movesReadMax: 1_000,
    /** Checkout pages woken after an advance. */
    pagesWokenMax: 1_000,
  },
  metrics: {
    /** Scrapes within this time share the figures that need queries over open work. */
    cacheMs: 3 * second,
    /** Open rows counted per figure. */
    rowsCountedMax: 10_000,
  },
  /** Rotation of the installation's secret. */
  secret: {
    endpointsPerBatchMax: 100,
    keysScannedPerBatchMax: 10_000,
  },
  money: {
    /** The largest integer that JSON parsers agree on. */
    wireMax: 9_007_199_254_740_991n,
    /** The largest PostgreSQL bigint. */
    ledgerMax: 9_223_372_036_854_775_807n,
    decimalDigitsMax: 20,
  },
  names: { length: 100 },
  rates: {
    cacheMs: second,
    pollIntervalMs: 30 * second,
    /** For one call of one source. */
    timeoutMs: 5 * second,
    answerBytesMax: 256 * 1_024,
    /** How far the clock of a source may be ahead. */
    clockSkewMs: minute,
    /** New readings are compared with the last rate of the sources unless it is older. */
    lastRateMs: day,
    /**
     * Another operator must confirm a rate that differs more from the previous one. The constraint
     * `one_operator_changes_little` has the same figure.
     */
    unconfirmedChangeMaxBasisPoints: 1_000,
    /** Unconfirmed changes in this time are added up. */
    unconfirmedChangeMs: day,
    /** How long an operator's rate with an end can be valid. */
    heldMaxMs: 365 * day,
    listedMax: 100,
  },
  operator: {
    rowsListedMax: 1_000,
    rowsListedDefault: 50,
    noteLengthMax: 500,
    /** Database connections of the operator's routes. */
    poolSize: 2,
    /** An action that no other operator confirmed in this time is not carried out. */
    actionMs: day,
    /** How long an operator may view a merchant. */
    viewMs: 30 * minute,
    /** How long a result of the checks is shown again instead of checking again. */
    doctorCacheMs: 5 * second,
    /** Fees are previewed for what happened in this time. */
    feePreviewMs: 30 * day,
    /** Different amounts that a preview of fees prices. */
    feePreviewAmountsMax: 50_000,
    /** Newest payments and payouts that the figures of Health are computed from. */
    healthRowsMax: 10_000,
    /** Newest deliveries of payments whose delay is measured. */
    delaysMeasuredMax: 500,
  },
  apiProcesses: {
    max: 64,
    /** Delay before an ended process is replaced; doubles while replacements end early. */
    restartDelayMs: second / 10,
    restartDelayMaxMs: 10 * second,
    /** A process that ran this long did not end early. */
    steadyAfterMs: minute,
    /** A process that takes longer is reported with its previous metrics. */
    metricsTimeoutMs: 2 * second,
  },
} as const

// Between two requests for the same refund, the first one has been sent or given up.
assert(limits.banks.refundRetryMs > limits.banks.refundSearchMs + limits.banks.timeoutMs)
assert(limits.retention.eventDays >= limits.retention.deliveryDays)
// A replica that keeps up must not look late between two checks.
assert(2 * limits.replica.checkIntervalMs < limits.replica.delayMaxMs)
assert(limits.http.shutdownMs < limits.http.forcedExitMs)
