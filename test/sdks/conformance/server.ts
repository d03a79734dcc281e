import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import { show } from './compare.js'
import { parseExactly, printExactly } from './exact-json.js'
import type { Expected, Step } from './scenarios.js'

export type Seen = {
  method: string
  /** After the base URL, as sent. */
  url: string
  headers: Record<string, string>
  body: string
  atMs: number
}

/** One scenario in one language: its requests and what was wrong with them. */
export type Play = { steps: Step[]; seen: Seen[]; problems: string[]; isTrapped: boolean }

/** Plays scenarios to any number of drivers at the same time, each under its own path. */
export async function openScenarioServer() {
  const plays = new Map<string, Play>()
  const server = createServer((request, response) => {
    const [, name = '', rest = ''] = /^\/([^/?]+)(.*)$/s.exec(request.url!) ?? []
    const play = plays.get(name)
    if (play) void answer(play, rest, request, response)
    else {
      const trapped = plays.get(name.replace(/^trap-/, ''))
      if (trapped) trapped.isTrapped = true
      response.writeHead(200, { connection: 'close' }).end('{"status":true,"data":{}}')
    }
  })
  const url = await listen(server)
  // A port on which nothing listens, because its server was closed.
  const closed = createServer()
  const closedUrl = await listen(closed)
  await new Promise((resolve) => closed.close(resolve))

  return {
    closedUrl,
    /** Starts a scenario; `baseUrl` is for the client. */
    play(name: string, steps: Step[]): { baseUrl: string; play: Play } {
      const filled = JSON.parse(JSON.stringify(steps).replaceAll('<trap>', `${url}/trap-${name}`))
      const play: Play = { steps: filled, seen: [], problems: [], isTrapped: false }
      plays.set(name, play)
      return { baseUrl: `${url}/${name}`, play }
    },
    close() {
      server.close()
      server.closeAllConnections()
    },
  }
}

async function listen(server: Server): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

async function answer(play: Play, url: string, request: IncomingMessage, response: ServerResponse) {
  const { method = '', headers } = request
  const step = play.steps[play.seen.length]
  const seen: Seen = {
    method,
    url,
    headers: Object.fromEntries(Object.entries(headers).map(([name, text]) => [name, `${text}`])),
    body: '',
    atMs: performance.now(),
  }
  play.seen.push(seen)
  if (!step) {
    play.problems.push(`request ${play.seen.length} is one too many: ${method} ${url}`)
    response.writeHead(400, { connection: 'close' }).end('{"code":"not_in_the_scenario"}')
    return
  }
  if (step.fault === 'drop') return request.socket.resetAndDestroy()
  seen.body = (await buffer(request)).toString()
  const before = play.seen.at(-2)
  const number = play.seen.length
  play.problems.push(
    ...compareRequest(step.expect, seen, before).map((text) => `request ${number}: ${text}`),
  )
  await reply(step, request, response)
}

async function reply(step: Step, request: IncomingMessage, response: ServerResponse) {
  if (step.fault === 'close') return request.socket.destroy()
  if (step.fault === 'late') return
  const body = bodyOf(step)
  response.writeHead(step.status ?? 200, {
    'content-type': 'application/json',
    // A new connection each time: a client may repeat a request on its own if an old one is closed.
    connection: 'close',
    ...(body.length > 0 && { 'content-length': body.length }),
    ...fillDates(step.headers ?? {}),
  })
  if (step.fault === undefined) return response.end(body)
  response.write(body.subarray(0, body.length / 2))
  if (step.fault === 'late-body') return
  // The half must have arrived, or the client sees a connection without an answer.
  await sleep(20)
  request.socket.destroy()
}

function bodyOf({ data, refusal, text, base64 }: Step): Buffer {
  if (text !== undefined) return Buffer.from(text)
  if (base64 !== undefined) return Buffer.from(base64, 'base64')
  const body = refusal ? { status: false, ...refusal } : { status: true, message: 'Done', data }
  return Buffer.from(printExactly(body))
}

function fillDates(headers: Record<string, string>): Record<string, string> {
  const text = JSON.stringify(headers).replace(/<inSeconds:(\d+)>/g, (_, seconds) =>
    new Date(Date.now() + Number(seconds) * 1_000).toUTCString(),
  )
  return JSON.parse(text)
}

function compareRequest(expected: Expected, seen: Seen, before: Seen | undefined): string[] {
  const [path = '', query = ''] = seen.url.split(/\?(.*)/s)
  const pairs = [...new URLSearchParams(query)]
  const checks: [string, unknown, unknown][] = [
    ['method', expected.method, seen.method],
    ['path', segmentsOf(expected.path), segmentsOf(path)],
    ['query', Object.entries(expected.query ?? {}).toSorted(), pairs.toSorted()],
    ['body', expected.csv ?? expected.body, bodySeen(expected, seen.body)],
    ...Object.entries(expected.headers ?? {}).map(([name, value]): [string, unknown, unknown] => {
      const sent = seen.headers[name] ?? null
      return [`header ${name}`, value, value === '*' && sent !== null ? '*' : sent]
    }),
  ]
  const wrong = checks
    .filter(([, wanted, found]) => !isDeepStrictEqual(wanted, found))
    .map(([what, wanted, found]) => `${what} is ${show(found)} instead of ${show(wanted)}`)
  const gapMs = seen.atMs - (before?.atMs ?? 0)
  if (expected.afterMs !== undefined && gapMs < expected.afterMs)
    wrong.push(`came ${Math.round(gapMs)} ms after the one before, not ${expected.afterMs}`)
  return wrong
}

function segmentsOf(path: string): string[] {
  return path.split('/').map((segment) => {
    try {
      return decodeURIComponent(segment)
    } catch {
      return `malformed: ${segment}`
    }
  })
}

function bodySeen({ csv }: Expected, body: string): unknown {
  if (body === '') return undefined
  if (csv !== undefined) return body
  try {
    return parseExactly(body)
  } catch {
    return `not JSON: ${body}`
  }
}
