import { strict as assert } from 'node:assert'
import { limits } from '../../base/limits.js'
import type { Logger } from '../../base/log.js'
import { type ChainIdentity, WrongChain } from './chain-identity.js'
import { EndpointFailure, type RpcAnswer, RpcEndpoint } from './endpoint.js'
import type { RpcCall } from './rpc-schemas.js'

/** No endpoint gave a usable answer. Nothing may be concluded. */
export class Unavailable extends Error {
  override name = 'Unavailable'
}

/** Errors of the request itself, which every endpoint would return. Others are the endpoint's. */
const requestErrors = new Set([-32602, -32015])

/** The configured endpoints: one at a time for reads, `all` for what needs a majority. */
export class Endpoints {
  readonly all: readonly RpcEndpoint[]
  readonly #logger: Logger
  /** The endpoint that responded last, so that a failing one is not tried first each time. */
  #preferred = 0

  constructor(urls: string[], identity: ChainIdentity, logger: Logger) {
    assert(urls.length > 0 && urls.length <= limits.solana.endpointsMax, 'one to five endpoints')
    this.all = urls.map((url) => new RpcEndpoint(url, identity))
    this.#logger = logger
  }

  /** Throws on a wrong chain. An endpoint that is down is verified before its first call. */
  async verifyChains(): Promise<void> {
    const checks = await Promise.allSettled(this.all.map((endpoint) => endpoint.verifyChain()))
    for (const [index, check] of checks.entries()) {
      if (check.status === 'fulfilled') continue
      const error = check.reason as Error
      if (!(error instanceof EndpointFailure) || error instanceof WrongChain) throw error
      this.#warn(this.all[index]!, error.message, 'endpoint is not responding')
    }
  }

  /** The answers of the first endpoint that answers all calls. */
  async post(calls: RpcCall[]): Promise<RpcAnswer[]> {
    const { length } = this.all
    for (let attempts = 0; attempts < length * limits.solana.attemptsPerEndpointMax; attempts++) {
      const index = this.#preferred % length
      const answers = await this.#tryPost(this.all[index]!, calls)
      if (answers) return answers
      if (this.#preferred % length === index) this.#preferred = index + 1
    }
    throw new Unavailable('no endpoint answers')
  }

  async call<Result>(method: string, ...params: unknown[]): Promise<Result> {
    const [answer] = await this.post([{ method, params }])
    return resultOf(answer!)
  }

  async #tryPost(endpoint: RpcEndpoint, calls: RpcCall[]): Promise<RpcAnswer[] | undefined> {
    try {
      const answers = await endpoint.post(calls)
      const failed = answers.find(({ error }) => error && !requestErrors.has(error.code))
      if (!failed) return answers
      this.#warn(endpoint, failed.error!.message, 'endpoint returned an error')
    } catch (error) {
      if (!(error instanceof EndpointFailure)) throw error
      this.#warn(endpoint, error.message, 'endpoint is not responding')
    }
    return undefined
  }

  #warn({ host }: RpcEndpoint, why: string, message: string): void {
    this.#logger.warn({ host, why }, message)
  }

  close(): void {
    for (const endpoint of this.all) endpoint.close()
  }
}

/** For calls that no healthy endpoint rejects: an error counts as no answer. */
export function resultOf<Result>({ result, error }: RpcAnswer): Result {
  if (error) throw new Unavailable(`endpoint returned ${error.code}: ${error.message}`)
  return result as Result
}

/** The results of many calls to one endpoint, in their order. Throws when one is missing. */
export async function callAll(endpoint: RpcEndpoint, calls: RpcCall[]): Promise<unknown[]> {
  const results: unknown[] = []
  for (const group of inGroups(calls, limits.solana.callsPerRequestMax))
    results.push(...(await endpoint.post(group)).map(resultOf))
  return results
}

export function inGroups<Item>(items: Item[], size: number): Item[][] {
  const groups: Item[][] = []
  for (let first = 0; first < items.length; first += size)
    groups.push(items.slice(first, first + size))
  return groups
}
