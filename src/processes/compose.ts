import type { AddressInfo } from 'node:net'
import type { FastifyInstance } from 'fastify'
import { auditExport } from '../api/auth/audit-call.js'
import { addHealth } from '../api/observe/health.js'
import { createMetrics, type HttpMetrics } from '../api/observe/metrics.js'
import { createReadiness } from '../api/observe/readiness.js'
import { addReplicaMetrics } from '../api/observe/replica-metrics.js'
import type { FindDemoKey } from '../api/openapi/reference-page.js'
import { createOperatorRoutes } from '../api/operator/routes.js'
import { openCollections } from '../api/pipeline/open-collections.js'
import { createRoutes } from '../api/routes/routes.js'
import { createChanges, createKeyedLanes, createRefusalLanes } from '../api/server/keyed-lane.js'
import { createPageSources } from '../api/server/page-source.js'
import type { Route } from '../api/server/route.js'
import { createServer } from '../api/server/server.js'
import type { SharedLimits } from '../api/server/shared-limits.js'
import { ChangeHints } from '../api/streams/change-hints.js'
import { type StreamLimits, Streams } from '../api/streams/streams.js'
import { type Clock, systemClock } from '../base/clock.js'
import type { Config } from '../base/config.js'
import type { EnvironmentId, Mode } from '../base/environment.js'
import { limits } from '../base/limits.js'
import { type Logger, logLostConnection } from '../base/log.js'
import { noRateSources } from '../base/rate-sources.js'
import { createSeal } from '../base/sealed.js'
import { createAccounts, readForAccounts } from '../collections/accounts/create-accounts.js'
import { expireAccounts } from '../collections/accounts/end-accounts.js'
import type { LocalnetPayers, SandboxPayers } from '../collections/ports.js'
import { Rails } from '../collections/rails.js'
import { followReturns } from '../collections/returns/follow-returns.js'
import { createReplayFinder } from '../idempotency/replays.js'
import { lockForFunding } from '../ledger/fund.js'
import { openMailbox } from '../mail/mailbox.js'
import { getClockOffset } from '../merchants/environment-clock.js'
import { createKeyRing, type KeyRing } from '../merchants/keys/key-ring.js'
import { keyLimits } from '../merchants/limits.js'
import type { WatchedRails } from '../operations/definitions/definition.js'
import { examineInside } from '../operations/doctor/examine.js'
import { addExchangeMetrics } from '../operations/metrics/exchange-metrics.js'
import { addPoolMetrics, addRailMetrics } from '../operations/metrics/process-metrics.js'
import { addScreeningMetrics } from '../operations/metrics/screening-metrics.js'
import { expirePending } from '../payouts/approvals/expire-pending.js'
import { createConcludingLane } from '../payouts/attempts/conclude-sent.js'
import { markForReview } from '../payouts/attempts/review-payouts.js'
import { SentPayouts } from '../payouts/attempts/sent-payouts.js'
import { expireClaims } from '../payouts/claims/end-claims.js'
import { createLevyBook } from '../payouts/levies/levy-book.js'
import type { SimulatedRail } from '../payouts/ports.js'
import { countDisputes } from '../payouts/reconciliation/disputes.js'
import { listReconciliations } from '../payouts/reconciliation/reconciliations.js'
import { createByKeys, readForKeys } from '../payouts/requests/create-by-keys.js'
import { createFeeBook } from '../payouts/requests/fee-book.js'
import { createPausedRails } from '../payouts/requests/paused-rails.js'
import { createPayoutPreparation } from '../payouts/requests/prepare-payouts.js'
import { createSendAfterCommit } from '../payouts/requests/send-new.js'
import { Database } from '../postgres/database.js'
import { postgresLimits } from '../postgres/limits.js'
import { Replica } from '../postgres/replica.js'
import { type OpenedLane, type OpenLane, openLane } from '../postgres/transactions/lane.js'
import { Turns } from '../postgres/transactions/turns.js'
import { connectLane, connectListener } from '../postgres/wire/connection.js'
import { createRateBook } from '../rates/rate-book.js'
import { RequestLog } from '../request-log/request-log.js'
import type { Screening } from '../screening/ports.js'
import { simulatedRates } from '../simulation/simulated-rates.js'
import {
  backCoins,
  type CoinMint,
  createFunding,
  createPendingMint,
} from '../simulation/test-funding.js'
import { consoleLimits } from '../team/limits.js'
import { createPasswords, type PasswordCost, type Passwords } from '../team/passwords.js'
import { createSessions, type Sessions } from '../team/sessions.js'
import { countTroubledWallets } from '../wallets/troubled-wallets.js'
import { notifyWorkers } from '../webhooks/deliveries/wake-ups.js'
import { keepVatRates } from './keep-vat-rates.js'

