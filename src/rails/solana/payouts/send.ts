import { limits } from '../../../base/limits.js'
import type { Logger } from '../../../base/log.js'
import type { PreparedAttempt } from '../../../payouts/ports.js'
import { EndpointFailure, type RpcEndpoint } from '../rpc/endpoint.js'
import { type Endpoints, inGroups, logFailure } from '../rpc/endpoints.js'
import type { RpcCall } from '../rpc/rpc-schemas.js'

/**
 * No preflight: it would drop transactions that may succeed a block later. No retries by the node:
 * we send again ourselves while the transaction may land.
 */
const options = { encoding: 'base64', skipPreflight: true, maxRetries: 0 }

/** Sends the same bytes to every endpoint. The replies prove nothing and are only logged. */
export function createSend(endpoints: Endpoints, logger: Logger) {
  async function post(endpoint: RpcEndpoint, calls: RpcCall[]): Promise<void> {
    const { host } = endpoint
    try {
      const answers = await endpoint.send(calls)
      const error = answers.find((answer) => answer.error)?.error
      if (error) logger.debug({ host, error }, 'endpoint rejected a transaction')
    } catch (error) {
      if (!(error instanceof EndpointFailure)) throw error
      logFailure(logger, endpoint, error)
    }
  }

  async function postAll(endpoint: RpcEndpoint, groups: RpcCall[][]): Promise<void> {
    const remaining = [...groups]
    const postNext = async () => {
      for (let group = remaining.shift(); group; group = remaining.shift())
        await post(endpoint, group)
    }
    await Promise.all(Array.from({ length: limits.solana.requestsInFlightMax }, postNext))
  }

  return async (attempts: Pick<PreparedAttempt, 'wire'>[]): Promise<void> => {
    const calls = attempts.map(({ wire }) => {
      return { method: 'sendTransaction', params: [wire.toString('base64'), options] }
    })
    const groups = inGroups(calls, limits.solana.callsPerRequestMax)
    await Promise.all(endpoints.all.map((endpoint) => postAll(endpoint, groups)))
  }
}
