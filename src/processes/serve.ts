import { createServer as createHttpServer } from 'node:http'
import type { Registry } from 'prom-client'
import { streamLimits } from '../api/limits.js'
import type { FindDemoKey } from '../api/openapi/reference-page.js'
import type { SharedLimits } from '../api/server/shared-limits.js'
import { systemClock } from '../base/clock.js'
import type { Config } from '../base/config.js'
import { type Logger, logLostConnection } from '../base/log.js'
import { addWorkFigures } from '../operations/metrics/work-metrics.js'
import { Database } from '../postgres/database.js'
import { postgresLimits } from '../postgres/limits.js'
import { apiLoopbackUrl, compose, type ServiceDependencies } from './compose.js'
import { keepHeapSmall } from './heap.js'
import { closeLoopback, explainListenError, listenForMetrics } from './loopback-server.js'
import { type OpenRails, openRails } from './open-rails.js'

type ServedRails = Pick<
  OpenRails,
  | 'rails'
  | 'simulatedRails'
  | 'mint'
  | 'sandboxBank'
  | 'testPayers'
  | 'emulator'
  | 'localnetPayers'
  | 'localnet'
  | 'solana'
  | 'treasuries'
  | 'floats'
  | 'screening'
>

type ServedApi = {
  url: string
  registry: Registry
  close(): Promise<void>
}

export type Served = ServedApi & { metricsUrl: string }

type ApiDependencies = {
  logger: Logger
  rails?: ServedRails
  /** Undefined: no other process serves the same port. */
  sharedLimits?: SharedLimits
  findDemoKey?: FindDemoKey
  isSetUp?: () => boolean
}

/** Serves the API, and `/metrics` on its own loopback port. */
export async function serve(
  config: Config,
  databaseUrl: string,
  dependencies: ApiDependencies,
): Promise<Served> {
  return serveMetrics(config, await serveApi(config, databaseUrl, dependencies))
}

export async function serveMetrics(config: Config, api: ServedApi): Promise<Served> {
  try {
    const metrics = await listenForMetrics(config, async () => api.registry)
    return {
      ...api,
      metricsUrl: metrics.url,
      async close() {
        await api.close()
        closeLoopback(metrics.server)
      },
    }
  } catch (error) {
    await api.close()
    throw error
  }
}

/** Opens the rails and serves the API: `manilla serve`, or one of its processes. */
export async function openApi(
  config: Config,
  dependencies: Omit<ApiDependencies, 'rails'>,
): Promise<ServedApi> {
  const { logger } = dependencies
  const url = config.databaseUrl!.reveal()
  const { requestStatementMs } = postgresLimits
  const db = new Database(url, logLostConnection(logger), { statementMs: requestStatementMs })
  const rails = await openRails({ config, db, clock: systemClock, logger })
  const api = await serveApi(config, url, { ...dependencies, rails })
  return {
    ...api,
    async close() {
      await api.close()
      await rails.close()
      await db.close()
    },
  }
}

async function serveApi(
  config: Config,
  databaseUrl: string,
  { logger, rails, sharedLimits, findDemoKey, isSetUp }: ApiDependencies,
): Promise<ServedApi> {
  keepHeapSmall()
  const sandboxBank = rails?.sandboxBank
  const service = await compose({
    config,
    databaseUrl,
    logger,
    findDemoKey,
    isSetUp,
    followsPayouts: true,
    ...(rails && dependenciesFrom(rails)),
    ...(rails?.testPayers && { sandboxPayers: rails.testPayers }),
    ...(sharedLimits && {
      sharedLimits,
      streamLimits: { totalMax: Math.floor(streamLimits.totalMax / config.apiProcesses) },
    }),
  })
  addWorkFigures(service.metrics.registry, { db: service.db, clock: systemClock })
  try {
    const address = await service.app.listen({ host: config.host, port: config.port })
    const noticeUrl = (provider: string) =>
      `${apiLoopbackUrl(service.app)}/rails/${provider}/notices/test`
    sandboxBank?.sendNoticesTo(noticeUrl(sandboxBank.provider))
    const emulator = rails?.emulator
    emulator?.sendNoticesTo(noticeUrl(emulator.provider))
    return {
      url: config.publicUrl ?? address,
      registry: service.metrics.registry,
      close: service.close,
    }
  } catch (error) {
    await service.close()
    throw explainListenError(error, 'PORT')
  }
}

/** Named one by one, so that the compiler refuses a name that the service does not know. */
function dependenciesFrom(rails: ServedRails): Partial<ServiceDependencies> {
  return {
    rails: rails.rails,
    simulatedRails: rails.simulatedRails,
    mint: rails.mint,
    localnetPayers: rails.localnetPayers,
    screening: rails.screening,
    watched: {
      solana: rails.solana,
      rails: rails.rails,
      treasuries: rails.treasuries,
      floats: rails.floats,
      chainUrl: rails.localnet?.url,
    },
  }
}

/** Before a first start: fails at once instead of after creating the database. */
export async function checkPort(config: Config): Promise<void> {
  const server = createHttpServer()
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error) => reject(explainListenError(error, 'PORT')))
    server.listen(config.port, config.host, () => server.close(() => resolve()))
  })
}
