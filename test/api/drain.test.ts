import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { once } from 'node:events'
import { type AddressInfo, connect, createServer as createNetServer, type Socket } from 'node:net'
import { networkInterfaces } from 'node:os'
import { describe, expect, test } from 'vitest'
import { createLogger } from '../../src/base/log.js'
import { Secret } from '../../src/base/secret.js'
import type { Database } from '../../src/postgres/database.js'
import { sql } from '../../src/postgres/sql.js'
import { serve } from '../../src/processes/serve.js'
import {
  noChains,
  onlySandbox,
  openManilla,
  readReply,
  standardNaira,
  standardRetention,
  type TestService,
  whenDone,
} from '../support/open-manilla.js'
import { until } from '../support/sessions.js'

const fund = '/v1/test/balances/fund'

/** Blocks movements of money until opened, without a lock, so that no lock timeout fires. */
async function closeGate(
  db: Database,
): Promise<{ untilBusy(): Promise<void>; open(): Promise<void> }> {
  const statements = [
    'create table gate (is_open boolean)',
    'insert into gate values (false)',
    `create function pass_gate() returns trigger language plpgsql as $$
     begin
       while not (select is_open from gate) loop perform pg_sleep(0.005); end loop;
       return null;
     end $$`,
    `create trigger gate after insert on ledger_transfers
     for each statement execute function pass_gate()`,
  ]
  for (const text of statements) await db.rows({ text, values: [] })
  return {
    untilBusy: () =>
      until(async () => {
        const rows = await db.rows(sql`
          select 1 from pg_stat_activity
          where datname = current_database() and wait_event = 'PgSleep'`)
        return rows.length > 0
      }),
    async open() {
      await db.rows(sql`update gate set is_open = true`)
    },
  }
}

/** A client with a keep-alive connection. */
function hold(port: number) {
  const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true })
  let text = ''
  socket.on('data', (chunk) => {
    text += chunk
  })
  socket.on('error', () => {})
  whenDone(() => socket.destroy())
  const ended = new Promise<void>((resolve) => {
    socket.on('end', resolve).on('close', resolve)
  })
  return { socket, ended, text: () => text }
}

function funding(key: string): string {
  const body = '{"asset":"NGN","amount":5}'
  const head = `POST ${fund} HTTP/1.1\r\nHost: manilla\r\nAuthorization: Bearer ${key}\r\n`
  const type = 'Content-Type: application/json\r\n'
  return `${head}${type}Content-Length: ${body.length}\r\n\r\n${body}`
}

/** Counts requests that reach a server of this process. */
function countRequests(): () => number {
  let count = 0
  const onStart = () => {
    count += 1
  }
  subscribe('http.server.request.start', onStart)
  whenDone(() => {
    unsubscribe('http.server.request.start', onStart)
  })
  return () => count
}

const countListeners = () =>
  process.getActiveResourcesInfo().filter((name) => name === 'TCPServerWrap').length

/** What happens to a new connection. */
function knock(port: number): Promise<string | undefined> {
  return new Promise((resolve) => {
    const socket: Socket = connect({ port, host: '127.0.0.1' })
    socket
      .on('connect', () => resolve('let in'))
      .on('error', (error) => {
        resolve((error as NodeJS.ErrnoException).code)
      })
    socket.on('connect', () => socket.destroy())
  })
}

const isClosing = (service: TestService) =>
  until(async () => (await knock(service.port)) === 'ECONNREFUSED')

