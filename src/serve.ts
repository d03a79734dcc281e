import { createServer as createHttpServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { addressOf, compose } from './compose.js'
import type { Config } from './config.js'
import type { HttpMetrics } from './http/metrics.js'
import type { Logger } from './log.js'
import type { OpenRails } from './open-rails.js'

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

export type Served = { url: string; metricsUrl: string; close(): Promise<void> }

/** The API on its address, and `/metrics` on a loopback port of its own. */
export async function serve(
  config: Config,
  databaseUrl: string,
  { logger, rails }: { logger: Logger; rails?: ServedRails },
): Promise<Served> {
  const customers = rails?.sandboxBank
  const house = await compose({
    ...{ config, databaseUrl, logger, ...rails },
    ...(customers && { customers }),
  })
  let metricsServer: Server | undefined
  try {
    const address = await house.app.listen({ host: config.host, port: config.port })
    metricsServer = await listenForMetrics(house.metrics, config)
    customers?.announceTo(`${addressOf(house.app)}/rails/${customers.name}/notices/test`)
    const { port } = metricsServer.address() as AddressInfo
    return {
      url: config.publicUrl ?? address,
      metricsUrl: `http://127.0.0.1:${port}/metrics`,
      async close() {
        await house.close()
        metricsServer?.close()
        metricsServer?.closeAllConnections()
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

/** Bound to loopback whatever HOST says: figures about a business are not for everyone. */
async function listenForMetrics(
  metrics: HttpMetrics,
  { port, metricsPort }: Config,
): Promise<Server> {
  const server = createHttpServer(async (request, response) => {
    if (request.url !== '/metrics') return response.writeHead(404).end()
    response.setHeader('content-type', metrics.registry.contentType)
    return response.end(await metrics.registry.metrics())
  })
  if (metricsPort !== undefined) return listen(server, metricsPort)
  const beside = port === 0 || port + 1_000 > 65_535 ? 0 : port + 1_000
  return listen(server, beside).catch(() => listen(server, 0))
}

function listen(server: Server, port: number): Promise<Server> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, '127.0.0.1', () => {
      server.removeListener('error', reject)
      resolve(server)
    })
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
