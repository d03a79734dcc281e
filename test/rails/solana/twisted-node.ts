import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach } from 'vitest'
import type { TestChain } from '../../simulation/localnet/localnet.js'

type Call = { id: number; method: string; params: unknown[] }
// biome-ignore lint/suspicious/noExplicitAny: tests know the result's type
export type Twist = (call: Call, result: any) => unknown

/** Returned as a JSON-RPC error instead of a result. */
export class TwistedError {
  constructor(
    readonly code: number,
    readonly message: string,
  ) {}
}

const closing = new Set<() => void>()
afterEach(() => {
  for (const close of closing) close()
  closing.clear()
})

/** A proxy that forwards calls to the chain and tampers with the results. */
export async function openTwistedNode(chain: TestChain, twist: Twist): Promise<string> {
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const body = JSON.parse(Buffer.concat(chunks).toString()) as Call | Call[]
    const calls = Array.isArray(body) ? body : [body]
    const honest = await chain.post(calls)
    const answers = (await honest.json()) as { id: number; result?: unknown; error?: unknown }[]
    const twisted = answers.map((answer, index) => {
      const result = twist(calls[index]!, answer.result)
      const head = { jsonrpc: '2.0', id: answer.id }
      if (result instanceof TwistedError) return { ...head, error: { ...result } }
      return result === undefined ? answer : { ...head, result }
    })
    response.setHeader('content-type', 'application/json')
    response.end(JSON.stringify(Array.isArray(body) ? twisted.reverse() : twisted[0]))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  closing.add(() => {
    server.close()
    server.closeAllConnections()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}
