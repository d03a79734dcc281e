import { request } from 'node:http'
import { Duplex } from 'node:stream'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { ResponseReader } from '../../src/webhooks/deliveries/response-reader.js'
import { webhookLimits } from '../../src/webhooks/limits.js'

type Outcome = { status: number; text: string } | 'failed'

/** As a connection uses it: bytes in pieces, then the end of the connection. */
function readWithOurs(pieces: Buffer[]): Outcome {
  const reader = new ResponseReader()
  try {
    for (const piece of pieces) {
      reader.read(piece)
      if (reader.isComplete) break
    }
    if (!reader.isComplete) reader.end()
    return { status: reader.status, text: reader.text }
  } catch {
    return 'failed'
  }
}

/** Node's HTTP client on the same pieces. */
function readWithNode(pieces: Buffer[]): Promise<Outcome> {
  const connection = new Duplex({ read() {}, write: (_chunk, _encoding, done) => done() })
  return new Promise((resolve) => {
    const outgoing = request({ method: 'POST', createConnection: () => connection })
    outgoing.on('error', () => resolve('failed'))
    outgoing.on('response', (incoming) => {
      const chunks: Buffer[] = []
      incoming.on('data', (chunk: Buffer) => chunks.push(chunk))
      incoming.on('error', () => resolve('failed'))
      incoming.on('close', () => resolve('failed'))
      incoming.on('end', () =>
        resolve({
          status: incoming.statusCode!,
          text: Buffer.concat(chunks).toString().replaceAll('\0', ''),
        }),
      )
    })
    outgoing.end('{}')
    // Every piece in its own turn, as a socket does.
    const feed = (index: number) => {
      connection.push(pieces[index] ?? null)
      if (index < pieces.length) setImmediate(() => feed(index + 1))
    }
    setImmediate(() => feed(0))
  })
}

/** The response without whatever follows it, which ends the connection but not the attempt. */
function withoutSurplus(text: string): string {
  const reader = new ResponseReader()
  for (let length = 0; length < text.length; length += 1) {
    reader.read(Buffer.from(text[length]!, 'latin1'))
    if (reader.isComplete) return text.slice(0, length + 1)
  }
  return text
}

function split(text: string, places: number[]): Buffer[] {
  const bytes = Buffer.from(text, 'latin1')
  const cuts = places.map((place) => place % (bytes.length + 1)).sort((a, b) => a - b)
  return [0, ...cuts]
    .map((from, index) => bytes.subarray(from, cuts[index] ?? bytes.length))
    .filter((piece) => piece.length > 0)
}

const body = fc.string({
  unit: fc.constantFrom('a', 'é', ' ', '\r', '\n', '0', '\0'),
  maxLength: 60,
})
const header = fc.constantFrom(
  'Connection: close',
  'connection: Keep-Alive',
  'Retry-After: 120',
  'X-Empty:',
  'x-spaces: \t a b \t ',
  'Set-Cookie: a=1; b=é',
  'Date: Mon, 05 Jan 2026 09:00:00 GMT',
)

function toChunks(text: string, ending: string): string {
  const half = text.length >> 1
  const parts = [text.slice(0, half), text.slice(half)].filter((part) => part !== '')
  const chunks = parts.map((part) => `${part.length.toString(16)}${ending}\r\n${part}\r\n`)
  return `${chunks.join('')}0\r\n`
}

const framed = fc.tuple(body, fc.integer({ min: 0, max: 5 })).map(([text, kind]) => {
  if (kind === 0) return { framing: [], content: text }
  if (kind === 1) return { framing: ['Content-Length: 0'], content: '' }
  if (kind === 2)
    return { framing: ['Transfer-Encoding: chunked'], content: `${toChunks(text, ';a=b')}\r\n` }
  if (kind === 3)
    return {
      framing: ['transfer-encoding: gzip, Chunked'],
      content: `${toChunks(text, '')}X-Trailer: 1\r\n\r\n`,
    }
  return { framing: [`content-length: ${text.length}`], content: text }
})

const response = fc
  .record({
    interim: fc.constantFrom(
      '',
      'HTTP/1.1 100 Continue\r\n\r\n',
      'HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n',
    ),
    version: fc.constantFrom('1.1', '1.1', '1.0'),
    status: fc.constantFrom('200 OK', '200', '201 Created', '302 Found', '429 ', '500 Broken é'),
    headers: fc.array(header, { maxLength: 4 }),
    framed,
  })
  .map(({ interim, version, status, headers, framed: { framing, content } }) => {
    const head = [`HTTP/${version} ${status}`, ...headers, ...framing].join('\r\n')
    return `${interim}${head}\r\n\r\n${content}`
  })