export type ComposedService = {
  app: FastifyInstance
  routes: Route[]
  passwords: Passwords
  db: Database
  metrics: HttpMetrics
  /** Finishes running requests, then closes every connection. */
  close(): Promise<void>
}

export type ServiceDependencies = {
  config: Config
  databaseUrl: string
  logger: Logger
  clock?: Clock
  /** Without a rail, what it would carry is refused. */
  rails?: Rails
  sandboxPayers?: SandboxPayers
  localnetPayers?: LocalnetPayers | undefined
  /** Test rails whose outcomes callers can set. */
  simulatedRails?: SimulatedRail[]
  /** Undefined: nothing is screened. */
  screening?: Screening | undefined
  /** Without it, test balances cannot be funded with coins. */
  mint?: CoinMint | undefined
  /** What operators watch in the console; without it, they see no rail. */
  watched?: WatchedRails | undefined
  /** Overrides the defaults. */
  streamLimits?: Partial<StreamLimits> | undefined
  /** Undefined: no other process serves the same port. */
  sharedLimits?: SharedLimits | undefined
  /** Absent: there is no demo merchant. */
  findDemoKey?: FindDemoKey | undefined
  /** Whether everything exists that the start creates; absent: it creates nothing. */
  isSetUp?: (() => boolean) | undefined
  /** Cost of new passwords; tests use a smaller one. */
  passwordCost?: PasswordCost | undefined
  /**
   * Whether it ends the payouts that it sends, instead of leaving them to workers. Tests decide
   * themselves when a payout ends.
   */
  followsPayouts?: boolean
  /** The benchmark replaces lanes with one transaction per request. */
  open?: OpenLane
}

const noRails = new Rails()
const nothingWatched: WatchedRails = {
  solana: { test: undefined, live: undefined },
  rails: noRails,
  treasuries: [],
  floats: [],
}

