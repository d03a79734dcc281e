/**
 * GET public checkout, which every open page polls, beside a bare route that returns the same bytes
 * without a database.
 */
import { startMeter } from './cpu.mjs'

const order = {
  amount: 1_250_000,
  description: 'Two loaves of agege bread',
  customer: { name: 'Ada Obi', email: 'ada@example.com' },
}

export async function benchCheckout({ startHelper, load, record, key, pidFile }, plan) {
  const { rounds, connections, runMs, warmMs } = plan
  for (let round = 1; round <= rounds; round += 1) {
    const server = await startHelper('./server.mjs', ['lanes'])
    const path = `/public/checkout/${await create(server, key)}`
    const asked = { key, connections, runMs, warmMs, method: 'GET', path }
    const body = await (await fetch(`http://127.0.0.1:${server.port}${path}`)).text()
    await measure('HTTP GET /public/checkout', server, asked)
    const bare = await startHelper('./bare.mjs', [body])
    await measure('HTTP GET of the same bytes, bare', bare, asked)
  }

  async function measure(name, server, asked) {
    const meter = await startMeter({ server, pidFile })
    const result = await load({ ...asked, port: server.port })
    record(name, { ...result, used: await meter.read(result) })
    await server.stop()
  }
}

async function create({ port }, key) {
  const response = await fetch(`http://127.0.0.1:${port}/v1/checkout/sessions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify(order),
  })
  const { data } = await response.json()
  return data.reference
}
