import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders, request, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import type { Keeper } from './passage.js'

export type GatedCall = { method: string; path: string; body: Buffer }

export type HttpGate = {
  /** The server, as the instance reaches it. */
  url: string
  kill(): void
}

type Answer = { status: number; headers: IncomingHttpHeaders; body: Buffer }

/**
 * A proxy between an instance and a bank, a chain or a webhook receiver. `nameOf` names the call;
 * undefined: it has no effect there, so it is not a passage.
 */
export async function openHttpGate(
  target: string,
  keeper: Keeper,
  nameOf: (call: GatedCall) => string | undefined,
): Promise<HttpGate> {
  const { origin, pathname } = new URL(target)
  const server = createServer(async (incoming, outgoing) => {
    const { headers } = incoming
    const call = { method: incoming.method!, path: incoming.url!, body: await buffer(incoming) }
    const name = nameOf(call)
    const passage = name === undefined ? undefined : { kind: 'call' as const, name }
    const entry = passage ? await keeper.enter(passage) : 'pass'
    if (entry === 'fail') return leaveUnanswered(call, outgoing)
    const answer = await forward(origin, call, headers)
    if (entry === 'repeat') await forward(origin, call, headers)
    const exit = passage ? await keeper.leave(passage) : 'pass'
    if (exit === 'lose' || !answer) return leaveUnanswered(call, outgoing)
    const { 'transfer-encoding': _, connection: __, ...kept } = answer.headers
    outgoing.writeHead(answer.status, kept)
    return outgoing.end(answer.body)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}${pathname === '/' ? '' : pathname}`,
    kill() {
      server.close()
      server.closeAllConnections()
    },
  }
}

/** A query whose connection is closed may be made again at once. One that a proxy gave up is not. */
function leaveUnanswered({ method }: GatedCall, outgoing: ServerResponse): void {
  if (method === 'GET') outgoing.writeHead(502).end()
  else outgoing.destroy()
}

/** Undefined: the server closed the connection, and so does the gate. */
async function forward(
  origin: string,
  { method, path, body }: GatedCall,
  headers: IncomingHttpHeaders,
): Promise<Answer | undefined> {
  const sent = request(origin + path, { method, headers, agent: false })
  sent.end(body)
  try {
    const [response] = await once(sent, 'response')
    return { status: response.statusCode, headers: response.headers, body: await buffer(response) }
  } catch {
    return undefined
  }
}
