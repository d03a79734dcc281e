import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { localnetLimits } from '../limits.js'
import { writeJson } from '../rpc/answer.js'
import { answer } from '../rpc/dispatch.js'
import { RateLimited } from '../rpc/failure.js'
import type { LocalnetNetwork } from './network.js'
import type { Node } from './node.js'
import { serveSubscriptions } from './subscriptions.js'

export type Listener = {
  node: Node
  port: number
  url: string
  wsUrl: string
  close(): Promise<void>
}

const host = '127.0.0.1'

/**
 * Serves JSON-RPC over HTTP on a port and subscriptions over WebSocket on the next one, where
 * Solana clients expect them. Port 0 finds a free pair.
 */
export async function listenForRpc(
  network: LocalnetNetwork,
  node: Node,
  port: number,
): Promise<Listener> {
  for (let attempts = 1; ; attempts++) {
    const server = createServer((request, response) => serve(network, node, request, response))
    server.keepAliveTimeout = localnetLimits.keepAliveMs
    const chosen = await listenOn(server, port)
    try {
      const subscriptions = await serveSubscriptions(node, host, chosen + 1)
      const close = async () => {
        await subscriptions.close()
        await closeServer(server)
      }
      const at = `${host}:${chosen}`
      const wsUrl = `ws://${host}:${chosen + 1}`
      return { node, port: chosen, url: `http://${at}`, wsUrl, close }
    } catch (error) {
      await closeServer(server)
      const isTaken = (error as NodeJS.ErrnoException).code === 'EADDRINUSE'
      if (!isTaken || port !== 0 || attempts >= localnetLimits.portAttemptsMax) throw error
    }
  }
}

function listenOn(server: Server, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, host, () => resolve((server.address() as AddressInfo).port))
  })
}

function closeServer(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve())
    server.closeAllConnections()
  })
}

/** Errors outside of calls, such as a full disk, are not caught: they must end the process. */
async function serve(
  network: LocalnetNetwork,
  node: Node,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  if (request.method === 'GET' && request.url === '/health') return reply(response, 200, 'ok')
  if (request.method !== 'POST') return reply(response, 405, 'Used HTTP Method is not allowed.')
  // A web page may post plain text to any host, but needs a CORS preflight for JSON.
  if (!request.headers['content-type']?.includes('application/json'))
    return reply(response, 415, 'Supplied content type is not allowed.')
  const body = await readBody(request)
  if (body === undefined) return reply(response, 413, 'Request body is too large.')
  try {
    reply(response, 200, writeJson(await answer(network, node, body)), 'application/json')
  } catch (error) {
    if (!(error instanceof RateLimited)) throw error
    reply(response, 429, 'Too many requests for a specific RPC call')
  }
}

/** Undefined if it is too large. An aborted request never resolves and needs no response. */
function readBody(request: IncomingMessage): Promise<string | undefined> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = []
    let size = 0
    request.on('data', (chunk: Buffer) => {
      size += chunk.length
      if (size > localnetLimits.bodyBytes) resolve(undefined)
      else chunks.push(chunk)
    })
    request.on('end', () => resolve(Buffer.concat(chunks).toString()))
    request.on('error', () => undefined)
  })
}

function reply(response: ServerResponse, status: number, text: string, type = 'text/plain'): void {
  response.writeHead(status, { 'content-type': type, 'content-length': Buffer.byteLength(text) })
  response.end(text)
}
