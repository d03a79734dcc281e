import { limits } from '../../base/limits.js'
import type { Logger } from '../../base/log.js'
import type { Prepared } from '../../payouts/ports.js'
import { EndpointFailure, type RpcCall, type RpcEndpoint } from './endpoint.js'
import { type Endpoints, inGroups } from './endpoints.js'

/**
 * Unchecked, for a preflight would keep back what may be fine a block later; and without retries
 * of the node's own, for we repeat it ourselves while it may land.
 */
const options = { encoding: 'base64', skipPreflight: true, maxRetries: 0 }

/** Hands the very bytes to every endpoint. What they answer proves nothing, and is only noted. */
export function createSend(endpoints: Endpoints, logger: Logger) {
  async function post(endpoint: RpcEndpoint, calls: RpcCall[]): Promise<void> {
    const { host } = endpoint
    try {
      const answers = await endpoint.post(calls)
      const error = answers.find((answer) => answer.error)?.error
      if (error) logger.debug({ host, error }, 'a node did not take a transaction')
    } catch (error) {
      if (!(error instanceof EndpointFailure)) throw error
      logger.warn({ host, trouble: error.message }, 'a node did not answer a transaction')
    }
  }

  async function postAll(endpoint: RpcEndpoint, groups: RpcCall[][]): Promise<void> {
    const left = [...groups]
    const lane = async () => {
      for (let group = left.shift(); group; group = left.shift()) await post(endpoint, group)
    }
    await Promise.all(Array.from({ length: limits.solana.requestsUnderWay }, lane))
  }

  return async (attempts: Pick<Prepared, 'wire'>[]): Promise<void> => {
    const calls = attempts.map(({ wire }) => {
      return { method: 'sendTransaction', params: [wire.toString('base64'), options] }
    })
    const groups = inGroups(calls, limits.solana.callsPerRequest)
    await Promise.all(endpoints.all.map((endpoint) => postAll(endpoint, groups)))
  }
}
