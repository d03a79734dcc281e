import { createServer, type RequestListener, type Server } from 'node:http'
import { type AddressInfo, createServer as createTcpServer } from 'node:net'
import { afterAll, expect, test } from 'vitest'
import { day, hour, minute, second, systemClock } from '../../src/base/clock.js'
import { judgeDeliveryAttempt } from '../../src/webhooks/deliveries/judge-attempt.js'
import { createSender, type DeliveryResult } from '../../src/webhooks/deliveries/send.js'

/** Misbehaving servers, each with the outcome that the webhook guide documents. */
const attemptTimeoutMs = 500
const sender = createSender({ clock: systemClock, allowsLoopback: true, attemptTimeoutMs })
const servers: { close(): unknown; closeAllConnections?(): void }[] = []
afterAll(() => {
  sender.close()
  for (const server of servers) {
    server.closeAllConnections?.()
    server.close()
  }
})

async function listen(server: Server | ReturnType<typeof createTcpServer>): Promise<string> {
  servers.push(server)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/hooks`
}

async function sendTo(listener: RequestListener): Promise<DeliveryResult> {
  const url = await listen(createServer(listener))
  return sender.send({ url, mode: 'test', headers: {}, body: '{"a":1}' })
}

async function sendToRaw(response: string): Promise<DeliveryResult> {
  const server = createTcpServer((socket) => {
    socket.on('error', () => {})
    socket.once('data', () => socket.end(response))
  })
  return sender.send({ url: await listen(server), mode: 'test', headers: {}, body: '{}' })
}

const now = new Date('2026-01-05T09:00:00.000Z')
const judge = (result: DeliveryResult, attemptsInSchedule = 1) =>
  judgeDeliveryAttempt(
    result,
    { isEnabled: true, mode: 'live', attemptsInSchedule },
    { now, chance: 0 },
  )

test('2xx is delivered, and the start of the response is stored', async () => {
  const result = await sendTo((_request, response) => response.writeHead(204).end())
  expect(result).toMatchObject({ status: 204, error: null, response: '' })
  expect(judge(result).state).toBe('DELIVERED')
})

test('a failure is retried by the schedule, then given up', async () => {
  const result = await sendTo((_request, response) => response.writeHead(500).end('broken'))
  expect(result).toMatchObject({ status: 500, response: 'broken' })
  const waits = [
    5 * second,
    5 * minute,
    30 * minute,
    2 * hour,
    5 * hour,
    10 * hour,
    14 * hour,
    20 * hour,
    day,
  ]
  for (const [index, wait] of waits.entries())
    expect(judge(result, index + 1)).toEqual({
      state: 'PENDING',
      dueAt: new Date(now.getTime() + wait),
      finishedAt: null,
    })
  expect(judge(result, 10).state).toBe('GIVEN_UP')
})

test('a receiver that hangs is cut off at the timeout', async () => {
  const result = await sendTo(() => {})
  expect(result).toMatchObject({
    status: null,
    error: expect.stringMatching(/no complete response/),
  })
  expect(judge(result).state).toBe('PENDING')
})

test('a receiver that trickles bytes gets no more time than a silent one', async () => {
  const drip = (start: string) => {
    const server = createTcpServer((socket) => {
      socket.on('error', () => {})
      socket.write(start)
      const timer = setInterval(() => socket.write('x'), 20)
      socket.on('close', () => clearInterval(timer))
    })
    return listen(server)
  }
  const head = 'HTTP/1.1 200 OK\r\ncontent-length: 100000\r\n\r\n'
  for (const url of [await drip('HTTP/1.1 200 OK\r\nx-slow: '), await drip(head)]) {
    const result = await sender.send({ url, mode: 'test', headers: {}, body: '{}' })
    expect(result).toMatchObject({
      status: null,
      error: expect.stringMatching(/no complete response/),
    })
  }
})

test('a redirect is a failure and is never followed', async () => {
  let wasFollowed = false
  const target = await listen(
    createServer((_request, response) => {
      wasFollowed = true
      response.end()
    }),
  )
  for (const status of [301, 302, 303, 307, 308]) {
    const result = await sendTo((_request, response) =>
      response.writeHead(status, { location: target }).end(),
    )
    expect(result.status).toBe(status)
    expect(judge(result).state).toBe('PENDING')
  }
  expect(wasFollowed).toBe(false)
})

test('a response of a gigabyte is cut to 4 kB and its connection closed', async () => {
  let written = 0
  const result = await sendTo((_request, response) => {
    response.writeHead(200, { 'content-length': String(2 ** 30) })
    const chunk = Buffer.alloc(64 * 1024, 'y')
    const more = () => {
      while (!response.destroyed && response.write(chunk)) written += chunk.length
    }
    response.on('drain', more)
    more()
  })
  expect(result).toMatchObject({ status: 200, response: 'y'.repeat(4096) })
  expect(written).toBeLessThan(2 ** 26)
})

test('a response in multi-byte characters is cut within its limit', async () => {
  const result = await sendTo((_request, response) => response.end('₦\0'.repeat(3_000)))
  expect(Buffer.byteLength(result.response)).toBeLessThanOrEqual(4096)
  expect(result.response).not.toContain('\0')
})

test('a connection that closes half-way is a failure', async () => {
  const half = await sendToRaw('HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nhal')
  expect(half).toMatchObject({ status: null })
  const none = await sendToRaw('HTTP/1.1 200 OK\r\ncontent-le')
  expect(none).toMatchObject({ status: null })
  expect(judge(none).state).toBe('PENDING')
})

test('a response that is not HTTP is a failure', async () => {
  expect(await sendToRaw('\x16\x03\x01 hello')).toMatchObject({ status: null })
})

test('410 gives up at once', async () => {
  const result = await sendTo((_request, response) => response.writeHead(410).end())
  expect(judge(result).state).toBe('GIVEN_UP')
})

test('Retry-After is obeyed within bounds', async () => {
  const respondWith = (status: number, header: string) =>
    sendTo((_request, response) => response.writeHead(status, { 'retry-after': header }).end())
  const dueAfter = async (status: number, header: string) =>
    judge(await respondWith(status, header)).dueAt.getTime() - now.getTime()

  expect(await dueAfter(429, '120')).toBe(2 * minute)
  expect(await dueAfter(503, '120')).toBe(2 * minute)
  // Never sooner than the schedule, never later than a day, and only for 429 and 503.
  expect(await dueAfter(429, '1')).toBe(5 * second)
  expect(await dueAfter(429, '99999999')).toBe(day)
  expect(await dueAfter(500, '120')).toBe(5 * second)
  expect(await dueAfter(429, 'soon')).toBe(5 * second)
  expect(await dueAfter(429, 'Thu, 01 Jan 1970 00:00:00 GMT')).toBe(5 * second)
})

test('a refused connection is a failure', async () => {
  const server = createTcpServer()
  const url = await listen(server)
  await new Promise((resolve) => server.close(resolve))
  const result = await sender.send({ url, mode: 'test', headers: {}, body: '{}' })
  expect(result).toMatchObject({ status: null, error: 'the connection was refused' })
})
