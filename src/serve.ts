import { createServer as createHttpServer, type Server } from 'node:http'
import type { Registry } from 'prom-client'
import type { HttpMetrics } from './api/edge/metrics.js'
import { systemClock } from './base/clock.js'
import type { Config } from './base/config.js'
import type { Logger } from './base/log.js'
import { addressOf, compose, type Parts } from './compose.js'
import { closeLoopback, listenOnLoopback, loopbackUrl } from './loopback-server.js'
import type { OpenRails } from './open-rails.js'
import { addWorkFigures } from './operations/work-metrics.js'

type ServedRails = Pick<
  OpenRails,
  | 'rails'
  | 'banks'
  | 'simulatedRails'
  | 'mint'
  | 'collectionRails'
  | 'sandboxBank'
  | 'wallets'
  | 'localnetPayers'
>

export type Served = {
  url: string
  metricsUrl: string
  registry: Registry
  close(): Promise<void>
}

/** Serves the API, and `/metrics` on its own loopback port. */
export async function serve(
  config: Config,
  databaseUrl: string,
  { logger, rails }: { logger: Logger; rails?: ServedRails },
): Promise<Served> {
  const sandboxBank = rails?.sandboxBank
  const service = await compose({
    config,
    databaseUrl,
    logger,
    ...(rails && partsOf(rails)),
    ...(sandboxBank && { sandboxPayers: sandboxBank }),
  })
  addWorkFigures(service.metrics.registry, { db: service.db, clock: systemClock })
  let metricsServer: Server | undefined
  try {
    const address = await service.app.listen({ host: config.host, port: config.port })
    metricsServer = await listenForMetrics(service.metrics, config)
    sandboxBank?.sendNoticesTo(`${addressOf(service.app)}/rails/${sandboxBank.name}/notices/test`)
    return {
      url: config.publicUrl ?? address,
      metricsUrl: `${loopbackUrl(metricsServer)}/metrics`,
      registry: service.metrics.registry,
      async close() {
        await service.close()
        closeLoopback(metricsServer)
      },
    }
  } catch (error) {
    metricsServer?.close()
    await service.close()
    throw explain(error, config)
  }
}

/** Named one by one, so that the compiler refuses a name that the service does not know. */
function partsOf(rails: ServedRails): Partial<Parts> {
  return {
    rails: rails.rails,
    banks: rails.banks,
    simulatedRails: rails.simulatedRails,
    mint: rails.mint,
    collectionRails: rails.collectionRails,
    wallets: rails.wallets,
    localnetPayers: rails.localnetPayers,
  }
}

/** Before a first start: fails at once instead of after creating the database. */
export async function checkPort(config: Config): Promise<void> {
  const server = createHttpServer()
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error) => reject(explain(error, config)))
    server.listen(config.port, config.host, () => server.close(() => resolve()))
  })
}

async function listenForMetrics(
  metrics: HttpMetrics,
  { port, metricsPort }: Config,
): Promise<Server> {
  const defaultPort = port === 0 ? 0 : port + 1_000
  return listenOnLoopback({ port: metricsPort, defaultPort }, async (request, response) => {
    if (request.url !== '/metrics') return response.writeHead(404).end()
    response.setHeader('content-type', metrics.registry.contentType)
    return response.end(await metrics.registry.metrics())
  })
}

function explain(error: unknown, config: Config): unknown {
  const { code, port } = error as NodeJS.ErrnoException & { port?: number }
  if (code === 'EADDRINUSE') {
    const name = port === config.port ? 'PORT' : 'METRICS_PORT'
    return new Error(
      `Port ${port} is in use. Choose another: ${name}=${Number(port) + 1} npm start`,
    )
  }
  if (code === 'EACCES') return new Error(`No permission to listen on port ${port}.`)
  return error
}
