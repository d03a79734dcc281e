import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Faults, takeFault } from './faults.js'

export type ProviderRequest = {
  method: string
  /** Path segments after the matched pattern's literals, decoded. */
  params: string[]
  query: URLSearchParams
  headers: IncomingMessage['headers']
  /** Raw text; JSON for all providers. */
  body: string
}

/** `body` is sent as it is, so that a provider's odd number formats can be written exactly. */
export type ProviderAnswer = { status: number; body: string } | 'lost'

export type ProviderRoute = {
  method: 'GET' | 'POST' | 'PUT' | 'DELETE'
  /** Matched against the whole path; groups become `params`. */
  pattern: RegExp
  handle(request: ProviderRequest): Promise<ProviderAnswer> | ProviderAnswer
}

export type ProviderServer = { url: string; close(): Promise<void> }

/** Serves routes on loopback, with the faults that concern every call. */
export async function serveProvider(given: {
  port: number
  faults: Faults
  routes: ProviderRoute[]
  /** Answers a path without a route. */
  notFound: (request: ProviderRequest) => ProviderAnswer
}): Promise<ProviderServer> {
  const { faults } = given
  const server = createServer((incoming, outgoing) => {
    answerOne(given, incoming, outgoing).catch(() => outgoing.destroy())
  })
  server.listen(given.port, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return { url: `http://127.0.0.1:${port}`, close: () => closeServer(server, faults) }
}

async function answerOne(
  { faults, routes, notFound }: Parameters<typeof serveProvider>[0],
  incoming: IncomingMessage,
  outgoing: ServerResponse,
): Promise<void> {
  const chunks: Buffer[] = []
  for await (const chunk of incoming) chunks.push(chunk as Buffer)
  if (faults.down === 'refused') return void outgoing.destroy()
  if (faults.down === 'silent') return
  if (faults.down === 'unavailable') return send(outgoing, { status: 503, body: 'unavailable' })
  const { pathname, searchParams } = new URL(incoming.url ?? '/', 'http://provider')
  const method = incoming.method ?? 'GET'
  const isRefundQuery = method === 'GET' && /\/refunds?(\/|$)/.test(pathname)
  if (isRefundQuery && takeFault(faults, 'failedRefundQueries'))
    return send(outgoing, { status: 503, body: 'unavailable' })
  const found = routes
    .filter((route) => route.method === method)
    .map((route) => ({ route, match: route.pattern.exec(pathname) }))
    .find(({ match }) => match !== null)
  const request = {
    method,
    params: (found?.match?.slice(1) ?? []).map(decodeURIComponent),
    query: searchParams,
    headers: incoming.headers,
    body: Buffer.concat(chunks).toString('utf8'),
  }
  const answer = found ? await found.route.handle(request) : notFound(request)
  if (faults.delayMs > 0) await sleep(faults.delayMs)
  if (answer === 'lost') return void outgoing.destroy()
  send(outgoing, answer)
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
