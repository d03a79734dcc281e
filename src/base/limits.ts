import { day, hour, minute, second } from './clock.js'
import { solanaLimits } from './solana-limits.js'

/** Every loop, queue, page, retry and batch has a limit, and it stands here. */
export const limits = {
  http: {
    bodyBytes: 64 * 1024,
    bodyDepth: 100,
    requestMs: 30 * second,
    keepAliveMs: 72 * second,
    /** When a stop is asked for: who has not been answered by then is cut off. */
    finishMs: 5 * second,
    drainMs: 10 * second,
    lingerMs: second,
    /** A check of readiness that takes longer has failed. */
    readyMs: 2 * second,
    /** Refusals name so many fields; more would be an answer larger than its request. */
    details: 20,
    pageSize: 100,
    defaultPageSize: 20,
    csvRows: 10_000,
    cursorLength: 500,
  },
  lane: {
    /** Larger batches only add latency: the same throughput at twice the waiting. */
    batch: 256,
    waiting: 20_000,
    transientRetries: 5,
    /** The server cancels a statement first; the client cuts a connection that stays silent. */
    connectMs: 2.5 * second,
    statementMs: 3 * second,
    deadlineMs: 4 * second,
    /** A lane meets a lock only where two inserts collide; calls that wait apart take turns. */
    lockMs: second / 20,
    asides: 3,
    /** A call that has waited this long is refused, and a lost connection is not tried again. */
    waitMs: 3 * second,
    reconnectMs: 50,
    reconnectMaxMs: second / 2,
  },
  gather: { batch: 512, underWay: 4, waiting: 20_000 },
  postgres: {
    poolSize: 10,
    connectMs: 5 * second,
    /** For workers and operators; requests get less, and changes that touch many rows more. */
    statementMs: 30 * second,
    requestMs: 8 * second,
    changeMs: 15 * second,
    changePoolSize: 5,
    lockMs: 2 * second,
    idleInTransactionMs: 15 * second,
    /** How long after its own timeout a server may stay silent before the connection is cut. */
    silenceMs: second,
    /** For proofs over every row, whose statements the server never cancels. */
    unhurriedMs: day,
    keepAliveMs: 10 * second,
    /** Connections for authentication and readiness, which no slow read may use up. */
    quickPoolSize: 2,
    quickMs: 1.5 * second,
  },
  embedded: {
    /** macOS has the tightest limit on the path of a socket. */
    socketPathBytes: 103,
    logBytes: 10 * 1024 * 1024,
    logTailLength: 3_000,
    lookEveryMs: 20,
    retryEveryMs: 200,
    /** Replaying the log of a crash may take minutes. */
    readyWithinMs: 10 * minute,
    /** A server whose data directory was deleted notices within a minute and ends. */
    freeWithinMs: 75 * second,
    stopWithinMs: minute,
    removalRetries: 10,
    removalRetryMs: 50,
  },
  webhooks: {
    endpointsPerEnvironment: 10,
    urlLength: 2_048,
    filters: 50,
    secretOverlapMs: day,
    previousSecrets: 5,
    attemptMs: 15 * second,
    /** Longer than any attempt, or another process would send at the same time. */
    leaseMs: minute,
    responseBytes: 4_096,
    /** A receiver may ask us to wait longer than the schedule, but not for ever. */
    longestWaitMs: day,
    openedKeys: 10_000,
    attemptsShown: 50,
    jitter: 0.1,
    failingMs: 5 * day,
    /** Deliveries under way in one process: in all, and to endpoints that are not proven. */
    places: 1_024,
    unprovenPlaces: 512,
    /** Endpoints that are known to be well. */
    remembered: 100_000,
    /** What one endpoint may take of the places that are free. */
    shareOfFree: 1 / 8,
    endpointsPerLook: 500,
    lookEveryMs: 200,
    /** Between two looks while there is more: long enough for others to come along. */
    breathMs: 5,
    /** When a stop is asked for: attempts that have not ended by then are cut off. */
    finishMs: 5 * second,
    /** Connections that nobody needed for so long are closed. */
    idleMs: 10 * second,
    recoveredAtOnce: 10_000,
  },
  payouts: {
    /** The first look at an attempt: until then it has been sent from where it was made. */
    firstLookMs: second,
    lookEveryMs: second,
    longestLookMs: 10 * minute,
    /**
     * Longer than any look at a full batch, or two workers would undo each other's for ever: ten
     * calls in a row to a node that takes `callMs` for each, then signing and sending anew.
     */
    leaseMs: 2 * minute,
    /** Who begins to send later than that might still be sending when the lease is over. */
    sendWithinMs: minute,
    looksAtOnce: 256,
    workEveryMs: 200,
    reviewMs: 3 * day,
    attempts: 5,
    pricesKeptMs: second,
    mintedAtOnce: 100,
    /** Of more open payouts, the smaller ones count as not landed yet. */
    openListed: 10_000,
    /** So often an order that the hot wallet cannot cover waits for those that were before it. */
    shortLooks: 20,
    mintEveryMs: 100,
    reversalsEveryMs: second,
    /** A reversal for which there is no room in the books is tried again so often. */
    unbookedEveryMs: minute,
    waitingAtOnce: 500,
    reviewedAtOnce: 1_000,
    treasuryEveryMs: minute,
    pricesKept: 10_000,
  },
  solana: solanaLimits,
  sandboxBank: {
    processingMs: second,
    /** How long a transfer that is unknown for a while stays so. */
    unknownForMs: 30 * second,
    /** After completion: long enough for somebody to have seen it completed. */
    reversesAfterMs: 5 * second,
    reversalsAtOnce: 500,
    statementLines: 1_000,
    /** How often one payment can be announced, to see what duplicates do. */
    copies: 50,
    noticesAtOnce: 64,
    noticesEveryMs: 200,
    /** Between two looks at a notice that somebody else is sending. */
    noticeBreathMs: 10,
    noticeMs: 10 * second,
    /** Longer than any try, or another process would send at the same time. */
    noticeLeaseMs: 30 * second,
    /** Connections that nobody needed for so long are closed. */
    noticeIdleMs: 4 * second,
    noticeFinishMs: 2 * second,
    noticeTries: 50,
    noticeRetryMs: second,
    longestNoticeRetryMs: 10 * minute,
  },
  collections: {
    defaultExpiryMs: 30 * minute,
    longestExpiryMs: day,
    paymentsShown: 50,
    /** A notice that was not judged at once, or that fits no account, is looked at again. */
    retryMs: second,
    longestRetryMs: hour,
    noticesAtOnce: 256,
    workEveryMs: 200,
    leaseMs: minute,
    expiredAtOnce: 500,
    returnsAtOnce: 100,
    /** So often the bank is asked to take a payment back before somebody has to decide. */
    returnTries: 20,
    /** How far back, and how often, banks are asked for payments they did not announce. */
    unannouncedMs: day,
    askEveryMs: 10 * minute,
    /** Younger ones are not asked for: their notices may be on their way. */
    announcedWithinMs: minute,
  },
  deposits: {
    workEveryMs: 500,
    accountsAtOnce: 1_000,
    leaseMs: 20 * second,
    /** While somebody may be paying, and for a while after something came. */
    lookEveryMs: second,
    busyMs: hour,
    lateMs: 10 * minute,
    /** Of wallets that rest: those that are for good, and those that have had their payment. */
    longestLookMs: 10 * minute,
    longestRestMs: day,
    /** Of accounts that cannot be read, or not for so many looks; and if nobody answers. */
    troubleEveryMs: minute,
    unreadLooks: 60,
    retryMs: 2 * second,
    /** Histories of a poll, in all and at once. */
    historiesAtOnce: 200,
    historiesTogether: 50,
    readMs: 5 * second,
    auditEveryMs: day,
    auditedMs: 7 * day,
    /** Every so many polls that leave a history unread, it is read from further back. */
    overlapEvery: 10,
    memoLength: 200,
  },
  disputes: {
    /** A dispute that was not seen for this long is not shown any more. */
    openMs: hour,
    keptMs: 30 * day,
    listed: 100,
  },
  sweeps: {
    everyMs: 2 * second,
    accountsAtOnce: 300,
    /** In millionths: of dedicated wallets, less is left until more comes. */
    leastAmount: 10_000n,
    lookEveryMs: second,
    looksAtOnce: 256,
    leaseMs: minute,
    /** Each failure costs a fee: the more there were of late, the later it is tried again. */
    failuresCountedMs: day,
    failuresCounted: 12,
    refusalsCounted: 6,
    failedRestMs: second,
  },
  work: {
    /** When a stop is asked for: what has not ended by then is left. */
    finishMs: 5 * second,
    heartbeatEveryMs: 5 * second,
    /** A job that failed is run again soon, however rarely it runs otherwise. */
    retryMs: 10 * second,
    /** How long a worker that ended without stopping is worth a remark. */
    missedForMs: hour,
    /** A worker is missing, and a job made no progress, after three heartbeats. */
    missingAfterMs: 15 * second,
    /** Rows of workers that are gone, so that `doctor` can report when the last one ran. */
    heartbeatsKeptMs: day,
    /** A readiness check reports a database that takes longer as unavailable. */
    answerMs: 5 * second,
  },
  checkout: {
    urlLength: 2_048,
    descriptionLength: 500,
    emailLength: 254,
    /** Of the payments to a session, in the public answer and as words on its page. */
    paymentsShown: 50,
    paymentsCompared: 1_000,
    notesShown: 10,
    /** Without a stream, pages ask so often while they hope for news, then ever more seldom. */
    pollMs: 600,
    eagerMs: 5 * minute,
    longestPollMs: 5 * second,
    /** With one, they ask now and then all the same. */
    reassureMs: 30 * second,
  },
  streams: {
    perSession: 5,
    perAddress: 20,
    total: 10_000,
    longestMs: 15 * minute,
    beatMs: 15 * second,
    /** How soon a page comes back whose stream was cut, and when there was no room for it. */
    retryMs: 3 * second,
    fullMs: minute,
    listenAgainMs: second,
    listenBeatMs: 10 * second,
  },
  reconcile: {
    everyMs: day,
    depositsEveryMs: 10 * minute,
    lookEveryMs: minute,
    leaseMs: hour,
    /** What contradicts itself is looked at again: it may have been under way. */
    lookAgainMs: 3 * second,
    /** Compared again each time, for banks and nodes are late and clocks differ. */
    overlapMs: 3 * day,
    overlapSlots: 10_000n,
    statementPages: 1_000,
    askedAtOnce: 256,
    /** Payments that the books have, and of those, accounts that the bank is asked about. */
    noticesCompared: 1_000_000,
    numbersAsked: 1_000,
    walletPages: 1_000,
    walletsPerPage: 1_000,
  },
  /** Work that is so late is not being done; a cluster's own time is only roughly the world's. */
  doctor: { lateMs: 3 * minute, answerMs: 5 * second, clockMs: second, chainSeconds: 60 },
  lowBalance: { watchedAtOnce: 1_000, lookEveryMs: 10 * second },
  testClock: {
    /** How far it moves at once, and how far from now, either way, a customer can have paid. */
    advanceMs: 366 * day,
    sentWithinMs: 366 * day,
    /** A year of five digits is written in another way than all others. */
    aheadMs: 100 * 366 * day,
    /** They are moved in one statement, which must end well before its timeout. */
    openAccounts: 20_000,
    movesRemembered: 1_000,
    pagesWoken: 1_000,
  },
  borrowed: { finishMs: 5 * second, lookMs: 50 },
  idempotency: {
    keyLength: 255,
    keptMs: 30 * day,
    forgottenAtOnce: 1_000,
    /** A call whose key another transaction holds is run again after ever longer pauses. */
    inProgressMs: 2 * second,
    inProgressPauseMs: 10,
  },
  requestLogs: {
    keptDays: 30,
    forgottenAtOnce: 2_000,
    /** Of each body, in characters. */
    bodyLength: 4_096,
    /** So long what was answered waits for company. */
    gatherMs: second / 4,
    /** Masking a batch takes the processor for some milliseconds, while others wait. */
    batch: 256,
    /** What waits in memory, in requests and in characters of their bodies; more is dropped. */
    waiting: 10_000,
    waitingLength: 16 * 1024 * 1024,
    /** A page looks at so many requests for those that are asked for, then leads on. */
    seenAtOnce: 10_000,
  },
  keys: {
    cachedMs: second,
    cached: 10_000,
    rememberUseEveryMs: 5 * second,
    rollGraceMs: 7 * day,
    perEnvironment: 100,
    allowedAddresses: 50,
  },
  money: {
    /** The largest integer that JSON readers agree on. */
    wireMax: 9_007_199_254_740_991n,
    ledgerMax: 9_223_372_036_854_775_807n,
    decimalDigits: 20,
  },
  names: { length: 100 },
  metadata: { keys: 50, bytes: 8 * 1024 },
  fees: { basisPoints: 10_000, tiers: 20 },
  operator: { listed: 1_000, defaultListed: 50, noteLength: 500 },
  settings: { frameOrigins: 10, logoBytes: 32 * 1024, documentBytes: 64 * 1024, remembered: 500 },
  rateLimit: { tracked: 50_000, listsRunning: 3, listsWaiting: 50, listsRetryAfterSeconds: 1 },
  proof: { shown: 20 },
} as const
