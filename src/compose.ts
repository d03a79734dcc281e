import type { AddressInfo } from 'node:net'
import type { FastifyInstance } from 'fastify'
import { addHealth } from './api/edge/health.js'
import { createChanges, createKeyedLanes, createRefusalLanes } from './api/edge/keyed-lane.js'
import { createMetrics, type HttpMetrics } from './api/edge/metrics.js'
import { createReadiness } from './api/edge/readiness.js'
import { createServer } from './api/edge/server.js'
import { type StreamLimits, Streams } from './api/edge/streams.js'
import { openCollections } from './api/open-collections.js'
import { createRoutes } from './api/routes/routes.js'
import { type Clock, systemClock } from './base/clock.js'
import type { Config } from './base/config.js'
import type { EnvironmentId, Mode } from './base/environment.js'
import { limits } from './base/limits.js'
import { type Logger, logLostConnection } from './base/log.js'
import { createSeal } from './base/sealed.js'
import { createAccounts } from './collections/create-accounts.js'
import { expireAccounts } from './collections/end-accounts.js'
import type { LocalnetPayers, SandboxPayers } from './collections/ports.js'
import type { CollectionRails } from './collections/prepare-accounts.js'
import { createReplayFinder } from './idempotency/replays.js'
import { getClockOffset } from './merchants/environment-clock.js'
import { createKeyRing, type KeyRing } from './merchants/key-ring.js'
import { createPayouts } from './payouts/create-payouts.js'
import { countDisputes } from './payouts/disputes.js'
import { createFeeBook } from './payouts/fee-book.js'
import type { BankDirectory, SimulatedRail } from './payouts/ports.js'
import { createPayoutPreparation, type PayoutRails } from './payouts/prepare-payouts.js'
import { listReconciliations } from './payouts/reconciliations.js'
import { markForReview } from './payouts/review-payouts.js'
import { createSending } from './payouts/send-new.js'
import { connectLane } from './postgres/connection.js'
import { Database } from './postgres/database.js'
import { type OpenedLane, type OpenLane, openLane } from './postgres/lane.js'
import { RequestLog } from './request-log/request-log.js'
import { type CoinMint, createFilling, createFunding } from './simulation/test-funding.js'
import type { WalletRails } from './wallets/prepare-wallets.js'
import { countTroubledWallets } from './wallets/troubled-wallets.js'

export type Service = {
  app: FastifyInstance
  db: Database
  metrics: HttpMetrics
  /** Answers what is under way, then closes every connection. */
  close(): Promise<void>
}

type Parts = {
  config: Config
  databaseUrl: string
  logger: Logger
  clock?: Clock
  /** Who carries money out, by mode; without one, that mode refuses. */
  rails?: PayoutRails
  banks?: Record<Mode, BankDirectory | undefined>
  collecting?: CollectionRails
  /** Of the bank that simulates. */
  customers?: SandboxPayers
  wallets?: WalletRails
  /** Of the chain that simulates. */
  coinCustomers?: LocalnetPayers | undefined
  /** Those of test mode that take instructions. */
  simulated?: SimulatedRail[]
  /** Without one, test balances cannot be funded with coins. */
  mint?: CoinMint | undefined
  /** In the place of those that hold otherwise. */
  streamLimits?: Partial<StreamLimits> | undefined
  /** The benchmark puts one transaction per request in the place of lanes. */
  open?: OpenLane
}

const noRails: PayoutRails = { test: {}, live: {} }
const noCollecting = { test: undefined, live: undefined }
const noBanks = { test: undefined, live: undefined }
const noWallets = { test: undefined, live: undefined }

