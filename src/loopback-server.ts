import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'

export type LoopbackPort = {
  /** Taken as it is, or refused when it is in use. */
  port: number | undefined
  /** Without a configured port: this one, or a free one when it is in use. */
  standardPort: number
}

/** Bound to loopback whatever HOST says: figures about a business are not for everyone. */
export async function listenOnLoopback(
  { port, standardPort }: LoopbackPort,
  answer: RequestListener,
): Promise<Server> {
  const server = createServer(answer)
  if (port !== undefined) return listen(server, port)
  const isUsable = standardPort > 0 && standardPort <= 65_535
  return listen(server, isUsable ? standardPort : 0).catch(() => listen(server, 0))
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
