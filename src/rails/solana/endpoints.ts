import { strict as assert } from 'node:assert'
import { limits } from '../../base/limits.js'
import type { Logger } from '../../base/log.js'
import { type ChainIdentity, WrongChain } from './chain-identity.js'
import { EndpointFailure, type RpcAnswer, type RpcCall, RpcEndpoint } from './endpoint.js'

/** Nobody could answer. Nothing is known, and nothing may be concluded. */
export class Unavailable extends Error {}

/** Errors about the question: others would answer the same. All others are the node's trouble. */
const aboutTheQuestion = new Set([-32602, -32015])

/** The configured nodes: one after the other for questions, all at once for what must be sure. */
export class Endpoints {
  readonly all: readonly RpcEndpoint[]
  readonly #logger: Logger
  /** The one that answered last: a node that fails is not asked first each time. */
  #preferred = 0

  constructor(urls: string[], identity: ChainIdentity, logger: Logger) {
    assert(urls.length > 0 && urls.length <= limits.solana.endpoints, 'one to five endpoints')
    this.all = urls.map((url) => new RpcEndpoint(url, identity))
    this.#logger = logger
  }

  /** Asks all of them for their chain. One that is away may come later; a wrong one is an error. */
  async meetAll(): Promise<void> {
    const met = await Promise.allSettled(this.all.map((endpoint) => endpoint.meet()))
    for (const [index, meeting] of met.entries()) {
      if (meeting.status === 'fulfilled') continue
      const trouble = meeting.reason as Error
      if (!(trouble instanceof EndpointFailure) || trouble instanceof WrongChain) throw trouble
      const { host } = this.all[index]!
      this.#logger.warn({ host, trouble: trouble.message }, 'a node does not answer')
    }
  }

  /** The answers of the first endpoint that has some for all calls. */
  async ask(calls: RpcCall[]): Promise<RpcAnswer[]> {
    const { length } = this.all
    for (let tries = 0; tries < length * limits.solana.rounds; tries++) {
      const index = this.#preferred % length
      const endpoint = this.all[index]!
      const answers = await this.#try(endpoint, calls)
      if (answers) return answers
      if (this.#preferred % length === index) this.#preferred = index + 1
    }
    throw new Unavailable('no endpoint answers')
  }

  async call<Result>(method: string, ...params: unknown[]): Promise<Result> {
    const [answer] = await this.ask([{ method, params }])
    return resultOf(answer!)
  }

  async #try(endpoint: RpcEndpoint, calls: RpcCall[]): Promise<RpcAnswer[] | undefined> {
    try {
      const answers = await endpoint.post(calls)
      const trouble = answers.find(({ error }) => error && !aboutTheQuestion.has(error.code))?.error
      if (!trouble) return answers
      this.#logger.warn({ host: endpoint.host, trouble: trouble.message }, 'a node is in trouble')
    } catch (error) {
      if (!(error instanceof EndpointFailure)) throw error
      this.#logger.warn({ host: endpoint.host, trouble: error.message }, 'a node does not answer')
    }
    return undefined
  }

  close(): void {
    for (const endpoint of this.all) endpoint.close()
  }
}

/** For questions that no node refuses: an error counts as no answer. */
export function resultOf<Result>({ result, error }: RpcAnswer): Result {
  if (error) throw new Unavailable(`a node answers ${error.code}: ${error.message}`)
  return result as Result
}

/** Several answers of one particular node. */
export async function askOne(endpoint: RpcEndpoint, calls: RpcCall[]): Promise<unknown[]> {
  const results: unknown[] = []
  for (const some of inGroups(calls, limits.solana.callsPerRequest))
    results.push(...(await endpoint.post(some)).map(resultOf))
  return results
}

export function inGroups<Item>(items: Item[], size: number): Item[][] {
  const groups: Item[][] = []
  for (let first = 0; first < items.length; first += size)
    groups.push(items.slice(first, first + size))
  return groups
}
