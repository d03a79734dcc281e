import { createServer } from 'node:http'

/** A merchant's webhook endpoint on loopback. Counts how often each event arrived, by its id. */
export async function startReceiver(site) {
  const received = new Map()
  const server = createServer((request, response) => {
    request.resume()
    request.on('end', () => {
      const id = request.headers['webhook-id']
      received.set(id, (received.get(id) ?? 0) + 1)
      response.end('ok')
    })
  })
  const port = await site.takePort()
  await new Promise((resolve) => server.listen(port, '127.0.0.1', resolve))
  return {
    received,
    url: `http://127.0.0.1:${port}/webhooks`,
    stop() {
      server.closeAllConnections()
      server.close()
    },
  }
}
