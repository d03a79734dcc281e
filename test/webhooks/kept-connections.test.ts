import { once } from 'node:events'
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net'
import { createServer as createTlsServer, type TLSSocket } from 'node:tls'
import { expect, onTestFinished, test } from 'vitest'
import { type Clock, systemClock } from '../../src/base/clock.js'
import { createSender } from '../../src/webhooks/deliveries/send.js'
import { webhookLimits } from '../../src/webhooks/limits.js'
import { certificate } from '../support/certificate.js'

type Answer = (socket: Socket, number: number) => void

const ok: Answer = (socket) => socket.write('HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok')
const say =
  (text: string): Answer =>
  (socket) =>
    socket.write(text)

/** A receiver of whole requests; `number` counts those of one connection from 1. */
async function openReceiver(answer: Answer, { isSecure = false } = {}) {
  const sockets: Socket[] = []
  const requests: string[] = []
  const handshakes: { isResumed: boolean; name: unknown }[] = []
  const accept = (socket: Socket) => {
    sockets.push(socket)
    if (isSecure) {
      const { servername: name } = socket as { servername?: string }
      handshakes.push({ isResumed: (socket as TLSSocket).isSessionReused(), name })
    }
    let text = ''
    let number = 0
    socket.on('error', () => {})
    socket.setEncoding('latin1')
    socket.on('data', (chunk) => {
      text += chunk
      const end = text.indexOf('\r\n\r\n') + 4
      const length = Number(/content-length: (\d+)/.exec(text)?.[1])
      if (end < 4 || text.length < end + length) return
      requests.push(text)
      text = text.slice(end + length)
      number += 1
      answer(socket, number)
    })
  }
  const server = isSecure ? createTlsServer(certificate, accept) : createServer(accept)
  server.on('tlsClientError', () => {})
  const port = await open(server, sockets)
  return { sockets, requests, handshakes, port, url: `http://127.0.0.1:${port}/hooks?a=1` }
}

async function open(server: Server, sockets: Socket[]): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.close()
    for (const socket of sockets) socket.destroy()
  })
  return (server.address() as AddressInfo).port
}

type SenderOptions = Partial<Parameters<typeof createSender>[0]>

function openSender(options: SenderOptions = {}) {
  const sender = createSender({ clock: systemClock, allowsLoopback: true, ...options })
  onTestFinished(() => sender.close())
  const post = (url: string, { mode = 'test' as 'test' | 'live', body = '{"₦":1}' } = {}) =>
    sender.send({ url, mode, headers: { 'webhook-id': 'evt_1' }, body })
  return { sender, post }
}

/** Every hostname resolves to the current address. */
function openNames(first: string) {
  const names = { address: first, lookups: 0 }
  const lookup: SenderOptions['lookup'] = (_name, options, callback) => {
    names.lookups += 1
    const { address } = names
    if (options.all) callback(null, [{ address, family: 4 }])
    else callback(null, address, 4)
  }
  return { names, lookup }
}

function movableClock(): Clock & { move(ms: number): void } {
  let movedMs = 0
  return {
    now: () => systemClock.now(),
    elapsedMs: () => systemClock.elapsedMs() + movedMs,
    move: (ms) => {
      movedMs += ms
    },
  }
}

test('requests in a row use one connection', async () => {
  const { url, sockets, requests } = await openReceiver(ok)
  const { post } = openSender()
  for (let count = 0; count < 20; count += 1)
    expect(await post(url)).toMatchObject({ status: 200, error: null, response: 'ok' })
  expect(sockets).toHaveLength(1)
  expect(new Set(requests)).toEqual(
    new Set([
      `POST /hooks?a=1 HTTP/1.1\r\nhost: ${new URL(url).host}\r\nconnection: keep-alive\r\n` +
        `webhook-id: evt_1\r\ncontent-length: 9\r\n\r\n${Buffer.from('{"₦":1}').toString('latin1')}`,
    ]),
  )
})