/** Builds the service. The only file that knows every module. */
export async function compose({
  config,
  databaseUrl,
  logger,
  ...dependencies
}: ServiceDependencies): Promise<ComposedService> {
  const { clock = systemClock, open = openLane, rails = noRails } = dependencies
  const { simulatedRails = [], sandboxPayers, localnetPayers, mint, sharedLimits } = dependencies
  const { screening } = dependencies
  const { followsPayouts = false } = dependencies
  const seal = createSeal(config.secret, config.otherSecrets)
  const onIdleError = logLostConnection(logger)
  const { requestStatementMs, quickStatementMs, quickPoolSize } = postgresLimits
  const { changeStatementMs, changePoolSize } = postgresLimits
  const db = new Database(databaseUrl, onIdleError, {
    statementMs: requestStatementMs,
    readsByKey: true,
  })
  const consoleUrl = config.consoleUrl ?? config.publicUrl
  const closeMailbox = openMailbox(db.name, { seal, consoleUrl })
  // Authentication and readiness precede everything else and must not queue behind it.
  const quickDb = new Database(databaseUrl, onIdleError, {
    statementMs: quickStatementMs,
    size: quickPoolSize,
    applicationName: 'manilla quick',
  })
  // Changes may touch thousands of rows; reads must not queue behind them.
  const changeDb = new Database(databaseUrl, onIdleError, {
    statementMs: changeStatementMs,
    size: changePoolSize,
    applicationName: 'manilla changes',
  })
  const operatorDb = new Database(databaseUrl, onIdleError, {
    statementMs: changeStatementMs,
    size: limits.operator.poolSize,
    applicationName: 'manilla operators',
  })
  const replica = config.databaseRead
    ? new Replica({
        url: config.databaseRead.url.reveal(),
        maxDelayMs: config.databaseRead.maxDelayMs,
        primary: db,
        quickPrimary: quickDb,
        logger,
      })
    : undefined
  const paused = createPausedRails({ db: quickDb, clock })
  const keyRing = createKeyRing({ db: quickDb, seal, clock })
  const passwords = createPasswords(dependencies.passwordCost)
  const sessions = createSessions({ db: quickDb, clock })
  const laneDependencies = {
    connect: () => connectLane(databaseUrl, 'manilla lane'),
    open,
    clock,
    seal,
  }
  const turns = { test: new Turns(), live: new Turns() }
  const ledgerLanes = { ...laneDependencies, turns }
  const rates = createRateBook({ db, clock, simulated: simulatedRates })
  const collections = openCollections({
    db,
    logger,
    ...ledgerLanes,
    rails,
    sandboxPayers,
    localnetPayers,
    rates,
    screening,
  })
  const fundingLanes = createKeyedLanes(ledgerLanes, createFunding(mint), lockForFunding)
  const payoutLanes = createKeyedLanes(ledgerLanes, createByKeys, readForKeys)
  const accountLanes = createKeyedLanes(laneDependencies, createAccounts, readForAccounts)
  const refusalLanes = createRefusalLanes(laneDependencies)
  const concludingLanes = {
    test: createConcludingLane({ ...laneDependencies, turns: turns.test }),
    live: createConcludingLane({ ...laneDependencies, turns: turns.live }),
  }
  const sentPayouts = followsPayouts
    ? new SentPayouts({
        db,
        clock,
        logger,
        laneOf: (rail) => concludingLanes[rails.modeOf(rail)],
      })
    : undefined
  const { notices, judging: payments } = collections.lanes
  const lanes = byNameAndMode({
    fund: fundingLanes,
    payouts: payoutLanes,
    accounts: accountLanes,
    refusals: refusalLanes,
    notices,
    payments,
    concluding: concludingLanes,
  })
  const streams = new Streams({
    clock,
    logger,
    streamLimits: dependencies.streamLimits,
    shared: sharedLimits,
    connect: () => connectListener(databaseUrl, 'manilla streams'),
  })
  const changeHints = new ChangeHints({ db, clock, streams, logger })
  const requestLog = new RequestLog({ url: databaseUrl, logger })
  const mintPending = createPendingMint({ db, mint, logger })
  const metrics = createMetrics(lanes, figuresOf(db, clock, requestLog))
  addRailMetrics(metrics.registry)
  addExchangeMetrics(metrics.registry, { db, clock, config: config.rates ?? noRateSources })
  if (screening) addScreeningMetrics(metrics.registry, { db, clock, screening })
  addPoolMetrics(metrics.registry, { reads: db, quick: quickDb, changes: changeDb })
  if (replica) addReplicaMetrics(metrics.registry, replica)
  const readiness = createReadiness({ db: quickDb, lanes: Object.values(lanes), logger })

  const watched = dependencies.watched ?? nothingWatched
  const merchantRoutes = createRoutes({
    db,
    clock,
    logger,
    openPage: createPageSources(db, replica),
    seal,
    mailBounceSecret: config.mail?.bounceSecret,
    simulated: simulatedRails,
    rails,
    collections,
    screening,
    streams,
    changeHints,
    allowsLoopbackWebhooks: config.allowsLoopbackWebhooks,
    naira: config.naira,
    // The coins are on the chain before the caller reads that the balance is funded.
    fundBalance: (call) => fundingLanes.run(call).finally(mintPending),
    change: createChanges({ db: changeDb, clock, seal }),
    rates,
    backCoins: mint && backCoins,
    mintPending,
    payoutPreparation: createPayoutPreparation({
      db,
      rails,
      fees: createFeeBook({ db, clock }),
      levies: createLevyBook({ db, clock }),
      logger,
      paused,
      follows: followsPayouts,
      screening,
    }),
    commitPayout: payoutLanes.run,
    sendPayout: createSendAfterCommit({ rails, clock, logger, paused, sentPayouts }),
    baseUrl: () => config.publicUrl ?? apiLoopbackUrl(app),
    commitAccount: accountLanes.run,
    storeRefusal: refusalLanes.run,
    sessions,
    passwords,
    consoleUrl: config.consoleUrl,
    afterAdvance: (id) => runDueWork({ db, clock, logger, keyRing, sessions }, id),
  })
  const operatorRoutes = createOperatorRoutes({
    db: operatorDb,
    seal,
    clock,
    config,
    sessions,
    rails: watched,
    rates,
    examine: () => examineInside({ config, clock, db: operatorDb, rails: watched }),
  })
  const routes = [...merchantRoutes, ...operatorRoutes]

  const app = await createServer({
    clock,
    logger,
    keyRing,
    sessions,
    consoleUrl: config.consoleUrl,
    metrics,
    readiness,
    findReplay: createReplayFinder(db, seal),
    writeExport: (call, query) => changeDb.transaction(async (tx) => auditExport(tx, call, query)),
    requestLog: config.requestLogDays > 0 ? requestLog : undefined,
    routes,
    sharedLimits,
    findDemoKey: dependencies.findDemoKey ?? (() => undefined),
    ...edgeOf(config),
  })
  const health = addHealth(app, { readiness, isSetUp: dependencies.isSetUp ?? (() => true) })
  const notifier = notifyWorkers(quickDb)
  const timers = [
    writeKeyUses(keyRing, logger),
    writeSessionUses(sessions, logger),
    await keepVatRates({ db: quickDb, logger }),
  ]

  return {
    app,
    routes,
    passwords,
    db,
    metrics,
    async close() {
      health.drain()
      for (const timer of timers) clearInterval(timer)
      changeHints.close()
      await streams.close()
      await closeServer(app)
      await sentPayouts?.stop()
      await Promise.all([requestLog, ...Object.values(lanes)].map((queue) => queue.close()))
      await notifier.stop()
      await keyRing.writeUses().catch(() => {}) // only "last used" times: the next use is written
      await replica?.close()
      closeMailbox()
      await Promise.all([quickDb, changeDb, operatorDb, db].map((pool) => pool.close()))
    },
  }
}

