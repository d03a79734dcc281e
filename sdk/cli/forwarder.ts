import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { verifyWebhook } from '../src/verify-webhook.js'
import { misused } from './failure.js'

export type Forwarded = {
  event: { id: string; type: string; data: Record<string, unknown> }
  /** What the service received: your server's status, or 502 if it did not answer. */
  status: number
  problem: string | undefined
  durationMs: number
  isForwarded: boolean
}

type ForwarderOptions = {
  port: number
  target: string | undefined
  onForwarded(forwarded: Forwarded): void
}

/** Larger than any event. */
const bodyBytesMax = 1_000_000
/** Shorter than the service's timeout for a delivery attempt. */
const answerTimeoutMs = 14_000

/**
 * Receives webhooks on a local port and forwards them unchanged. Your server's answer is returned
 * to the service, so that retries happen as in production.
 */
export async function openForwarder({ port, target, onForwarded }: ForwarderOptions) {
  let secret: string | undefined
  const server = createServer((request, response) => {
    receive(request, response).catch((error: Error) => answer(response, 400, error.message))
  })

  async function receive(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await readBody(request)
    // Any local process can reach this port: forward only what the service signed.
    const verified = await verifyWebhook(body, request.headers, secret ?? '')
    const event = verified as unknown as Forwarded['event']
    const startedAt = Date.now()
    const { status, problem, text } = target
      ? await forward(target, request, body)
      : { status: 204, problem: undefined, text: '' }
    answer(response, status, text)
    const durationMs = Date.now() - startedAt
    onForwarded({ event, status, problem, durationMs, isForwarded: target !== undefined })
  }

  await new Promise<void>((resolve, reject) => {
    server.once('error', ({ message }) =>
      reject(misused(`Cannot listen on port ${port}: ${message}.`, 'Choose another with --port.')),
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
    if (size > bodyBytesMax) throw new Error('The body is too large.')
    chunks.push(chunk as Buffer)
  }
  return Buffer.concat(chunks)
}

type ForwardResult = { status: number; problem: string | undefined; text: string }

async function forward(
  target: string,
  from: IncomingMessage,
  body: Buffer,
): Promise<ForwardResult> {
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
      signal: AbortSignal.timeout(answerTimeoutMs),
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
