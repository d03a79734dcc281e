import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { whenDone } from './open-manilla.js'

export type Received = { path: string; headers: Record<string, string>; body: string }

/** A webhook receiver that records requests and answers as configured. */
export async function openReceiver(
  answer: (response: ServerResponse, received: Received) => void = (response) => response.end('ok'),
) {
  const received: Received[] = []
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const body = Buffer.concat(chunks).toString()
    const one = { path: request.url!, headers: plain(request.headers), body }
    received.push(one)
    answer(response, one)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  whenDone(() => {
    server.close()
    server.closeAllConnections()
  })
  return { received, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }
}

function plain(headers: IncomingHttpHeaders): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, `${value}`]))
}
