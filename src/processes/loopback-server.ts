import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Registry } from 'prom-client'
import type { Config } from '../base/config.js'

export type LoopbackPort = {
  /** Undefined: loopback. */
  host?: string | undefined
  /** Configured port; listening fails when it is in use. */
  port: number | undefined
  /** Used without a configured port; falls back to any free port. */
  defaultPort: number
}

/** Bound to loopback by default, whatever HOST is: metrics are business figures. */
export async function listenOnLoopback(
  { host = '127.0.0.1', port, defaultPort }: LoopbackPort,
  answer: RequestListener,
): Promise<Server> {
  const server = createServer(answer)
  if (port !== undefined) return listen(server, host, port)
  const isUsable = defaultPort > 0 && defaultPort <= 65_535
  return listen(server, host, isUsable ? defaultPort : 0).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EADDRINUSE' && error.code !== 'EACCES') throw error
    return listen(server, host, 0)
  })
}

function listen(server: Server, host: string, port: number): Promise<Server> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, host, () => {
      server.removeListener('error', reject)
      resolve(server)
    })
  })
}

export function loopbackUrl(server: Server): string {
  const { address, family, port } = server.address() as AddressInfo
  if (address === '0.0.0.0' || address === '::') return `http://127.0.0.1:${port}`
  return `http://${family === 'IPv6' ? `[${address}]` : address}:${port}`
}

export function closeLoopback(server: Server | undefined): void {
  server?.close()
  server?.closeAllConnections()
}

export async function listenForMetrics(
  { port, metricsHost, metricsPort }: Pick<Config, 'port' | 'metricsHost' | 'metricsPort'>,
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
    const server = await listenOnLoopback(
      { host: metricsHost, port: metricsPort, defaultPort },
      answer,
    )
    return { server, url: `${loopbackUrl(server)}/metrics` }
  } catch (error) {
    throw explainListenError(error, 'METRICS_PORT')
  }
}

export function explainListenError(
  error: unknown,
  variable: 'PORT' | 'METRICS_PORT' | 'WORK_PORT',
): unknown {
  const { code, port } = error as NodeJS.ErrnoException & { port?: number }
  if (code === 'EADDRINUSE' && variable === 'WORK_PORT')
    return new Error(`Port ${port} is in use. Set WORK_PORT to another port.`)
  if (code === 'EADDRINUSE')
    return new Error(
      `Port ${port} is in use. Choose another: ${variable}=${Number(port) + 1} npm start`,
    )
  if (code === 'EACCES')
    return new Error(`No permission to listen on port ${port}. Set ${variable} above 1023.`)
  if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND') {
    const host = variable === 'PORT' ? 'HOST' : 'METRICS_HOST'
    return new Error(`${host} is not an address of this machine. Set it to 127.0.0.1 or 0.0.0.0.`)
  }
  return error
}
