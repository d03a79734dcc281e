import { strict as assert } from 'node:assert'
import { limits } from '../../../base/limits.js'
import type { Logger } from '../../../base/log.js'
import type { ChainIdentity } from './chain-identity.js'
import { findAgreed, majorityOf } from './majority.js'
import { NodeFailure, type RpcAnswer, RpcNode, WrongChain } from './node.js'
import type { RpcCall } from './rpc-schemas.js'

/** No node gave a usable answer. Nothing may be concluded. */
export class Unavailable extends Error {
  override name = 'Unavailable'
}

/** Errors of the request itself, which every node would return. Others are the node's. */
const requestErrors = new Set([-32602, -32015])

/** The configured nodes: one at a time for reads, `all` for what needs a majority. */
export class RpcNodes {
  readonly all: readonly RpcNode[]
  readonly #identity: ChainIdentity
  readonly #logger: Logger
  /** The node that responded last, so that a failing one is not tried first each time. */
  #preferred = 0

  constructor(urls: string[], identity: ChainIdentity, logger: Logger) {
    assert(urls.length > 0 && urls.length <= limits.solana.nodesMax, 'one to five RPC nodes')
    this.all = urls.map((url) => new RpcNode(url, identity))
    this.#identity = identity
    this.#logger = logger
  }

  /**
   * Checks the chain of every node. Throws `WrongChain` when too few nodes can serve ours. A node
   * of another chain among enough others is only logged: its answers are not used until it is back.
   */
  async verifyChains(): Promise<void> {
    await this.#identity.recall()
    if (this.#identity.genesisHash === undefined) await this.#identify()
    if (this.#identity.genesisHash === undefined) return
    const failures = await Promise.all(
      this.all.map((node) => this.#failureOf(node, node.verifyChain())),
    )
    const wrong = failures.filter((failure) => failure instanceof WrongChain)
    if (this.all.length - wrong.length < majorityOf(this.all.length)) throw wrong[0]!
  }

  /** In test mode, our chain is the one that a majority of the nodes serves. */
  async #identify(): Promise<void> {
    const hashes: string[] = []
    const reads = this.all.map(async (node) => {
      hashes.push(await node.readGenesisHash())
    })
    await Promise.all(reads.map((read, index) => this.#failureOf(this.all[index]!, read)))
    const agreed = findAgreed(hashes, majorityOf(this.all.length), String)
    if (agreed !== undefined) return this.#identity.adopt(agreed)
    if (new Set(hashes).size > 1)
      throw new WrongChain('the Solana RPC nodes are on different chains')
  }

  /** Logs why the node did not do the work; undefined if it did. */
  async #failureOf(node: RpcNode, work: Promise<void>): Promise<Error | undefined> {
    try {
      await work
      return undefined
    } catch (error) {
      if (!(error instanceof NodeFailure)) throw error
      logFailure(this.#logger, node, error)
      return error
    }
  }

  /** The answers of the first node that answers all calls. */
  async post(calls: RpcCall[]): Promise<RpcAnswer[]> {
    const { length } = this.all
    for (let attempts = 0; attempts < length * limits.solana.attemptsPerNodeMax; attempts++) {
      const index = this.#preferred % length
      const answers = await this.#tryPost(this.all[index]!, calls)
      if (answers) return answers
      if (this.#preferred % length === index) this.#preferred = index + 1
    }
    throw new Unavailable('no RPC node answers')
  }

  async call<Result>(method: string, ...params: unknown[]): Promise<Result> {
    const [answer] = await this.post([{ method, params }])
    return resultOf(answer!)
  }

  async #tryPost(node: RpcNode, calls: RpcCall[]): Promise<RpcAnswer[] | undefined> {
    try {
      const answers = await node.post(calls)
      const failed = answers.find(({ error }) => error && !requestErrors.has(error.code))
      if (!failed) return answers
      this.#logger.warn(
        { host: node.host, why: failed.error!.message },
        'RPC node returned an error',
      )
    } catch (error) {
      if (!(error instanceof NodeFailure)) throw error
      logFailure(this.#logger, node, error)
    }
    return undefined
  }

  close(): void {
    for (const node of this.all) node.close()
  }
}

/** A wrong chain does not pass by itself: the operator must know. */
export function logFailure(logger: Logger, { host }: RpcNode, error: Error): void {
  const why = error.message
  if (error instanceof WrongChain) logger.error({ host, why }, 'RPC node is on the wrong chain')
  else logger.warn({ host, why }, 'RPC node is not responding')
}

/** For calls that no healthy node rejects: an error counts as no answer. */
export function resultOf<Result>({ result, error }: RpcAnswer): Result {
  if (error) throw new Unavailable(`RPC node returned ${error.code}: ${error.message}`)
  return result as Result
}

/** The results of many calls to one node, in their order. Throws when one is missing. */
export async function callAll(node: RpcNode, calls: RpcCall[]): Promise<unknown[]> {
  const results: unknown[] = []
  for (const group of inGroups(calls, limits.solana.callsPerRequestMax))
    results.push(...(await node.post(group)).map(resultOf))
  return results
}

export function inGroups<Item>(items: Item[], size: number): Item[][] {
  const groups: Item[][] = []
  for (let first = 0; first < items.length; first += size)
    groups.push(items.slice(first, first + size))
  return groups
}
