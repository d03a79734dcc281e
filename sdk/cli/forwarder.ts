import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { verifyWebhook } from '../src/verify-webhook.js'
import { misused } from './failure.js'

export type Forwarded = {
  event: { id: string; type: string; data: Record<string, unknown> }
  /** What was answered to the service: what your server said, or 502 where it said nothing. */
  status: number
  problem: string | undefined
  durationMs: number
  isForwarded: boolean
}

type Options = {
  port: number
  target: string | undefined
  heard(forwarded: Forwarded): void
}

/** More than any event has. */
const bodyLimit = 1_000_000
/** The service waits no longer. */
const patienceMs = 14_000

/**
 * Takes webhooks on a port of this machine and hands them on as they are: same bytes, same headers,
 * and your server's answer is the answer, so that retries happen as they would in earnest.
 */
export async function openForwarder({ port, target, heard }: Options) {
  let secret: string | undefined
  const server = createServer((request, response) => {
    take(request, response).catch((error: Error) => answer(response, 400, error.message))
  })

  async function take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await readBody(request)
    // Anybody may knock at a port: only what the service signed is believed and handed on.
    const verified = await verifyWebhook(body, request.headers, secret ?? '')
    const event = verified as unknown as Forwarded['event']
    const startedAt = Date.now()
    const { status, problem, text } = target
      ? await forward(target, request, body)
      : { status: 204, problem: undefined, text: '' }
    answer(response, status, text)
    const durationMs = Date.now() - startedAt
    heard({ event, status, problem, durationMs, isForwarded: target !== undefined })
  }

  await new Promise<void>((resolve, reject) => {
    server.once('error', ({ message }) =>
      reject(misused(`Port ${port} cannot be used: ${message}.`, 'Choose another with --port.')),
    )
    server.listen(port, '127.0.0.1', resolve)
  })
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    trust: (given: string) => {
      secret = given
    },
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

async function readBody(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of request) {
    size += (chunk as Buffer).length
    if (size > bodyLimit) throw new Error('The body is too large.')
    chunks.push(chunk as Buffer)
  }
  return Buffer.concat(chunks)
}

type Answered = { status: number; problem: string | undefined; text: string }

async function forward(target: string, from: IncomingMessage, body: Buffer): Promise<Answered> {
  const names = ['content-type', 'user-agent', 'webhook-id', 'webhook-timestamp']
  const headers = [...names, 'webhook-signature'].flatMap((name): [string, string][] => {
    const value = from.headers[name]
    return typeof value === 'string' ? [[name, value]] : []
  })
  try {
    const response = await fetch(target, {
      method: 'POST',
      headers,
      body: new Uint8Array(body),
      redirect: 'manual',
      signal: AbortSignal.timeout(patienceMs),
    })
    return { status: response.status, problem: undefined, text: await response.text() }
  } catch (error) {
    const { cause, message } = error as Error & { cause?: { code?: string } }
    const problem = `no answer from ${target} (${cause?.code ?? message})`
    return { status: 502, problem, text: problem }
  }
}

function answer(response: ServerResponse, status: number, text: string): void {
  if (!response.headersSent) response.writeHead(status, { 'content-type': 'text/plain' })
  response.end(text === '' ? undefined : text)
}