/** Puts the rooms together. The only place that knows all of them. */
export async function compose({ config, databaseUrl, logger, ...parts }: Parts): Promise<Service> {
  const { clock = systemClock, open = openLane, rails = noRails } = parts
  const { banks = noBanks, simulated = [], collecting = noCollecting, customers } = parts
  const { wallets = noWallets, coinCustomers } = parts
  const seal = createSeal(config.secret)
  const onIdleError = logLostConnection(logger)
  const { requestMs, quickMs, quickPoolSize, changeMs, changePoolSize } = limits.postgres
  const db = new Database(databaseUrl, onIdleError, { statementMs: requestMs })
  // Authentication and readiness come before everything else and must not queue behind it.
  const quickDb = new Database(databaseUrl, onIdleError, {
    statementMs: quickMs,
    size: quickPoolSize,
    applicationName: 'manilla quick',
  })
  // Changes may touch thousands of rows; reads do not queue behind them.
  const changeDb = new Database(databaseUrl, onIdleError, {
    statementMs: changeMs,
    size: changePoolSize,
    applicationName: 'manilla changes',
  })
  const keyRing = createKeyRing({ db: quickDb, seal, clock })
  const laneContext = { connect: () => connectLane(databaseUrl, 'manilla lane'), open, clock, seal }
  const collections = openCollections({
    db,
    logger,
    ...laneContext,
    rails: collecting,
    customers,
    wallets,
    coinCustomers,
  })
  const fundings = createKeyedLanes(laneContext, createFunding(parts.mint))
  const payouts = createKeyedLanes(laneContext, createPayouts)
  const accounts = createKeyedLanes(laneContext, createAccounts)
  const refusals = createRefusalLanes(laneContext)
  const { notices, payments } = collections.lanes
  const lanes = byModeAndName({ fund: fundings, payouts, accounts, refusals, notices, payments })
  const streams = new Streams({
    clock,
    logger,
    streamLimits: parts.streamLimits,
    connect: () => connectLane(databaseUrl, 'manilla streams'),
  })
  const requestLog = new RequestLog({ url: databaseUrl, logger })
  const fill = createFilling({ db, mint: parts.mint, logger })
  const metrics = createMetrics(lanes, figuresOf(db, clock, requestLog))
  const readiness = createReadiness({ db: quickDb, lanes: Object.values(lanes), logger })

  const app = await createServer({
    clock,
    logger,
    keyRing,
    metrics,
    readiness,
    findReplay: createReplayFinder(db, seal),
    requestLog: config.requestLogDays > 0 ? requestLog : undefined,
    routes: createRoutes({
      db,
      seal,
      banks,
      simulated,
      rails,
      collections,
      streams,
      allowsLoopbackWebhooks: config.allowsLoopbackWebhooks,
      naira: config.naira,
      // Who reads that a balance is funded finds its coins on the chain.
      fundBalance: (call) => fundings.run(call).finally(fill),
      change: createChanges({ db: changeDb, clock, seal }),
      payouts: createPayoutPreparation({ db, rails, fees: createFeeBook({ db, clock }), logger }),
      commitPayout: (call) => payouts.run(call),
      sendPayout: createSending({ db, rails, clock, logger }),
      baseUrl: () => config.publicUrl ?? addressOf(app),
      commitAccount: (call) => accounts.run(call),
      storeRefusal: (call) => refusals.run(call),
      afterAdvance: (id) => fallDue({ db, clock, logger, keyRing }, id),
    }),
    ...edgeOf(config),
  })
  const health = addHealth(app, readiness)
  const uses = rememberUses(keyRing, logger)

  return {
    app,
    db,
    metrics,
    async close() {
      health.drain()
      clearInterval(uses)
      await streams.close()
      await closeServer(app)
      await Promise.all([requestLog, ...Object.values(lanes)].map((one) => one.close()))
      await keyRing.rememberUses().catch(() => {}) // only a note of when; it comes again
      await Promise.all([quickDb, changeDb, db].map((one) => one.close()))
    },
  }
}

type ByMode = Record<Mode, OpenedLane<never, unknown>>

/** As metrics name them: `payouts_live`. */
function byModeAndName(lanes: Record<string, ByMode>): Record<string, ByMode[Mode]> {
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

function rememberUses(keyRing: KeyRing, logger: Logger): NodeJS.Timeout {
  return setInterval(() => {
    keyRing.rememberUses().catch((error) => logger.warn({ err: error }, 'key uses not written'))
  }, limits.keys.rememberUseEveryMs)
}

/** As it is reached from this machine, whatever it is bound to. */
export function addressOf({ server }: FastifyInstance): string {
  const { port } = server.address() as AddressInfo
  return `http://127.0.0.1:${port}`
}

function edgeOf({ trustProxy, rateLimitPerSecond, publicRateLimitPerSecond }: Config) {
  return { trustProxy, rateLimitPerSecond, publicRateLimitPerSecond }
}

type Due = { db: Database; clock: Clock; logger: Logger; keyRing: KeyRing }

/** The clock has been moved whatever happens here, and the answer has to say so. */
async function fallDue({ db, clock, logger, keyRing }: Due, id: EnvironmentId): Promise<void> {
  try {
    keyRing.noteClock(id, await getClockOffset(db, id))
    await markForReview({ db, logger }, clock.now(), id)
    while ((await expireAccounts(db, clock.now(), id)) > 0);
  } catch (error) {
    logger.warn({ err: error }, 'what fell due has to wait')
  }
}

/** A client that never finishes its request must not keep the service from closing. */
async function closeServer(app: FastifyInstance): Promise<void> {
  const cut = setTimeout(() => app.server.closeAllConnections(), limits.http.finishMs)
  await app.close()
  clearTimeout(cut)
}
