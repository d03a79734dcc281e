import { createServer as createHttpServer, type Server } from 'node:http'
import type { Registry } from 'prom-client'
import type { HttpMetrics } from './api/edge/metrics.js'
import { systemClock } from './base/clock.js'
import type { Config } from './base/config.js'
import type { Logger } from './base/log.js'
import { addressOf, compose } from './compose.js'
import { closeLoopback, listenOnLoopback, loopbackUrl } from './loopback-server.js'
import type { OpenRails } from './open-rails.js'
import { addWorkFigures } from './operations/work-metrics.js'

type ServedRails = Pick<
  OpenRails,
  | 'rails'
  | 'banks'
  | 'simulated'
  | 'mint'
  | 'collecting'
  | 'sandboxBank'
  | 'wallets'
  | 'coinCustomers'
>

export type Served = {
  url: string
  metricsUrl: string
  /** For what else the process has to report. */
  registry: Registry
  close(): Promise<void>
}

/** The API on its address, and `/metrics` on a loopback port of its own. */
export async function serve(
  config: Config,
  databaseUrl: string,
  { logger, rails }: { logger: Logger; rails?: ServedRails },
): Promise<Served> {
  const customers = rails?.sandboxBank
  const house = await compose({
    config,
    databaseUrl,
    logger,
    ...rails,
    ...(customers && { customers }),
  })
  addWorkFigures(house.metrics.registry, { db: house.db, clock: systemClock })
  let metricsServer: Server | undefined
  try {
    const address = await house.app.listen({ host: config.host, port: config.port })
    metricsServer = await listenForMetrics(house.metrics, config)
    customers?.announceTo(`${addressOf(house.app)}/rails/${customers.name}/notices/test`)
    return {
      url: config.publicUrl ?? address,
      metricsUrl: `${loopbackUrl(metricsServer)}/metrics`,
      registry: house.metrics.registry,
      async close() {
        await house.close()
        closeLoopback(metricsServer)
      },
    }
  } catch (error) {
    metricsServer?.close()
    await house.close()
    throw explain(error, config)
  }
}

/** For a first start: a newcomer should not wait for a database that is then not served. */
export async function refuseTakenPort(config: Config): Promise<void> {
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
  const standardPort = port === 0 ? 0 : port + 1_000
  return listenOnLoopback({ port: metricsPort, standardPort }, async (request, response) => {
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
  if (code === 'EACCES') return new Error(`Port ${port} may not be used by this account.`)
  return error
}
