import { Agent, request as ask } from 'node:http'
import type { Draft, Who } from './requests.js'
import { encode, isDraftValue } from './values.js'

export type Keys = Record<Extract<Who, string>, string>

/** A request on the wire. */
export type Sent = {
  method: string
  path: string
  /** Alternating names and values, so that a name may repeat. */
  headers: string[]
  body?: Buffer
}

export type Answer = {
  status: number
  headers: Headers
  text: string
  /** The parsed body, unchecked; undefined if not JSON. */
  json: unknown
}

/** Values from earlier answers by kind, for later requests. */
export type Memory = Map<string, string[]>

const remembered = 60

export function remember(memory: Memory, kind: string, value: string): void {
  const values = memory.get(kind) ?? []
  if (values.includes(value)) return
  memory.set(kind, [...values, value].slice(-remembered))
}

/** Fills in the placeholders of a draft. */
export function toSent(draft: Draft, keys: Keys, memory: Memory): Sent {
  const fill = (value: unknown) => fillIn(value, memory)
  const path = draft.template.replace(/\{(\w+)\}/g, (_all, name) => `${fill(draft.path[name])}`)
  const query = draft.query.map(([name, value]) => `${encode(name)}=${encodeValue(fill(value))}`)
  const json = draft.body && 'json' in draft.body ? JSON.stringify(fill(draft.body.json)) : ''
  const raw = draft.body && 'base64' in draft.body ? draft.body.base64 : ''
  const body = draft.body && (raw ? Buffer.from(raw, 'base64') : Buffer.from(json ?? ''))
  const authorization =
    typeof draft.who === 'string' ? `Bearer ${keys[draft.who]}` : draft.who.authorization
  const own = draft.headers.map(([name, value]) => [name, toHeader(`${fill(value)}`)])
  const isTyped = own.some(([name]) => name === 'Content-Type')
  return {
    method: draft.method,
    path: toAscii(query.length > 0 ? `${path}?${query.join('&')}` : path),
    headers: [
      ...(authorization === null ? [] : ['Authorization', toHeader(authorization)]),
      ...(body && !isTyped ? ['Content-Type', 'application/json'] : []),
      ...own.flat().map((text) => text ?? ''),
    ],
    ...(body && { body }),
  }
}

function fillIn(value: unknown, memory: Memory): unknown {
  // Not by `map`: a fuzzed list may have its own `constructor`.
  if (Array.isArray(value)) return Array.from(value, (one) => fillIn(one, memory))
  if (typeof value !== 'object' || value === null) return value
  if (!isDraftValue(value)) {
    const filled = Object.entries(value).map(([name, one]) => [name, fillIn(one, memory)])
    return Object.fromEntries(filled)
  }
  if ('fromNowMs' in value)
    return new Date(Date.now() + value.fromNowMs).toISOString().slice(0, value.cut)
  const values = memory.get(value.known) ?? []
  return values.length > 0 ? values[value.at % values.length] : value.otherwise
}

function encodeValue(value: unknown): string {
  return encode(typeof value === 'string' ? value : (JSON.stringify(value) ?? ''))
}

/** Node sends paths unchanged, if they are valid. */
function toAscii(path: string): string {
  return path.replace(/[^\x21-\x7e]/gu, encode)
}

/** As Latin-1, the encoding of headers. */
function toHeader(text: string): string {
  return text.replace(/[^\t\x20-\x7e\x80-\xff]/g, '?')
}

const agent = new Agent({ keepAlive: true, maxSockets: 8 })
const patienceMs = 30_000

export function send(url: string, { method, path, headers, body }: Sent): Promise<Answer> {
  const { hostname, port } = new URL(url)
  const all = ['Host', `${hostname}:${port}`, ...headers]
  if (body) all.push('Content-Length', `${body.length}`)
  return new Promise((resolve, reject) => {
    const outgoing = ask({ agent, hostname, port, method, path, headers: all, timeout: patienceMs })
    outgoing.on('error', reject)
    outgoing.on('timeout', () => outgoing.destroy(new Error(`no answer in ${patienceMs} ms`)))
    outgoing.on('response', (incoming) => {
      const chunks: Buffer[] = []
      const end = () => resolve(toAnswer(incoming.statusCode!, incoming.rawHeaders, chunks))
      // A stream does not end: its beginning is its answer.
      if (incoming.headers['content-type']?.startsWith('text/event-stream')) {
        end()
        incoming.destroy()
        return
      }
      incoming.on('data', (chunk) => chunks.push(chunk))
      incoming.on('end', end)
      incoming.on('error', reject)
    })
    outgoing.end(body)
  })
}

function toAnswer(status: number, raw: string[], chunks: Buffer[]): Answer {
  const headers = new Headers()
  for (let index = 0; index < raw.length; index += 2) headers.append(raw[index]!, raw[index + 1]!)
  const text = Buffer.concat(chunks).toString()
  const isJson = headers.get('content-type')?.startsWith('application/json')
  return { status, headers, text, json: isJson && text !== '' ? JSON.parse(text) : undefined }
}

/** The request in a form that reproduces it. */
export function toCurl(url: string, { method, path, headers, body }: Sent): string {
  const quote = (text: string) => `$'${text.replace(/[\\']/g, '\\$&').replace(unseen, toEscape)}'`
  const words = ['curl', '-i', '--path-as-is', '-X', method]
  for (let index = 0; index < headers.length; index += 2) {
    const [name, value] = [headers[index], headers[index + 1]]
    words.push('-H', quote(value === '' ? `${name};` : `${name}: ${value}`))
  }
  if (method === 'HEAD') words.push('-I')
  words.push(quote(url + path))
  if (!body) return words.join(' ')
  const isLong = body.length > 4_000
  const data = isLong ? `@- # ${body.length} bytes` : quote(body.toString('latin1'))
  return [...words, '--data-binary', data].join(' ')
}

const unseen = /[^\x20-\x7e]/g
const toEscape = (letter: string) => `\\x${letter.charCodeAt(0).toString(16).padStart(2, '0')}`
