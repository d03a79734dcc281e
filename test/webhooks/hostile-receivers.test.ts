import { createServer, type RequestListener, type Server } from 'node:http'
import { type AddressInfo, createServer as createTcpServer } from 'node:net'
import { afterAll, expect, test } from 'vitest'
import { day, hour, minute, second, systemClock } from '../../src/base/clock.js'
import { judgeDeliveryAttempt } from '../../src/webhooks/judge-attempt.js'
import { createSender, type DeliveryResult } from '../../src/webhooks/send.js'

/** Servers that behave as badly as they can, each with the outcome that the guide promises. */
const attemptMs = 500
const sender = createSender({ clock: systemClock, allowsLoopback: true, attemptMs })
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

async function sendToRaw(answer: string): Promise<DeliveryResult> {
  const server = createTcpServer((socket) => {
    socket.on('error', () => {})
    socket.once('data', () => socket.end(answer))
  })
  return sender.send({ url: await listen(server), mode: 'test', headers: {}, body: '{}' })
}

const now = new Date('2026-01-05T09:00:00.000Z')
const judge = (sent: DeliveryResult, tries = 1) =>
  judgeDeliveryAttempt(sent, { now, mode: 'live', tries, chance: 0 })

test('2xx is delivered, with the start of the answer kept', async () => {
  const sent = await sendTo((_request, response) => response.writeHead(204).end())
  expect(sent).toMatchObject({ status: 204, error: null, response: '' })
  expect(judge(sent).state).toBe('DELIVERED')
})

test('a failure is tried again by the schedule, then given up', async () => {
  const sent = await sendTo((_request, response) => response.writeHead(500).end('broken'))
  expect(sent).toMatchObject({ status: 500, response: 'broken' })
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
    expect(judge(sent, index + 1)).toEqual({
      state: 'PENDING',
      dueAt: new Date(now.getTime() + wait),
      finishedAt: null,
    })
  expect(judge(sent, 10).state).toBe('GIVEN_UP')
})

test('a receiver that hangs has its time and no more', async () => {
  const sent = await sendTo(() => {})
  expect(sent).toMatchObject({ status: null, error: expect.stringMatching(/no whole answer/) })
  expect(judge(sent).state).toBe('PENDING')
})

test('a receiver that drips bytes has no more time than one that is silent', async () => {
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
    const sent = await sender.send({ url, mode: 'test', headers: {}, body: '{}' })
    expect(sent).toMatchObject({ status: null, error: expect.stringMatching(/no whole answer/) })
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
    const sent = await sendTo((_request, response) =>
      response.writeHead(status, { location: target }).end(),
    )
    expect(sent.status).toBe(status)
    expect(judge(sent).state).toBe('PENDING')
  }
  expect(wasFollowed).toBe(false)
})

test('an answer of a gigabyte is cut to 4 kB and its connection closed', async () => {
  let written = 0
  const sent = await sendTo((_request, response) => {
    response.writeHead(200, { 'content-length': String(2 ** 30) })
    const chunk = Buffer.alloc(64 * 1024, 'y')
    const more = () => {
      while (!response.destroyed && response.write(chunk)) written += chunk.length
    }
    response.on('drain', more)
    more()
  })
  expect(sent).toMatchObject({ status: 200, response: 'y'.repeat(4096) })
  expect(written).toBeLessThan(2 ** 26)
})

test('an answer in many-byte characters is cut within its limit', async () => {
  const sent = await sendTo((_request, response) => response.end('₦\0'.repeat(3_000)))
  expect(Buffer.byteLength(sent.response)).toBeLessThanOrEqual(4096)
  expect(sent.response).not.toContain('\0')
})

test('a connection that closes half-way is a failure', async () => {
  const half = await sendToRaw('HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nhal')
  expect(half).toMatchObject({ status: null })
  const none = await sendToRaw('HTTP/1.1 200 OK\r\ncontent-le')
  expect(none).toMatchObject({ status: null })
  expect(judge(none).state).toBe('PENDING')
})

test('nonsense instead of HTTP is a failure', async () => {
  expect(await sendToRaw('\x16\x03\x01 hello')).toMatchObject({ status: null })
})

test('410 gives up at once', async () => {
  const sent = await sendTo((_request, response) => response.writeHead(410).end())
  expect(judge(sent).state).toBe('GIVEN_UP')
})

test('Retry-After is obeyed within bounds', async () => {
  const asking = (status: number, header: string) =>
    sendTo((_request, response) => response.writeHead(status, { 'retry-after': header }).end())
  const dueAfter = async (status: number, header: string) =>
    judge(await asking(status, header)).dueAt.getTime() - now.getTime()

  expect(await dueAfter(429, '120')).toBe(2 * minute)
  expect(await dueAfter(503, '120')).toBe(2 * minute)
  // Never sooner than the schedule, never later than a day, and only where it means something.
  expect(await dueAfter(429, '1')).toBe(5 * second)
  expect(await dueAfter(429, '99999999')).toBe(day)
  expect(await dueAfter(500, '120')).toBe(5 * second)
  expect(await dueAfter(429, 'soon')).toBe(5 * second)
  expect(await dueAfter(429, 'Thu, 01 Jan 1970 00:00:00 GMT')).toBe(5 * second)
})

test('nobody listening is a failure', async () => {
  const server = createTcpServer()
  const url = await listen(server)
  await new Promise((resolve) => server.close(resolve))
  const sent = await sender.send({ url, mode: 'test', headers: {}, body: '{}' })
  expect(sent).toMatchObject({ status: null, error: 'the connection was refused' })
})
