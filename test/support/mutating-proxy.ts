import { once } from 'node:events'
import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { whenDone } from './open-manilla.js'

export type ProxiedCall = { method: string; path: string }
export type ProxiedAnswer = { status: number; body: string }

/** What the proxy answers instead of the server. */
export type Mutate = (call: ProxiedCall, answer: ProxiedAnswer) => ProxiedAnswer

/** An HTTP proxy in front of a server. It passes answers on, or changes them on request. */
export async function openMutatingProxy(target: string) {
  const { origin, pathname } = new URL(target)
  let mutate: Mutate | undefined
  const server = createServer(async (incoming, outgoing) => {
    const call = { method: incoming.method!, path: incoming.url! }
    const sent = request(origin + call.path, { method: call.method, headers: incoming.headers })
    // What the server closes is closed here, too.
    sent.on('error', () => outgoing.destroy()).end(await buffer(incoming))
    const [response] = await once(sent, 'response').catch(() => [])
    if (!response) return
    const body = (await buffer(response)).toString()
    const answer = { status: response.statusCode as number, body }
    const shown = mutate ? mutate(call, answer) : answer
    outgoing.writeHead(shown.status, { 'content-type': 'application/json' })
    outgoing.end(shown.status === 204 ? undefined : shown.body)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  whenDone(() => {
    server.close()
    server.closeAllConnections()
  })
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}${pathname === '/' ? '' : pathname}`,
    /** Undefined: answers are passed on unchanged. */
    mutateWith(next: Mutate | undefined): void {
      mutate = next
    },
  }
}

export type MutatingProxy = Awaited<ReturnType<typeof openMutatingProxy>>