type ByMode = Record<Mode, OpenedLane<never, unknown>>

/** Lanes as metrics name them, such as `payouts_live`. */
function byNameAndMode(lanes: Record<string, ByMode>): Record<string, ByMode[Mode]> {
  return Object.fromEntries(
    Object.entries(lanes).flatMap(([name, { test, live }]) => [
      [`${name}_test`, test],
      [`${name}_live`, live],
    ]),
  )
}

function figuresOf(db: Database, clock: Clock, requestLog: RequestLog) {
  return {
    listReconciliations: () => listReconciliations(db),
    countTroubled: () => countTroubledWallets(db),
    countDisputes: () => countDisputes(db, clock.now()),
    countDroppedLogs: () => requestLog.dropped,
  }
}

function writeKeyUses(keyRing: KeyRing, logger: Logger): NodeJS.Timeout {
  return setInterval(() => {
    keyRing
      .writeUses()
      .catch((error) => logger.warn({ err: error }, 'could not write when keys were last used'))
  }, keyLimits.lastUsedIntervalMs)
}

function writeSessionUses(sessions: Sessions, logger: Logger): NodeJS.Timeout {
  return setInterval(() => {
    sessions
      .writeUses()
      .catch((error) => logger.warn({ err: error }, 'could not write when sessions were last used'))
  }, consoleLimits.lastSeenIntervalMs)
}

/** The loopback address of the API, whatever it is bound to. */
export function apiLoopbackUrl({ server }: FastifyInstance): string {
  const { port } = server.address() as AddressInfo
  return `http://127.0.0.1:${port}`
}

function edgeOf(config: Config) {
  const { trustProxy, rateLimitPerSecond, publicRateLimitPerSecond, hasConsole = true } = config
  return { trustProxy, rateLimitPerSecond, publicRateLimitPerSecond, hasConsole }
}

type DueWorkDependencies = {
  db: Database
  clock: Clock
  logger: Logger
  keyRing: KeyRing
  sessions: Sessions
}

/** Runs what the moved clock makes due. Never fails: the clock has already been moved. */
async function runDueWork(
  { db, clock, logger, keyRing, sessions }: DueWorkDependencies,
  id: EnvironmentId,
): Promise<void> {
  try {
    keyRing.noteClock(id, await getClockOffset(db, id))
    sessions.forgetAll()
    await markForReview({ db, logger }, clock.now(), id)
    while ((await expirePending({ db, logger, follow: followReturns }, clock.now(), id)) > 0);
    while ((await expireClaims({ db, follow: followReturns }, clock.now(), id)) > 0);
    while ((await expireAccounts(db, clock.now(), id)) > 0);
  } catch (error) {
    logger.warn({ err: error }, 'could not run work that became due; workers will')
  }
}

/** A client that never finishes its request must not keep the service from closing. */
async function closeServer(app: FastifyInstance): Promise<void> {
  const timer = setTimeout(() => app.server.closeAllConnections(), limits.http.shutdownMs)
  await app.close()
  clearTimeout(timer)
}
