import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'

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