test('concurrent requests are never pipelined', async () => {
  const waiting: Socket[] = []
  const { url, sockets, requests } = await openReceiver((socket) => waiting.push(socket))
  const { post } = openSender()
  const results = Array.from({ length: 5 }, () => post(url))
  await expect.poll(() => waiting.length).toBe(5)
  expect(new Set(waiting).size).toBe(5)
  for (const socket of waiting) ok(socket, 1)
  expect((await Promise.all(results)).map(({ status }) => status)).toEqual(Array(5).fill(200))
  expect(sockets).toHaveLength(5)
  expect(requests).toHaveLength(5)
})

test.each([
  ['with a length', 'HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok', 1],
  ['in chunks', 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n', 1],
  [
    'after interim responses',
    'HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\n\r\nHTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok',
    1,
  ],
  ['that closes', 'HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-length: 2\r\n\r\nok', 3],
  ['of HTTP/1.0', 'HTTP/1.0 200 OK\r\ncontent-length: 2\r\n\r\nok', 3],
  ['with surplus bytes', 'HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok!', 3],
])('a response %s is read, and the connection kept or not', async (_name, text, connections) => {
  const { url, sockets } = await openReceiver(say(text))
  const { post } = openSender()
  for (let count = 0; count < 3; count += 1)
    expect(await post(url)).toMatchObject({ status: 200, response: 'ok' })
  expect(sockets).toHaveLength(connections)
})

test('a response without a length ends with the connection', async () => {
  const { url, sockets } = await openReceiver((socket) => socket.end('HTTP/1.1 200 OK\r\n\r\nok'))
  const { post } = openSender()
  for (let count = 0; count < 2; count += 1)
    expect(await post(url)).toMatchObject({ status: 200, response: 'ok' })
  expect(sockets).toHaveLength(2)
})

// The receiver answers the head and never reads the body.
test('a response before the end of the request counts, and its connection does not', async () => {
  const sockets: Socket[] = []
  const server = createServer((socket) => {
    sockets.push(socket)
    socket.on('error', () => {})
    socket.once('data', () => {
      socket.pause()
      socket.write('HTTP/1.1 413 Too Large\r\ncontent-length: 0\r\n\r\n')
    })
  })
  const url = `http://127.0.0.1:${await open(server, sockets)}/`
  const { post } = openSender()
  for (let count = 0; count < 2; count += 1)
    expect(await post(url, { body: 'x'.repeat(2 ** 24) })).toMatchObject({ status: 413 })
  expect(sockets).toHaveLength(2)
})

test('bytes that no request asked for end a kept connection', async () => {
  const { url, sockets } = await openReceiver(ok)
  const { post } = openSender()
  await post(url)
  const closed = once(sockets[0]!, 'close')
  sockets[0]!.write('HTTP/1.1 500 Surprise\r\ncontent-length: 0\r\n\r\n')
  await closed
  expect(await post(url)).toMatchObject({ status: 200 })
  expect(sockets).toHaveLength(2)
})

test.each(['destroy', 'resetAndDestroy', 'end'] as const)(
  'a kept connection that the receiver closes (%s) is replaced within the attempt',
  async (close) => {
    const { url, sockets, requests } = await openReceiver((socket, number) =>
      number === 1 ? ok(socket, 1) : socket[close](),
    )
    const { post } = openSender()
    for (let count = 1; count <= 4; count += 1)
      expect(await post(url)).toMatchObject({ status: 200, error: null })
    // Every kept connection is closed on its second request, which is then sent again.
    expect(sockets).toHaveLength(4)
    expect(requests).toHaveLength(7)
  },
)

test('a new connection that closes without a response is a failed attempt, sent once', async () => {
  const { url, requests } = await openReceiver((socket) => socket.destroy())
  const { post } = openSender()
  const closed = { status: null, error: 'the connection was closed before a response' }
  expect(await post(url)).toMatchObject(closed)
  expect(requests).toHaveLength(1)
})

test('a response that was begun on a kept connection and cut off is a failed attempt', async () => {
  const { url, requests } = await openReceiver((socket, number) =>
    number === 1 ? ok(socket, 1) : socket.end('HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\npart'),
  )
  const { post } = openSender()
  await post(url)
  expect(await post(url)).toMatchObject({ status: null, error: 'the response was cut off' })
  expect(requests).toHaveLength(2)
})

test('an old connection is not used again', async () => {
  const clock = movableClock()
  const { url, sockets } = await openReceiver(ok)
  const { post } = openSender({ clock })
  await post(url)
  clock.move(webhookLimits.connectionAgeMaxMs - 1_000)
  await post(url)
  expect(sockets).toHaveLength(1)
  clock.move(1_000)
  await post(url)
  expect(sockets).toHaveLength(2)
})

test('an unused connection is closed', async () => {
  const clock = movableClock()
  const { url, sockets } = await openReceiver(ok)
  const { post } = openSender({ clock })
  await post(url)
  const closed = once(sockets[0]!, 'close')
  clock.move(webhookLimits.idleConnectionMs)
  await closed
  expect(await post(url)).toMatchObject({ status: 200 })
  expect(sockets).toHaveLength(2)
})

test('a hostname is resolved and checked again when its kept connection is old', async () => {
  const clock = movableClock()
  const { names, lookup } = openNames('127.0.0.1')
  const { port, sockets, requests } = await openReceiver(ok)
  const { post } = openSender({ clock, lookup })
  const url = `http://receiver.example:${port}/`
  await post(url)
  await post(url)
  expect(names.lookups).toBe(1)
  names.address = '10.0.0.7'
  clock.move(webhookLimits.connectionAgeMaxMs)
  const refused = { status: null, error: 'the address is not public' }
  expect(await post(url)).toMatchObject(refused)
  expect(names.lookups).toBe(2)
  expect(sockets).toHaveLength(1)
  expect(requests).toHaveLength(2)
})

test('a connection of test mode never carries a request of live mode', async () => {
  const { names, lookup } = openNames('127.0.0.1')
  const { port, requests } = await openReceiver(ok, { isSecure: true })
  const { post } = openSender({ lookup, ca: certificate.cert })
  const url = `https://receiver.example:${port}/`
  expect(await post(url)).toMatchObject({ status: 200 })
  const refused = { status: null, error: 'the address is not public' }
  expect(await post(url, { mode: 'live' })).toMatchObject(refused)
  expect(names.lookups).toBe(2)
  expect(requests).toHaveLength(1)
})

test('TLS connections are kept, and new ones resume the session', async () => {
  const { lookup } = openNames('127.0.0.1')
  const closeAfterTwo: Answer = (socket, number) => {
    ok(socket, number)
    if (number === 2) socket.end()
  }
  const { port, handshakes } = await openReceiver(closeAfterTwo, { isSecure: true })
  const { post } = openSender({ lookup, ca: certificate.cert })
  const url = `https://receiver.example:${port}/`
  for (let count = 0; count < 4; count += 1)
    expect(await post(url)).toMatchObject({ status: 200, response: 'ok' })
  expect(handshakes).toEqual([
    { isResumed: false, name: 'receiver.example' },
    { isResumed: true, name: 'receiver.example' },
  ])
})

test.each([
  ['is not signed by a known authority', 'receiver.example', undefined],
  ['is for another name', 'other.example', certificate.cert],
])('a certificate that %s is refused', async (_name, host, ca) => {
  const { lookup } = openNames('127.0.0.1')
  const { port, requests } = await openReceiver(ok, { isSecure: true })
  const { post } = openSender({ lookup, ...(ca && { ca }) })
  expect(await post(`https://${host}:${port}/`)).toMatchObject({
    status: null,
    error: 'the certificate is not valid',
  })
  expect(requests).toEqual([])
})

test('a certificate for an address is accepted for a URL with that address', async () => {
  const { port } = await openReceiver(ok, { isSecure: true })
  const { post } = openSender({ ca: certificate.cert })
  expect(await post(`https://127.0.0.1:${port}/`)).toMatchObject({ status: 200 })
})

test('closing the sender cuts off requests and closes kept connections', async () => {
  const { url, sockets, requests } = await openReceiver(
    (socket, number) => number === 1 && ok(socket, 1),
  )
  const { sender, post } = openSender()
  await post(url)
  const cutOff = post(url)
  await expect.poll(() => requests.length).toBe(2)
  sender.close()
  expect(await cutOff).toMatchObject({ status: null })
  await expect.poll(() => sockets.every((socket) => socket.destroyed)).toBe(true)
})
