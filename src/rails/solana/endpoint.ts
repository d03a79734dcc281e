import * as http from 'node:http'
import * as https from 'node:https'
import { limits } from '../../base/limits.js'
import { measureRailCall } from '../rail-calls.js'
import { isValidResult, type RpcCall } from './rpc-schemas.js'

type RpcError = { code: number; message: string; data?: unknown }
export type RpcAnswer =
  | { result: unknown; error?: undefined }
  | { result?: undefined; error: RpcError }

/** The endpoint gave no usable answer: busy, broken, unreachable or too slow. */
export class EndpointFailure extends Error {
  override name = 'EndpointFailure'
}

/** The answer exceeds our size limit. A smaller request may succeed. */
export class AnswerTooLarge extends EndpointFailure {}

type ChainCheck = { verify(genesisHash: string): void }

type Reply = { id?: unknown; result?: unknown; error?: RpcError }

/**
 * One JSON-RPC node, over keep-alive connections. Its URL may contain an API key of the operator,
 * so errors and logs name the host only.
 */
export class RpcEndpoint {
  readonly host: string
  readonly #url: URL
  readonly #agent: http.Agent
  readonly #identity: ChainCheck | undefined
  #isBatchingRefused = false
  #verified: Promise<void> | undefined

  constructor(
    url: string,
    identity?: ChainCheck,
    private readonly callMs: number = limits.solana.callTimeoutMs,
  ) {
    this.#identity = identity
    this.#url = new URL(url)
    this.host = this.#url.host
    const options = { keepAlive: true, maxSockets: limits.solana.connectionsMax }
    this.#agent = this.#isSecure ? new https.Agent(options) : new http.Agent(options)
  }

  /**
   * Checks the endpoint's chain once, before its first call: an endpoint that was down at start may
   * turn out to serve another chain. Throws while it does not respond, and always on a wrong chain.
   */
  verifyChain(): Promise<void> {
    this.#verified ??= this.#checkGenesis().catch((error: unknown) => {
      this.#verified = undefined
      throw error
    })
    return this.#verified
  }

  async #checkGenesis(): Promise<void> {
    if (!this.#identity) return
    const [answer] = await this.#post([{ method: 'getGenesisHash', params: [] }])
    this.#identity.verify(this.#resultOf(answer!))
  }

  async call<Result>(method: string, ...params: unknown[]): Promise<Result> {
    const [answer] = await this.post([{ method, params }])
    return this.#resultOf(answer!)
  }

  #resultOf<Result>({ result, error }: RpcAnswer): Result {
    if (error) throw new EndpointFailure(`${this.host}: ${error.message}`)
    return result as Result
  }

  async post(calls: RpcCall[]): Promise<RpcAnswer[]> {
    await this.verifyChain()
    return this.#post(calls)
  }

  /**
   * Sends the calls as one batch, or one by one to endpoints that refuse batches. Answers are in
   * the order of the calls.
   */
  async #post(calls: RpcCall[]): Promise<RpcAnswer[]> {
    if (calls.length > 1 && this.#isBatchingRefused) return this.#postOneByOne(calls)
    const batch = calls.map((call, id) => ({ jsonrpc: '2.0', id, ...call }))
    const body = JSON.stringify(batch.length === 1 ? batch[0] : batch)
    const parsed = parseReply(await measureRailCall(this.host, () => this.#exchange(body)))
    if (calls.length > 1 && !Array.isArray(parsed)) {
      this.#isBatchingRefused = true
      return this.#postOneByOne(calls)
    }
    const replies = new Map([parsed].flat().map((reply) => [reply?.id, reply]))
    return calls.map((call, id) => toAnswer(call, replies.get(id)))
  }

  /** The agent limits concurrency. */
  async #postOneByOne(calls: RpcCall[]): Promise<RpcAnswer[]> {
    const answers = await Promise.all(calls.map((call) => this.#post([call])))
    return answers.flat()
  }

  close(): void {
    this.#agent.destroy()
  }

  get #isSecure(): boolean {
    return this.#url.protocol === 'https:'
  }

  #exchange(body: string): Promise<string> {
    const { request } = this.#isSecure ? https : http
    return new Promise((resolve, reject) => {
      const fail = (why: string) => reject(new EndpointFailure(`${this.host}: ${why}`))
      const options = {
        method: 'POST',
        agent: this.#agent,
        headers: { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) },
        // Also closes the connection: a late reply must not be taken for that of another call.
        signal: AbortSignal.timeout(this.callMs),
      }
      const sent = request(this.#url, options, (response) => {
        this.#readText(response).then((text) => {
          if (response.statusCode === 200) resolve(text)
          else fail(`HTTP ${response.statusCode}`)
        }, reject)
      })
      sent.on('error', (error: NodeJS.ErrnoException) => fail(error.code ?? error.name))
      sent.end(body)
    })
  }

  async #readText(response: http.IncomingMessage): Promise<string> {
    const chunks: Buffer[] = []
    let size = 0
    try {
      for await (const chunk of response as AsyncIterable<Buffer>) {
        size += chunk.length
        if (size > limits.solana.responseBytesMax) break
        chunks.push(chunk)
      }
    } catch (error) {
      throw new EndpointFailure(`${this.host}: ${(error as Error).message}`)
    }
    if (size > limits.solana.responseBytesMax)
      throw new AnswerTooLarge(`${this.host}: response too large`)
    return Buffer.concat(chunks).toString()
  }
}

function parseReply(text: string): (Reply | null) | (Reply | null)[] {
  try {
    return parseJson(text) as Reply
  } catch {
    throw new EndpointFailure('response is not JSON')
  }
}

/** A string, or an integer that JSON.parse would round. */
const stringOrLongInteger = /"(?:[^"\\]|\\.)*"|-?\d{16,}(?![\d.eE])/g

/**
 * Parses JSON without rounding: integers of 16 digits and more become strings. Read large numbers
 * with BigInt, which accepts both.
 */
export function parseJson(text: string): unknown {
  if (!/\d{16}/.test(text)) return JSON.parse(text)
  const exact = text.replace(stringOrLongInteger, (part) => (part[0] === '"' ? part : `"${part}"`))
  return JSON.parse(exact)
}

/** An incomplete or malformed result is a failure: nothing may be concluded from it. */
function toAnswer(call: RpcCall, reply: Reply | null | undefined): RpcAnswer {
  if (reply?.error) return { error: reply.error }
  if (reply?.result === undefined) throw new EndpointFailure(`no reply to ${call.method}`)
  if (!isValidResult(call, reply.result))
    throw new EndpointFailure(`malformed result of ${call.method}`)
  return { result: reply.result }
}
