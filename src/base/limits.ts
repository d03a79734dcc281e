import { strict as assert } from 'node:assert'
import { day, hour, minute, second } from './clock.js'
import { solanaLimits } from './solana-limits.js'

/**
 * Every loop, queue, page, retry and batch is bounded by a figure in this file, in solana-limits.ts
 * or in localnet/limits.ts.
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
  lane: {
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
  },
  /** Reads that arrive together and share one query. */
  gather: { keysPerBatchMax: 512, batchesInFlightMax: 4, keysWaitingMax: 20_000 },
  postgres: {
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
  embedded: {
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
  },
  webhooks: {
    endpointsPerEnvironmentMax: 10,
    urlLengthMax: 2_048,
    eventTypesMax: 50,
    secretOverlapMs: day,
    /** Rotated secrets that still sign; one more rotation is refused. */
    previousSecretsMax: 5,
    attemptTimeoutMs: 15 * second,
    /** Longer than an attempt: otherwise another worker would send the same delivery. */
    leaseMs: minute,
    /** How much of a response is stored. */
    responseBytesMax: 4_096,
    /** The longest Retry-After that is honoured. */
    retryAfterMaxMs: day,
    /** Unsealed signing keys cached in memory. */
    signingKeysCachedMax: 10_000,
    attemptsShownMax: 50,
    /** Undelivered events counted per endpoint and state. */
    undeliveredCountedMax: 10_000,
    /** Retries are delayed by up to this fraction more, at random. */
    retryJitterFraction: 0.1,
    /** An endpoint that has failed for this long is disabled. */
    disableAfterMs: 5 * day,
    /** Deliveries in flight per process. */
    inFlightMax: 1_024,
    /** Of these, deliveries to endpoints whose last attempt did not succeed. */
    inFlightUnprovenMax: 512,
    /** Fraction of the free capacity that one endpoint may take. */
    endpointShareMax: 1 / 8,
    /** Endpoints remembered as proven. */
    provenEndpointsMax: 100_000,
    endpointsPerPollMax: 500,
    /** Finds retries that fall due, and new deliveries whose wake-up was lost. */
    pollIntervalMs: 200,
    /** Between log lines about one endpoint whose attempts fail. */
    failureLogIntervalMs: minute,
    failureLogEndpointsMax: 10_000,
    /** Between notifications of a process to workers of others. */
    notifyIntervalMs: 3,
    /** Between polls while there is more to send; long enough to collect a batch. */
    busyPollIntervalMs: 5,
    /** On shutdown: attempts that are still running after this are cut off and handed back. */
    shutdownMs: 4 * second,
    /** Kept connections are closed when unused for this long. */
    idleConnectionMs: 10 * second,
    idleCheckIntervalMs: second,
    /** An older connection is not used again: its hostname may have moved to another address. */
    connectionAgeMaxMs: minute,
    /** TLS sessions kept to be resumed, per mode. */
    tlsSessionsMax: 1_000,
    /** Parsed URLs of endpoints cached in memory, per mode. */
    destinationsCachedMax: 10_000,
    /** Status line and headers of a response, trailers and interim responses included. */
    responseHeadBytesMax: 16_384,
    chunkLineBytesMax: 1_024,
    recoveriesPerCallMax: 10_000,
    /** Events a page of deliveries scans for a filter; the cursor continues after them. */
    eventsScannedPerPageMax: 1_000,
    /** Open deliveries of an endpoint among which its list finds those without an attempt. */
    dueDeliveriesScannedMax: 1_000,
    /** Between writes of the hourly counts of a process. */
    countsIntervalMs: 5 * second,
    /** Hours of counts in memory, all endpoints together; counts beyond it are dropped. */
    hoursCountedMax: 20_000,
    hoursKept: 48,
    hoursShown: 24,
  },
  payouts: {
    /** The creating process sends first; polling starts after this. */
    firstPollDelayMs: second,
    pollIntervalMs: second,
    pollIntervalMaxMs: 10 * minute,
    /** Covers sending, plus ten calls in a row to a slow node (asserted below). */
    leaseMs: 2 * minute,
    /** An attempt is not sent later than this after its claim: the lease might end meanwhile. */
    sendWithinMs: minute,
    attemptsPerBatchMax: 256,
    jobIntervalMs: 200,
    /** A transaction expires about a minute after its signing; reported if open for this long. */
    expiredAfterMs: 5 * minute,
    /** A payout without an outcome after this needs a person. */
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
    attemptsMax: 5,
    /** How long fee schedules are cached; a change takes effect within this. */
    feeCacheMs: second,
    feesCachedMax: 10_000,
    /** How long paused rails are cached; a pause takes effect within this. */
    pauseCacheMs: second,
    mintsPerBatchMax: 100,
    mintIntervalMs: 100,
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
    /** `Retry-After` of a payout that the hot wallet cannot cover. */
    treasuryRetrySeconds: 60,
    /** At most one alarm per treasury and asset in this time. */
    shortfallAlarmIntervalMs: minute,
    /** `manilla doctor` reports payouts that were refused in this time. */
    shortfallShownMs: hour,
  },
  solana: solanaLimits,
  sandboxBank: {
    processingMs: second,
    /** How long the magic "unknown" transfer stays unknown. */
    unknownForMs: 30 * second,
    /** After completion; long enough for a test to see the transfer completed. */
    reversesAfterMs: 5 * second,
    reversalsPerBatchMax: 500,
    statementLinesMax: 1_000,
    /** Notices a test may request for one payment, to exercise duplicates. */
    noticeCopiesMax: 50,
    noticesPerBatchMax: 64,
    noticeIntervalMs: 200,
    /** Between checks of a notice that another process is sending. */
    noticePollIntervalMs: 10,
    noticeTimeoutMs: 10 * second,
    /** Longer than an attempt: otherwise another process would send the same notice. */
    noticeLeaseMs: 30 * second,
    noticeIdleMs: 4 * second,
    /** On shutdown: notices that are still being sent after this are cut off. */
    noticeShutdownMs: 2 * second,
    noticeAttemptsMax: 50,
    noticeRetryDelayMs: second,
    noticeRetryDelayMaxMs: 10 * minute,
  },
  collections: {
    expiryDefaultMs: 30 * minute,
    expiryMaxMs: day,
    paymentsShownMax: 50,
    /** A notice that has waited longer is stored and acknowledged at once, and judged later. */
    noticeJudgeWaitMaxMs: second,
    /** First retry of a notice that was not judged or matches no collection account. */
    noticeRetryDelayMs: second,
    noticeRetryDelayMaxMs: hour,
    noticesPerBatchMax: 256,
    jobIntervalMs: 200,
    leaseMs: minute,
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
  },
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
    hintLeaseMs: 2 * minute,
    hintsPerBatchMax: 64,
    hintRetentionMs: 90 * day,
    hintsDeletedPerBatchMax: 1_000,
    floatIntervalMs: minute,
  },
  deposits: {
    jobIntervalMs: 500,
    accountsPerBatchMax: 1_000,
    leaseMs: 20 * second,
    /** While a payment is expected, and for an hour after one arrived. */
    pollIntervalMs: second,
    busyMs: hour,
    /** A wallet is polled at the busy interval for this long after it expires. */
    lateGraceMs: 10 * minute,
    /** Longest poll interval of idle dedicated wallets. */
    dedicatedPollIntervalMaxMs: 10 * minute,
    /** Longest poll interval of idle temporary wallets. */
    temporaryPollIntervalMaxMs: day,
    /** Poll interval of a wallet that could not be read. */
    troubledPollIntervalMs: minute,
    /** A history that stays incomplete for this many polls marks the wallet as unreadable. */
    unreadPollsMax: 60,
    /** When no node answers. */
    retryMs: 2 * second,
    /** Histories read in one poll, and in one call to the rail. */
    historiesPerPollMax: 200,
    historiesPerCallMax: 50,
    /** A poll starts no further history after this. */
    historyReadMs: 5 * second,
    /** The history of a recently used wallet is read again this often, from this far back. */
    auditIntervalMs: day,
    auditLookbackMs: 7 * day,
    /** Every tenth poll of an incomplete history starts further back. */
    overlapEveryPolls: 10,
    memoLengthMax: 200,
    /** Block times are estimates: they have been half an hour behind. */
    blockTimeEarlyMaxMs: hour,
    blockTimeAheadMaxMs: 5 * minute,
  },
  disputes: {
    /** A dispute that was not observed for this long is no longer listed. */
    openMs: hour,
    retentionMs: 30 * day,
    listedMax: 100,
  },
  sweeps: {
    jobIntervalMs: 2 * second,
    accountsPerBatchMax: 300,
    /** In millionths of a coin: a dedicated wallet that holds less is not swept. */
    amountMin: 10_000n,
    pollIntervalMs: second,
    sweepsPerBatchMax: 256,
    leaseMs: minute,
    /** A failed sweep costs a fee, so the delay doubles with every failure in this period. */
    failuresCountedMs: day,
    failuresCountedMax: 12,
    refusalsCountedMax: 6,
    failedRetryDelayMs: second,
  },
  work: {
    /** On shutdown: jobs that are still running after this are abandoned. */
    shutdownMs: 5 * second,
    heartbeatIntervalMs: 2 * second,
    /** Longest delay before a failed job runs again. */
    failedJobRetryMaxMs: 10 * second,
    /** How long `doctor` reports a worker that ended without stopping. */
    missedReportMs: hour,
    /**
     * A worker is missing after this: five heartbeats. With a scrape and an evaluation of the alert
     * rules every two seconds, a killed worker raises an alert within 15 seconds.
     */
    missingAfterMs: 10 * second,
    /** A worker is not ready when no job succeeded for this long. */
    idleMaxMs: 15 * second,
    /** Kept so that `doctor` can report when the last worker ran. */
    heartbeatRetentionMs: day,
    /** A readiness check reports a database that takes longer as unavailable. */
    databaseTimeoutMs: 5 * second,
  },
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
  streams: {
    perSessionMax: 5,
    perNetworkMax: 20,
    totalMax: 10_000,
    durationMaxMs: 15 * minute,
    heartbeatIntervalMs: 15 * second,
    /** When a page reconnects after its stream ended, and `Retry-After` of a refused stream. */
    retryMs: 3 * second,
    /** `Retry-After` when the process has no free stream. Our page polls instead. */
    fullRetryMs: minute,
    relistenDelayMs: second,
    listenHeartbeatIntervalMs: 10 * second,
  },
  reconcile: {
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
  },
  /** How long rows are kept that no longer have a use; workers delete them in small batches. */
  retention: {
    rowsDeletedPerBatchMax: 1_000,
    jobIntervalMs: hour,
    /** After a delivery has ended. Events are kept at least as long. */
    deliveryDays: 90,
    /** Default of EVENT_DAYS: 13 months. */
    eventDays: 396,
    eventDaysMax: 3_660,
    /** After a session, or a link to join or to set a password, has ended. */
    sessionMs: 30 * day,
    invitationMs: 30 * day,
    /** Wrong guesses, and one-use links, steps and challenges that have expired. */
    signInMs: day,
  },
  doctor: {
    /** Due rows and jobs that are later than this are reported. */
    overdueAfterMs: 3 * minute,
    endpointsNamedMax: 5,
    responseTimeoutMs: 5 * second,
    clockSkewMaxMs: second,
    replicaPollIntervalMs: 100,
    /** Block times of a chain are only roughly accurate. */
    chainSkewMaxSeconds: 60,
    expiredListedMax: 20,
  },
  settlements: {
    jobIntervalMs: second,
    /** Longer than all calls to the bank that one settlement needs; also the retry interval. */
    leaseMs: 2 * minute,
    perBatchMax: 20,
    /** Of one environment, made so close together that their ids may be in another order. */
    settlementsAtOnceMax: 100,
    /** In live mode or under an approval rule, how long a new wallet waits for settlements. */
    walletUsableAfterMs: 3 * day,
    /** When a settlement is tried again whose destination waits for a confirmation. */
    unconfirmedRetrySeconds: 600,
  },
  /** Payout batches. */
  batches: {
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
    jobIntervalMs: second / 2,
    /** How long a batch waits for a worker that died. Items are paid once whatever happens. */
    leaseMs: 10 * second,
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
  },
  lowBalance: { environmentsPerBatchMax: 1_000, pollIntervalMs: 10 * second },
  reports: {
    daysMax: 400,
    hoursMax: 31 * 24,
    daysDefault: 30,
    hoursDefault: 24,
    pollIntervalMs: 30 * second,
    environmentsPerBatchMax: 100,
    leaseMs: 5 * minute,
    /** The first run of a large database takes long. */
    runMaxMs: hour,
    /** A day is summed up this long after its end. Changes are noted after half of it. */
    closeAfterMs: hour,
    /** Transactions per environment and run. */
    stepsPerRunMax: 200,
    /** Days, balance entries and changes of days per transaction. */
    daysPerStepMax: 7,
    entriesPerStepMax: 50_000,
    changesPerStepMax: 1_000,
    /** An environment with this many new balance entries is summed up again soon. */
    busyEntries: 1_000,
    busyIntervalMs: 10 * minute,
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
  /** Operator commands that use the database of a service that shuts down. */
  borrowed: { shutdownMs: 5 * second, pollIntervalMs: 50 },
  idempotency: {
    keyLengthMax: 255,
    retentionMs: 30 * day,
    keysDeletedPerBatchMax: 1_000,
    /** How long a call waits for the first call with its key, with growing pauses. */
    inProgressWaitMaxMs: 2 * second,
    inProgressRetryDelayMs: 10,
  },
  lists: {
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
  },
  requestLogs: {
    retentionDaysMax: 30,
    entriesDeletedPerBatchMax: 2_000,
    /** Characters kept of each body. */
    bodyLengthMax: 4_096,
    /** How long a finished request waits to be written with others. */
    flushDelayMs: second / 4,
    /** Small, because masking a batch blocks the event loop for milliseconds. */
    entriesPerBatchMax: 256,
    /** Entries in memory, and characters of their bodies; beyond either, entries are dropped. */
    entriesWaitingMax: 10_000,
    waitingLengthMax: 16 * 1024 * 1024,
    /** Entries a page scans for a filter; the cursor continues after them. */
    entriesScannedPerPageMax: 10_000,
    /** The same among the requests that name a resource, each of which is read by its own key. */
    namesScannedPerPageMax: 2_000,
    /** Resources by which one entry can be found. */
    resourcesPerEntryMax: 10,
  },
  timeline: {
    itemsMax: 200,
    /** Newest of each; each event has deliveries of its own. */
    eventsMax: 50,
    deliveriesPerEventMax: 20,
    returnsMax: 20,
    paymentsMax: 20,
    attemptsMax: 20,
    decisionsMax: 20,
  },
  kyc: {
    documentBytesMax: 5 * 1024 * 1024,
    documentsMax: 20,
    peopleMax: 10,
    textLengthMax: 500,
    noteLengthMax: 2_000,
    decisionsShownMax: 50,
    /** Sealed again at a time while the secret is rotated. */
    documentsPerBatchMax: 4,
    formsPerBatchMax: 100,
  },
  bankAccounts: {
    /** In live mode, how long a bank account that a member chose waits for its first settlement. */
    usableAfterMs: day,
    activeMax: 20,
  },
  keys: {
    /** A revoked key may work for this long. */
    cacheMs: second,
    keysCachedMax: 10_000,
    lastUsedIntervalMs: 5 * second,
    rollGraceMaxMs: 7 * day,
    perEnvironmentMax: 100,
    allowedAddressesMax: 50,
  },
  console: {
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
  },
  log: {
    /** Merchants whose loggers are kept. */
    merchantsCachedMax: 10_000,
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
  notes: {
    /** Of a refund, and of a request for a decision about a payment. */
    refundLengthMax: 500,
    /** Of a note on a payment or payout. */
    lengthMax: 2_000,
    perResourceMax: 200,
  },
  signIn: {
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
    /** How long the maker of a used link may be the person who uses that account. */
    linkDistrustMs: 72 * hour,
    invitationsOpenMax: 100,
    membersListedMax: 500,
    sessionsListedMax: 100,
    /** Old rows that one request deletes. */
    rowsDeletedMax: 100,
  },
  rates: {
    cacheMs: second,
    /** `Retry-After` if no rate is available. */
    retrySeconds: 60,
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
  conversions: {
    quoteMs: 60 * second,
    /** Unused quotes are kept this long after they expire. */
    quoteRetentionMs: day,
    quotesDeletedPerBatchMax: 1_000,
    /** Test mode adds no coins beyond it: ten times the largest transfer. */
    testStockMax: 90_071_992_547_409_910n,
  },
  metadata: { keys: 50, bytes: 8 * 1024 },
  fees: { basisPointsMax: 10_000, tiersMax: 20 },
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
  settings: {
    frameOriginsMax: 10,
    logoBytesMax: 32 * 1024,
    /** Sides of an uploaded logo; the page shows it at 44 pixels. */
    logoPixelsMin: 16,
    logoPixelsMax: 1_024,
    documentBytesMax: 64 * 1024,
    environmentsCachedMax: 500,
  },
  rateLimit: {
    tracked: 50_000,
    /** With several API processes, each is granted this fraction of its part of what remains. */
    sharesPerProcess: 16,
    listsRunning: 3,
    listsWaiting: 50,
    listsRetryAfterSeconds: 1,
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
  proof: {
    counterexamplesShownMax: 20,
    /** Between polls for a proof that an operator asked for. */
    pollIntervalMs: 2 * second,
    leaseMs: minute,
    renewIntervalMs: 10 * second,
    attemptsMax: 3,
    /** Longest time for one claim in a proof that an operator asked for. */
    claimMs: 10 * minute,
    proofsListedMax: 20,
  },
  /** Rows that one item of `GET /v1/attention` counts. */
  attention: { rowsCountedMax: 10_000 },
  /** Hints to open consoles. */
  hints: {
    /** At most two a second per stream. */
    pollIntervalMs: second / 2,
    /** Polls take at most this part of the time. */
    pollShareMax: 1 / 5,
    environmentsPerReadMax: 200,
    eventsRead: 20,
    requestsRead: 50,
  },
  audit: {
    /** Lines that a proof reads at a time. */
    linesPerRead: 1_000,
    /** Newest lines that a merchant's own verification checks. */
    linesVerifiedMax: 50_000,
    /** What `manilla doctor` checks: the newest lines of the newest chains. */
    linesExaminedMax: 200,
    chainsExaminedMax: 50,
    faultsShownMax: 20,
    /** Lines that one page of the installation's log reads, whatever its filters. */
    linesScannedMax: 5_000,
    headsLoggedPerBatchMax: 200,
    /** The head of a chain that grew; lines written since are not proven by a copy of the log. */
    headsLoggedEveryMs: 5 * minute,
    /** Any head: an hour without one in a copy of the log shows that the copy lacks lines. */
    headsRepeatedEveryMs: hour,
    jobIntervalMs: minute,
    /** Distinct heads of a copy that `manilla verify-audit --since` compares at once. */
    headsComparedMax: 1_000_000,
    actionLengthMax: 100,
    /** Longer texts in a line are cut. */
    textLengthMax: 500,
  },
} as const

// A lease outlives the work it covers, or two workers would do the same row.
assert(limits.webhooks.leaseMs > limits.webhooks.attemptTimeoutMs)
assert(limits.payouts.leaseMs >= limits.payouts.sendWithinMs + 10 * limits.solana.callTimeoutMs)
// A refund is on its way before an operator can end it, and before it may be sent again.
const refundSendMs = limits.banks.refundSearchMs + limits.banks.timeoutMs
assert(limits.payouts.leaseMs >= limits.payouts.sendWithinMs + refundSendMs)
assert(limits.banks.refundRetryMs > refundSendMs)
assert(limits.sandboxBank.noticeLeaseMs > limits.sandboxBank.noticeTimeoutMs)
assert(limits.deposits.leaseMs > limits.deposits.historyReadMs + limits.solana.callTimeoutMs)
assert(limits.proof.leaseMs > 3 * limits.proof.renewIntervalMs)
assert(limits.settlements.walletUsableAfterMs >= limits.bankAccounts.usableAfterMs)
assert(limits.settlements.leaseMs > 5 * limits.banks.earlyTimeoutMs)

// A member who is invited at once, and joins on the last day, can still approve.
assert(
  limits.payouts.approveWithinMaxMs >=
    limits.signIn.invitationMs + limits.signIn.linkDistrustMs + limits.payouts.approverTimeMs,
)
// Approvals check who used whose link; guesses are counted for a while.
assert(limits.retention.invitationMs > limits.signIn.linkDistrustMs)
assert(limits.retention.signInMs > limits.signIn.guessWindowMs)
assert(limits.retention.eventDays >= limits.retention.deliveryDays)

// A replica that keeps up must not look late between two checks.
assert(2 * limits.replica.checkIntervalMs < limits.replica.delayMaxMs)

// The innermost timeout fires first, so that its cause is reported.
assert(limits.collections.noticeJudgeWaitMaxMs < limits.lane.callWaitMaxMs)
assert(limits.lane.lockMs < limits.lane.deferredWaitMaxMs)
assert(limits.lane.deferredWaitMaxMs < limits.lane.statementMs)
assert(limits.lane.statementMs < limits.lane.deadlineMs)
assert(limits.postgres.quickStatementMs < limits.http.readinessTimeoutMs)
assert(limits.postgres.requestStatementMs < limits.http.requestMs)
assert(limits.postgres.changeStatementMs < limits.http.requestMs)
assert(limits.http.shutdownMs < limits.http.forcedExitMs)
assert(limits.work.shutdownMs < limits.http.forcedExitMs)
// A worker hands back cut off deliveries before it closes its connections.
assert(limits.webhooks.shutdownMs < limits.work.shutdownMs)

assert(limits.work.missingAfterMs >= 3 * limits.work.heartbeatIntervalMs)
assert(limits.webhooks.inFlightUnprovenMax < limits.webhooks.inFlightMax)
assert(limits.collections.missedPaymentsAgeMinMs < limits.collections.missedPaymentsLookbackMs)
assert(limits.collections.missedPaymentsIntervalMs < limits.collections.missedPaymentsLookbackMs)
assert(limits.reconcile.overlapMs > limits.reconcile.intervalMs)
assert(limits.deposits.overlapEveryPolls < limits.deposits.unreadPollsMax)

// A logo in base64 fits the stored settings and the request that sets it.
const logoLength = Math.ceil(limits.settings.logoBytesMax / 3) * 4
assert(logoLength < limits.settings.documentBytesMax)
assert(logoLength < limits.http.bodyBytesMax)
