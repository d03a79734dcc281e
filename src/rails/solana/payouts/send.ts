import { limits } from '../../../base/limits.js'
import type { Logger } from '../../../base/log.js'
import type { PreparedAttempt } from '../../../payouts/ports.js'
import { NodeFailure, type RpcNode } from '../rpc/node.js'
import { inGroups, logFailure, type RpcNodes } from '../rpc/nodes.js'
import type { RpcCall } from '../rpc/rpc-schemas.js'

/**
 * No preflight: it would drop transactions that may succeed a block later. No retries by the node:
 * we send again ourselves while the transaction may land.
 */
const options = { encoding: 'base64', skipPreflight: true, maxRetries: 0 }

/** Sends the same bytes to every node. The replies prove nothing and are only logged. */
export function createSend(nodes: RpcNodes, logger: Logger) {
  async function post(node: RpcNode, calls: RpcCall[]): Promise<void> {
    const { host } = node
    try {
      const answers = await node.send(calls)
      const error = answers.find((answer) => answer.error)?.error
      if (error) logger.debug({ host, error }, 'RPC node rejected a transaction')
    } catch (error) {
      if (!(error instanceof NodeFailure)) throw error
      logFailure(logger, node, error)
    }
  }

  async function postAll(node: RpcNode, groups: RpcCall[][]): Promise<void> {
    const remaining = [...groups]
    const postNext = async () => {
      for (let group = remaining.shift(); group; group = remaining.shift()) await post(node, group)
    }
    await Promise.all(Array.from({ length: limits.solana.requestsInFlightMax }, postNext))
  }

  return async (attempts: Pick<PreparedAttempt, 'wire'>[]): Promise<void> => {
    const calls = attempts.map(({ wire }) => {
      return { method: 'sendTransaction', params: [wire.toString('base64'), options] }
    })
    const groups = inGroups(calls, limits.solana.callsPerRequestMax)
    await Promise.all(nodes.all.map((node) => postAll(node, groups)))
  }
}
