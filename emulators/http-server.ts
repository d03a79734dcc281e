import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Faults, takeFault } from './faults.js'
import { Fields } from './fields.js'

export type ProviderRequest = {
  path: string
  /** The variable segment of the path, decoded; empty if the route has none. */
  segment: string
  query: URLSearchParams
  headers: IncomingMessage['headers']
  /** Raw text; JSON for all providers. */
  body: string
  fields: Fields
}

/** `body` is sent as it is, so that a provider's odd number formats can be written exactly. */
export type ProviderAnswer = { status: number; body: string } | 'lost'

type Handle = (request: ProviderRequest) => Promise<ProviderAnswer> | ProviderAnswer

/** By method and path, such as `GET /transfers/:reference`. `:id` stands for digits only. */
export type ProviderRoutes = Record<string, Handle>

/** An answer in JSON. */
export function json(status: number, body: object): ProviderAnswer {
  return { status, body: JSON.stringify(body) }
}

export type ProviderServer = { url: string; close(): Promise<void> }

type Serving = {
  port: number
  faults: Faults
  /** The first that matches answers. */
  routes: ProviderRoutes
  /** Refuses a request that has a route. Undefined: it is allowed. */
  refuse?: (request: ProviderRequest) => ProviderAnswer | undefined
  /** The answer to a path without a route. */
  notFound: ProviderAnswer
}

/** Serves routes on loopback, with the faults that concern every call. */
export async function serveProvider(serving: Serving): Promise<ProviderServer> {
  const routes = Object.entries(serving.routes).map(([line, handle]) => {
    const pattern = line.replace(/:id\b/, '(\\d+)').replace(/:\w+/, '([^/]+)')
    return { pattern: new RegExp(`^${pattern}$`), handle }
  })
  const server = createServer((incoming, outgoing) => {
    answer(serving, routes, { incoming, outgoing }).catch(() => outgoing.destroy())
  })
  server.listen(serving.port, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return { url: `http://127.0.0.1:${port}`, close: () => closeServer(server, serving.faults) }
}

async function answer(
  { faults, refuse, notFound }: Serving,
  routes: { pattern: RegExp; handle: Handle }[],
  { incoming, outgoing }: { incoming: IncomingMessage; outgoing: ServerResponse },
): Promise<void> {
  const chunks: Buffer[] = []
  for await (const chunk of incoming) chunks.push(chunk as Buffer)
  if (faults.down === 'refused') return void outgoing.destroy()
  if (faults.down === 'silent') return
  const { pathname: path, searchParams: query } = new URL(incoming.url ?? '/', 'http://provider')
  const line = `${incoming.method} ${path}`
  const isRefundQuery = /^GET .*\/refunds?(\/|$)/.test(line)
  const isUnavailable =
    faults.down === 'unavailable' || (isRefundQuery && takeFault(faults, 'failedRefundQueries'))
  if (isUnavailable) return send(outgoing, { status: 503, body: 'unavailable' })
  const route = routes.find(({ pattern }) => pattern.test(line))
  const body = Buffer.concat(chunks).toString('utf8')
  const request = {
    path,
    segment: decodeURIComponent(route?.pattern.exec(line)?.[1] ?? ''),
    query,
    headers: incoming.headers,
    body,
    fields: Fields.parse(body),
  }
  const made = route ? (refuse?.(request) ?? (await route.handle(request))) : notFound
  if (faults.delayMs > 0) await sleep(faults.delayMs)
  if (made === 'lost') return void outgoing.destroy()
  send(outgoing, made)
}

function send(outgoing: ServerResponse, { status, body }: Exclude<ProviderAnswer, 'lost'>): void {
  const type = body.startsWith('{') || body.startsWith('[') ? 'application/json' : 'text/html'
  outgoing.writeHead(status, { 'content-type': type }).end(body)
}

async function closeServer(server: Server, faults: Faults): Promise<void> {
  faults.delayMs = 0
  server.closeAllConnections()
  server.close()
  await once(server, 'close')
}
