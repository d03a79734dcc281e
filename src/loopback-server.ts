import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Registry } from 'prom-client'
import type { Config } from './base/config.js'

export type LoopbackPort = {
  /** Configured port; listening fails when it is in use. */
  port: number | undefined
  /** Used without a configured port; falls back to any free port. */
  defaultPort: number
}

/** Always bound to loopback, whatever HOST is: metrics are business figures. */
export async function listenOnLoopback(
  { port, defaultPort }: LoopbackPort,
  answer: RequestListener,
): Promise<Server> {
  const server = createServer(answer)
  if (port !== undefined) return listen(server, port)
  const isUsable = defaultPort > 0 && defaultPort <= 65_535
  return listen(server, isUsable ? defaultPort : 0).catch(() => listen(server, 0))
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

export function loopbackUrl(server: Server): string {
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

export function closeLoopback(server: Server | undefined): void {
  server?.close()
  server?.closeAllConnections()
}

export async function listenForMetrics(
  { port, metricsPort }: Pick<Config, 'port' | 'metricsPort'>,
  readRegistry: () => Promise<Registry>,
): Promise<{ server: Server; url: string }> {
  const defaultPort = port === 0 ? 0 : port + 1_000
  const answer: RequestListener = async (request, response) => {
    if (request.url !== '/metrics') return response.writeHead(404).end()
    const registry = await readRegistry()
    response.setHeader('content-type', registry.contentType)
    return response.end(await registry.metrics())
  }
  try {
    const server = await listenOnLoopback({ port: metricsPort, defaultPort }, answer)
    return { server, url: `${loopbackUrl(server)}/metrics` }
  } catch (error) {
    throw explainListenError(error, 'METRICS_PORT')
  }
}

export function explainListenError(error: unknown, variable: 'PORT' | 'METRICS_PORT'): unknown {
  const { code, port } = error as NodeJS.ErrnoException & { port?: number }
  if (code === 'EADDRINUSE')
    return new Error(
      `Port ${port} is in use. Choose another: ${variable}=${Number(port) + 1} npm start`,
    )
  if (code === 'EACCES') return new Error(`No permission to listen on port ${port}.`)
  return error
}
