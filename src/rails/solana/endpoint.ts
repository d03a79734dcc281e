import * as http from 'node:http'
import * as https from 'node:https'
import { limits } from '../../base/limits.js'
import { hasShape } from './answer-shapes.js'
import { readJson } from './read-json.js'

export type RpcCall = { method: string; params: unknown[] }
export type RpcError = { code: number; message: string; data?: unknown }
export type RpcAnswer =
  | { result: unknown; error?: undefined }
  | { result?: undefined; error: RpcError }

/** The endpoint gave no answer that can be used: busy, broken, unreachable, or too slow. */
export class EndpointFailure extends Error {}

/** It has more to say than we read at once. Asked for less, it may well answer. */
export class AnswerTooLarge extends EndpointFailure {}

/** Who may say no to an endpoint, by throwing, when it has named its chain. */
export type ChainCheck = { accept(genesisHash: string): void }

type Reply = { id?: unknown; result?: unknown; error?: RpcError }

/**
 * One node, spoken to in JSON-RPC over kept connections. Its address may hold a key of the
 * operator, so only the host is ever named.
 */
export class RpcEndpoint {
  readonly host: string
  readonly #url: URL
  readonly #agent: http.Agent
  readonly #identity: ChainCheck | undefined
  #isSingle = false
  #met: Promise<void> | undefined

  constructor(
    url: string,
    identity?: ChainCheck,
    private readonly callMs: number = limits.solana.callMs,
  ) {
    this.#identity = identity
    this.#url = new URL(url)
    this.host = this.#url.host
    const options = { keepAlive: true, maxSockets: limits.solana.connections }
    this.#agent = this.#isSecure ? new https.Agent(options) : new http.Agent(options)
  }

  /**
   * Has it name its chain, once, before it is asked anything else: one that was away at the start
   * may turn out to be of another. Throws while it does not answer, and always if it is not ours.
   */
  meet(): Promise<void> {
    this.#met ??= this.#introduce().catch((error: unknown) => {
      this.#met = undefined
      throw error
    })
    return this.#met
  }

  async #introduce(): Promise<void> {
    if (!this.#identity) return
    const [answer] = await this.#post([{ method: 'getGenesisHash', params: [] }])
    this.#identity.accept(this.#resultOf(answer!))
  }

  /** The result of one call. Throws when it is an error: that is no answer. */
  async call<Result>(method: string, ...params: unknown[]): Promise<Result> {
    const [answer] = await this.post([{ method, params }])
    return this.#resultOf(answer!)
  }

  #resultOf<Result>({ result, error }: RpcAnswer): Result {
    if (error) throw new EndpointFailure(`${this.host}: ${error.message}`)
    return result as Result
  }

  async post(calls: RpcCall[]): Promise<RpcAnswer[]> {
    await this.meet()
    return this.#post(calls)
  }

  /**
   * Many calls in one request, or one by one where the operator of the node does not allow that.
   * Answers stand in the order of the calls.
   */
  async #post(calls: RpcCall[]): Promise<RpcAnswer[]> {
    if (calls.length > 1 && this.#isSingle) return this.#postOneByOne(calls)
    const asked = calls.map((call, id) => ({ jsonrpc: '2.0', id, ...call }))
    const body = JSON.stringify(asked.length === 1 ? asked[0] : asked)
    const text = await this.#exchange(body)
    const read = parse(text)
    if (calls.length > 1 && !Array.isArray(read)) {
      this.#isSingle = true
      return this.#postOneByOne(calls)
    }
    const replies = new Map([read].flat().map((reply) => [reply?.id, reply]))
    return calls.map((call, id) => toAnswer(call, replies.get(id)))
  }

  /** The agent bounds how many of them are under way. */
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
        // Ends the connection as well: a late answer must not be taken for that of another call.
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
        if (size > limits.solana.responseBytes) break
        chunks.push(chunk)
      }
    } catch (error) {
      throw new EndpointFailure(`${this.host}: ${(error as Error).message}`)
    }
    if (size > limits.solana.responseBytes)
      throw new AnswerTooLarge(`${this.host}: the answer is too large`)
    return Buffer.concat(chunks).toString()
  }
}

function parse(text: string): (Reply | null) | (Reply | null)[] {
  try {
    return readJson(text) as Reply
  } catch {
    throw new EndpointFailure('the answer is not JSON')
  }
}

/** What cannot be read as an answer is none: nothing may be concluded from half of one. */
function toAnswer(call: RpcCall, reply: Reply | null | undefined): RpcAnswer {
  if (reply?.error) return { error: reply.error }
  if (reply?.result === undefined) throw new EndpointFailure('a call was not answered')
  if (!hasShape(call, reply.result))
    throw new EndpointFailure(`the answer to ${call.method} has another shape`)
  return { result: reply.result }
}