describe('while it closes', () => {
  // A request that moves money is running on a keep-alive connection. It is answered, the next request
  // on it learns that the server is closing, and new connections are refused.
  test('running requests are answered, readiness fails, and new ones are refused', async () => {
    const service = await openManilla()
    const gate = await closeGate(service.db)
    const client = hold(service.port)
    client.socket.write(funding(service.merchant.test.secret))
    await gate.untilBusy()
    const closing = service.close()
    const requests = countRequests()
    client.socket.write('GET /readyz HTTP/1.1\r\nHost: manilla\r\n\r\n')
    await until(() => requests() > 0)
    await isClosing(service)
    await gate.open()
    await closing
    await client.ended

    const [first, second] = client.text().split(/(?=HTTP\/1\.1 503)/)
    expect(readReply(first!)).toMatchObject({ status: 201, json: { message: 'Balance funded' } })
    const ready = readReply(second!)
    expect(ready.status).toBe(503)
    expect(ready.headers.get('connection')).toBe('close')
    expect(ready.json).toMatchObject({
      status: false,
      message: 'Shutting down',
      code: 'internal_error',
      reason: 'unavailable',
      requestId: ready.headers.get('x-request-id'),
    })
    const [row] = await service.db.rows(sql`select sum(amount)::int as sum from ledger_transfers`)
    expect(row).toEqual({ sum: 5 })
  })

  // Two fundings sent at once on one connection are both under way before the close begins.
  test('pipelined requests are all answered', async () => {
    const service = await openManilla()
    const gate = await closeGate(service.db)
    const client = hold(service.port)
    const one = funding(service.merchant.test.secret)
    client.socket.write(one + one + one)
    await gate.untilBusy()
    const closing = service.close()
    await isClosing(service)
    await gate.open()
    await closing
    await client.ended
    expect(client.text().match(/HTTP\/1\.1 201 Created/g)).toHaveLength(3)
  })

  test('the last answer closes its connection', async () => {
    const service = await openManilla()
    const gate = await closeGate(service.db)
    const clients = Array.from({ length: 10 }, () => hold(service.port))
    for (const { socket } of clients) socket.write(funding(service.merchant.test.secret))
    await gate.untilBusy()
    const closing = service.close()
    await isClosing(service)
    await gate.open()
    await closing
    for (const client of clients) {
      await client.ended
      const reply = readReply(client.text())
      expect([reply.status, reply.headers.get('connection')]).toEqual([201, 'close'])
    }
  })

  test('idle connections are closed', async () => {
    const service = await openManilla()
    const client = hold(service.port)
    client.socket.write('GET /readyz HTTP/1.1\r\nHost: manilla\r\n\r\n')
    await until(() => client.text().includes('Ready'))
    expect(client.text()).toMatch(/connection: keep-alive/i)
    await service.close()
    await client.ended
  })

  // One client sends garbage and keeps the connection open, one sends half a request, one sends
  // nothing.
  test('clients that never finish do not delay the close', async () => {
    const service = await openManilla()
    const [nonsense, half, silent] = [hold(service.port), hold(service.port), hold(service.port)]
    nonsense.socket.write('nonsense\r\n\r\n')
    half.socket.write(funding(service.merchant.test.secret).slice(0, -5))
    await nonsense.ended
    await until(async () => {
      const open = await new Promise((resolve) => {
        service.app.server.getConnections((_error, count) => resolve(count))
      })
      return Number(open) >= 2
    })
    await service.close()
    await Promise.all([half.ended, silent.ended])
    expect(readReply(nonsense.text()).status).toBe(400)
  })

  test('closing twice is harmless', async () => {
    const service = await openManilla()
    await Promise.all([service.close(), service.close()])
  })
})

