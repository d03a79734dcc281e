import * as http from 'node:http'
import * as https from 'node:https'
import { systemClock } from '../../../base/clock.js'
import { limits } from '../../../base/limits.js'
import { forgetNodeChain, noteNodeChain } from '../../node-chains.js'
import { measureRailCall } from '../../rail-calls.js'
import { isValidResult, type RpcCall } from './rpc-schemas.js'

type RpcError = { code: number; message: string; data?: unknown }
export type RpcAnswer =
  | { result: unknown; error?: undefined }
  | { result?: undefined; error: RpcError }

/** The node gave no usable answer: busy, broken, unreachable or too slow. */
export class NodeFailure extends Error {
  override name = 'NodeFailure'
}

/** The node serves a chain that this rail must not use. */
export class WrongChain extends NodeFailure {}

/** The answer exceeds our size limit. A smaller request may succeed. */
export class AnswerTooLarge extends NodeFailure {}

/** An HTTP status other than 200. */
class HttpFailure extends NodeFailure {
  constructor(
    host: string,
    readonly status: number,
  ) {
    super(`${host}: HTTP ${status}`)
  }
}

/** The node is behind, or rate-limits us. */
export const busyErrors = new Set([-32005, -32429, 429])

/** Statuses with which gateways refuse batches, and only batches. */
const batchRefusals = new Set([400, 403, 405, 413, 422, 501])

type ChainCheck = { verify(genesisHash: string, node: string): void }

const genesisCall: RpcCall = { method: 'getGenesisHash', params: [] }

type Reply = { id?: unknown; result?: unknown; error?: RpcError }
type ParsedReply = (Reply | null) | (Reply | null)[]

/**
 * One JSON-RPC node, over keep-alive connections. Its URL may contain an API key of the operator,
 * so errors and logs name the host only.
 *
 * The chain behind a URL can change at any time, so every request also queries the genesis hash,
 * and its answers count only if that is the hash of our chain. One node answers all calls of a
 * request.
 */
export class RpcNode {
  readonly host: string
  readonly #url: URL
  readonly #agent: http.Agent
  readonly #identity: ChainCheck | undefined
  #batching: 'untried' | 'works' | 'refused' = 'untried'
  #verifiedMs = Number.NEGATIVE_INFINITY

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

  /** The chain that the node serves, whether it is ours or not. */
  async readGenesisHash(): Promise<string> {
    const [answer] = await this.#postOneByOne([genesisCall])
    return this.#resultOf(answer!)
  }

  /** Throws when the node does not respond, and `WrongChain` when it serves another chain. */
  async verifyChain(): Promise<void> {
    this.#verify(await this.readGenesisHash())
  }

  #verify(genesisHash: string): void {
    try {
      this.#identity?.verify(genesisHash, this.host)
    } catch (error) {
      this.#verifiedMs = Number.NEGATIVE_INFINITY
      if (error instanceof WrongChain) noteNodeChain(this, true)
      throw error
    }
    this.#verifiedMs = systemClock.elapsedMs()
    noteNodeChain(this, false)
  }

  async call<Result>(method: string, ...params: unknown[]): Promise<Result> {
    const [answer] = await this.post([{ method, params }])
    return this.#resultOf(answer!)
  }

  #resultOf<Result>({ result, error }: RpcAnswer): Result {
    if (error) throw new NodeFailure(`${this.host}: ${error.message}`)
    return result as Result
  }

  /**
   * Answers in the order of the calls. Throws `WrongChain` when they are not from our chain. A node
   * that refuses batches gets one call at a time, with a check before and after.
   */
  async post(calls: RpcCall[]): Promise<RpcAnswer[]> {
    const answers = await this.#postBatch([genesisCall, ...calls])
    if (answers) {
      const [genesis, ...others] = answers
      this.#verify(this.#resultOf(genesis!))
      return others
    }
    await this.verifyChain()
    const separate = await this.#postOneByOne(calls)
    await this.verifyChain()
    this.#batching = 'refused'
    return separate
  }

  /**
   * For transactions. A batch takes effect before its check is read, so the chain is checked in
   * advance, unless another request did that just now.
   */
  async send(calls: RpcCall[]): Promise<RpcAnswer[]> {
    const ageMs = systemClock.elapsedMs() - this.#verifiedMs
    if (ageMs > limits.solana.chainCheckMs) await this.verifyChain()
    return this.post(calls)
  }

  /** Undefined when the node refuses batches. */
  async #postBatch(calls: RpcCall[]): Promise<RpcAnswer[] | undefined> {
    if (this.#batching === 'refused') return undefined
    const batch = calls.map(toRequest)
    const parsed = await this.#request(batch).catch((error: unknown) => {
      if (!(error instanceof HttpFailure) || this.#batching === 'works') throw error
      if (batchRefusals.has(error.status)) return undefined
      throw error
    })
    if (Array.isArray(parsed)) {
      this.#batching = 'works'
      const replies = new Map(parsed.map((reply) => [reply?.id, reply]))
      return calls.map((call, id) => toAnswer(call, replies.get(id)))
    }
    const error = parsed?.error
    if (error && busyErrors.has(error.code)) throw new NodeFailure(`${this.host}: ${error.message}`)
    return undefined
  }

  /** The agent limits concurrency. */
  #postOneByOne(calls: RpcCall[]): Promise<RpcAnswer[]> {
    return Promise.all(
      calls.map(async (call) => {
        const reply = await this.#request(toRequest(call, 0))
        return toAnswer(call, Array.isArray(reply) ? reply[0] : reply)
      }),
    )
  }

  async #request(body: object): Promise<ParsedReply> {
    const text = JSON.stringify(body)
    return parseReply(await measureRailCall(this.host, () => this.#exchange(text)))
  }

  close(): void {
    forgetNodeChain(this)
    this.#agent.destroy()
  }

  get #isSecure(): boolean {
    return this.#url.protocol === 'https:'
  }

  #exchange(body: string): Promise<string> {
    const { request } = this.#isSecure ? https : http
    return new Promise((resolve, reject) => {
      const fail = (why: string) => reject(new NodeFailure(`${this.host}: ${why}`))
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
          else reject(new HttpFailure(this.host, response.statusCode ?? 0))
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
      throw new NodeFailure(`${this.host}: ${(error as Error).message}`)
    }
    if (size > limits.solana.responseBytesMax)
      throw new AnswerTooLarge(`${this.host}: response too large`)
    return Buffer.concat(chunks).toString()
  }
}

function toRequest(call: RpcCall, id: number) {
  return { jsonrpc: '2.0', id, ...call }
}

function parseReply(text: string): ParsedReply {
  try {
    return parseJson(text) as ParsedReply
  } catch {
    throw new NodeFailure('response is not JSON')
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
  if (reply?.result === undefined) throw new NodeFailure(`no reply to ${call.method}`)
  if (!isValidResult(call, reply.result))
    throw new NodeFailure(`malformed result of ${call.method}`)
  return { result: reply.result }
}
