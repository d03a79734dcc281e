import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { onTestFinished } from 'vitest'
import type { Rpc } from '../simulation/localnet/localnet.js'

/**
 * One URL in front of several chains, as a provider that fails over: each request goes as it is to
 * the node that the proxy is switched to, which may depend on the methods called. Ends with the
 * test.
 */
export async function openSwitchingProxy(first: Rpc) {
  let choose: (methods: string[]) => Rpc = () => first
  const counts = { requests: 0, calls: 0, bytes: 0 }

  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const body = Buffer.concat(chunks).toString()
    const calls = [JSON.parse(body)].flat() as { method: string }[]
    const answer = await fetch(choose(calls.map(({ method }) => method)).url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body,
    })
    const text = await answer.text()
    counts.requests += 1
    counts.calls += calls.length
    counts.bytes += body.length + text.length
    response.writeHead(answer.status, { 'content-type': 'application/json' }).end(text)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.close()
    server.closeAllConnections()
  })
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`

  return {
    url: `http://${host}`,
    host,
    counts,
    switchTo(chain: Rpc) {
      choose = () => chain
    },
    /** A URL whose requests go to different chains, by what they ask. */
    switchBy(next: (methods: string[]) => Rpc) {
      choose = next
    },
  }
}

export type SwitchingProxy = Awaited<ReturnType<typeof openSwitchingProxy>>