describe('metrics', async () => {
  const service = await openManilla()
  const configOf = (port: number) => ({
    host: '127.0.0.1',
    port,
    apiProcesses: 1,
    metricsPort: 0,
    workPort: 0,
    home: '/nowhere',
    databaseUrl: undefined,
    secret: service.secret,
    publicUrl: undefined,
    consoleUrl: undefined,
    trustProxy: false,
    logLevel: 'silent',
    rateLimitPerSecond: 0,
    publicRateLimitPerSecond: 0,
    requestLogDays: 30,
    eventDays: 396,
    retention: standardRetention,
    naira: standardNaira,
    allowsLoopbackWebhooks: true,
    ...onlySandbox,
    solana: noChains,
  })

  const served = await serve(
    { ...configOf(0), host: '0.0.0.0', databaseUrl: new Secret(service.db.url) },
    service.db.url,
    { logger: createLogger('silent') },
  )
  const base = `http://127.0.0.1:${new URL(served.url).port}`
  const headers = { authorization: `Bearer ${service.merchant.test.secret}` }

  test('count answers by route and status, never by path', async () => {
    for (const path of ['/v1/balances', '/v1/balances', '/v1/settings', '/v1/secret-path/42'])
      await fetch(base + path, { headers })
    await fetch(`${base}/v1/balances`)
    await fetch(base + fund, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json' },
      body: '{"asset":"NGN","amount":5}',
    })
    const response = await fetch(served.metricsUrl)
    expect(response.headers.get('content-type')).toMatch(/^text\/plain/)
    const text = await response.text()
    const count = (labels: string) => {
      const line = text.split('\n').find((one) => one.includes(`_requests_total{${labels}}`))
      return Number(line?.split(' ').at(-1))
    }
    expect(count('method="GET",route="/v1/balances",status="200"')).toBe(2)
    expect(count('method="GET",route="/v1/balances",status="401"')).toBe(1)
    expect(count('method="GET",route="/v1/settings",status="200"')).toBe(1)
    expect(count('method="GET",route="unknown",status="404"')).toBe(1)
    expect(count(`method="POST",route="${fund}",status="201"`)).toBe(1)
    expect(text).toContain('manilla_http_request_seconds_bucket{le="0.005"')
    expect(text).toContain('manilla_lane_events{lane="fund_test",event="calls"} 1')
    expect(text).toContain('manilla_request_logs_dropped_total 0')
    expect(text).not.toContain('secret-path')
  })

  test('have their own loopback port, whatever the API listens on', async () => {
    expect((await fetch(`${base}/metrics`, { headers })).status).toBe(404)
    expect((await fetch(served.metricsUrl.replace('/metrics', '/'))).status).toBe(404)
    expect(new URL(served.metricsUrl).hostname).toBe('127.0.0.1')
    const addresses = Object.values(networkInterfaces()).flatMap((list) => list ?? [])
    const outside = addresses.find(({ internal, family }) => !internal && family === 'IPv4')
    if (!outside) return
    const from = (url: string) => fetch(url.replace('127.0.0.1', outside.address))
    expect((await from(`${base}/healthz`)).status).toBe(200)
    await expect(from(served.metricsUrl)).rejects.toThrow('fetch failed')
  })

  test('end with the service', async () => {
    await served.close()
    await expect(fetch(served.metricsUrl)).rejects.toThrow('fetch failed')
    await expect(fetch(`${base}/healthz`)).rejects.toThrow('fetch failed')
  })

  test('a port in use is named, and nothing keeps listening', async () => {
    const taken = service.port
    const config = configOf(taken)
    const logger = createLogger('silent')
    const before = countListeners()
    const serving = serve(config, service.db.url, { logger })
    await expect(serving).rejects.toThrow(`Port ${taken} is in use. Choose another: PORT=`)
    const metrics = serve({ ...config, port: 0, metricsPort: taken }, service.db.url, { logger })
    await expect(metrics).rejects.toThrow(`Port ${taken} is in use. Choose another: METRICS_PORT=`)
    await until(() => countListeners() === before)
  })

  // Two services on one machine, neither with a configured metrics port.
  test('metrics use a free port if the default one is in use', async () => {
    const beside = createNetServer().listen(0, '127.0.0.1')
    await once(beside, 'listening')
    const port = (beside.address() as AddressInfo).port - 1_000
    const config = { ...configOf(port), metricsPort: undefined }
    const second = await serve(config, service.db.url, { logger: createLogger('silent') })
    expect((await fetch(second.metricsUrl)).status).toBe(200)
    await second.close()
    beside.close()
  })
})
