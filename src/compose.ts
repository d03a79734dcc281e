import type { FastifyInstance } from 'fastify'
import { type Clock, systemClock } from './clock.js'
import type { Config } from './config.js'
import type { EnvironmentId, Mode } from './environment.js'
import { addHealth } from './http/health.js'
import { createChanges, createKeyedLane } from './http/keyed-lane.js'
import { createMetrics, type HttpMetrics } from './http/metrics.js'
import { createRoutes } from './http/routes.js'
import { createServer } from './http/server.js'
import { createReplayFinder } from './idempotency/replays.js'
import { limits } from './limits.js'
import { type Logger, logLostConnection } from './log.js'
import { getClockOffset } from './merchants/environment-clock.js'
import { createKeyRing } from './merchants/key-ring.js'
import { fundAndBack } from './payouts/back-fundings.js'
import { createOrRefuse } from './payouts/create-payouts.js'
import { createFeeBook } from './payouts/fee-book.js'
import { createOrdering, type Rails } from './payouts/order-payouts.js'
import type { BankDirectory, SimulatedRail } from './payouts/ports.js'
import { listReconciliations } from './payouts/reconciliations.js'
import { markForReview } from './payouts/review-payouts.js'
import { createSending } from './payouts/send-new.js'
import { connect } from './postgres/connection.js'
import { Database } from './postgres/database.js'
import { createSeal } from './sealed.js'

export type House = {
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
  rails?: Rails
  banks?: Record<Mode, BankDirectory | undefined>
  /** Those of test mode that take instructions. */
  simulated?: SimulatedRail[]
  /** The benchmark puts one transaction per request in the place of lanes. */
  createLane?: typeof createKeyedLane
}

const noRails: Rails = { test: {}, live: {} }
const noBanks = { test: undefined, live: undefined }

/** Puts the rooms together. The only place that knows all of them. */
export async function compose({ config, databaseUrl, logger, ...parts }: Parts): Promise<House> {
  const { clock = systemClock, createLane = createKeyedLane, rails = noRails } = parts
  const { banks = noBanks, simulated = [] } = parts
  const seal = createSeal(config.secret)
  const db = new Database(databaseUrl, logLostConnection(logger))
  const keyRing = createKeyRing({ db, seal, clock })
  const laneContext = { connect: () => connect(databaseUrl, 'manilla lane'), clock, seal }
  const lanes = {
    fund: createLane(laneContext, fundAndBack),
    payouts: createLane(laneContext, createOrRefuse),
  }
  async function fallDue(environmentId: EnvironmentId): Promise<void> {
    keyRing.noteClock(environmentId, await getClockOffset(db, environmentId))
    await markForReview({ db, logger }, clock.now(), environmentId)
  }
  const metrics = createMetrics(lanes, () => listReconciliations(db))

  const app = await createServer({
    clock,
    logger,
    keyRing,
    findReplay: createReplayFinder(db, seal),
    metrics,
    routes: createRoutes({
      db,
      seal,
      allowsLoopbackWebhooks: config.allowsLoopbackWebhooks,
      naira: config.naira,
      fundBalance: (call) => lanes.fund.run(call),
      change: createChanges({ db, clock, seal }),
      ordering: createOrdering({ db, rails, fees: createFeeBook({ db, clock }) }),
      banks,
      simulated,
      createPayout: (call) => lanes.payouts.run(call),
      sendPayout: createSending({ db, rails, logger }),
      // The clock has been moved whatever happens here, and the answer has to say so.
      afterAdvance: (id) =>
        fallDue(id).catch((error) => logger.warn({ err: error }, 'what fell due has to wait')),
    }),
    trustProxy: config.trustProxy,
    rateLimitPerSecond: config.rateLimitPerSecond,
    publicRateLimitPerSecond: config.publicRateLimitPerSecond,
  })
  const health = addHealth(app, db, logger)
  const uses = setInterval(() => {
    keyRing.rememberUses().catch((error) => logger.warn({ err: error }, 'key uses not written'))
  }, limits.keys.rememberUseEveryMs)

  return {
    app,
    db,
    metrics,
    async close() {
      health.drain()
      clearInterval(uses)
      await closeServer(app)
      await Promise.all(Object.values(lanes).map((lane) => lane.close()))
      await keyRing.rememberUses().catch(() => {}) // only a note of when; it comes again
      await db.close()
    },
  }
}

/** A client that never finishes its request must not keep the service from closing. */
async function closeServer(app: FastifyInstance): Promise<void> {
  const cut = setTimeout(() => app.server.closeAllConnections(), limits.http.finishMs)
  await app.close()
  clearTimeout(cut)
}