const places = fc.array(fc.nat(), { maxLength: 6 })

describe('the response reader and the HTTP client of Node', () => {
  test('read the same from every response, however it arrives', async () => {
    await fc.assert(
      fc.asyncProperty(response, places, async (text, at) => {
        const pieces = split(text, at)
        const ours = readWithOurs(pieces)
        expect(ours).not.toBe('failed')
        expect(ours).toEqual(await readWithNode(pieces))
      }),
      { numRuns: 400 },
    )
  })

  // Ours may refuse more, and never accepts what Node refuses or reads something else from it.
  test('agree on broken responses that ours accepts', async () => {
    const change = fc.tuple(
      fc.nat(),
      fc.constantFrom('', '\r', '\n', ' ', '\0', ':', '5', 'x', '\r\n'),
    )
    await fc.assert(
      fc.asyncProperty(response, change, fc.nat(2), places, async (text, [at, put], cut, where) => {
        const place = at % text.length
        const broken = text.slice(0, place) + put + text.slice(place + cut)
        const ours = readWithOurs(split(broken, where))
        if (ours === 'failed') return
        expect(ours).toEqual(await readWithNode(split(withoutSurplus(broken), where)))
      }),
      { numRuns: 800 },
    )
  })
})

describe('the response reader', () => {
  const read = (text: string) => {
    const reader = new ResponseReader()
    reader.read(Buffer.from(text, 'latin1'))
    return reader
  }

  test.each([
    'HTTP/1.1 200 OK\r\ncontent-length: 1\r\ncontent-length: 1\r\n\r\na',
    'HTTP/1.1 200 OK\r\ncontent-length: 1, 1\r\n\r\na',
    'HTTP/1.1 200 OK\r\ncontent-length: -1\r\n\r\n',
    'HTTP/1.1 200 OK\r\ncontent-length: 1\r\ntransfer-encoding: chunked\r\n\r\n1\r\na\r\n0\r\n\r\n',
    'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nz\r\n',
    'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n1\r\nab\r\n',
    'HTTP/1.1 200 OK\r\n folded: 1\r\n\r\n',
    'HTTP/1.1 200 OK\r\nname : 1\r\n\r\n',
    'HTTP/1.1 200 OK\r\nname\r\n\r\n',
    'HTTP/2 200\r\n\r\n',
    'HTTP/1.1 101 Switching Protocols\r\nupgrade: websocket\r\n\r\n',
    'ICY 200 OK\r\n\r\n',
  ])('refuses %j', (text) => {
    expect(() => read(text)).toThrow()
  })

  test.each([
    ['HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok', true],
    ['HTTP/1.1 204 No Content\r\n\r\n', true],
    ['HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n', true],
    ['HTTP/1.0 200 OK\r\nconnection: keep-alive\r\ncontent-length: 0\r\n\r\n', true],
    ['HTTP/1.0 200 OK\r\ncontent-length: 0\r\n\r\n', false],
    ['HTTP/1.1 200 OK\r\nconnection: x, Close\r\ncontent-length: 0\r\n\r\n', false],
    ['HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nokHTTP/1.1 200 OK\r\n', false],
    ['HTTP/1.1 204 No Content\r\n\r\nmore', false],
  ])('decides whether the connection is reusable after %j', (text, isReusable) => {
    expect(read(text)).toMatchObject({ isComplete: true, isReusable })
  })

  test('refuses endless headers, interim responses, chunk sizes and trailers', () => {
    const line = `x-filler: ${'y'.repeat(1_000)}\r\n`
    const chunked = 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n'
    const starts: [string, string][] = [
      ['HTTP/1.1 200 OK\r\n', line],
      ['', `HTTP/1.1 100 Continue\r\n${line}\r\n`],
      [`${chunked}1;`, 'e'.repeat(100)],
      [`${chunked}0\r\n`, line],
    ]
    for (const [start, more] of starts) {
      const reader = read(start || more)
      expect(() => {
        for (let sent = 0; sent < 2 * webhookLimits.responseHeadBytesMax; sent += more.length)
          reader.read(Buffer.from(more))
      }).toThrow()
    }
  })

  test('keeps the start of a long body and ends the connection', () => {
    const long = 'y'.repeat(webhookLimits.responseBytesMax + 1)
    for (const framing of [
      `content-length: ${2 ** 30}\r\n\r\n`,
      'transfer-encoding: chunked\r\n\r\nfffffff\r\n',
      '\r\n',
    ]) {
      const reader = read(`HTTP/1.1 200 OK\r\n${framing}${long}`)
      expect(reader).toMatchObject({ isComplete: true, isReusable: false })
      expect(reader.text).toBe(long.slice(1))
    }
  })
})
