import type { LocalnetNetwork } from '../network.js'
import type { Node } from '../node.js'
import { accountMethods } from './accounts.js'
import { clusterMethods } from './cluster.js'
import { historyMethods } from './history.js'
import { localnetMethods } from './localnet-methods.js'
import type { Params } from './params.js'
import { sendMethods } from './send.js'
import { simulateTransaction } from './simulate.js'

export type RpcMethod = (node: Node, params: Params, network: LocalnetNetwork) => unknown

/** Everything that can be asked of a node. */
export const methods = new Map<string, RpcMethod>(
  Object.entries<RpcMethod>({
    ...clusterMethods,
    ...accountMethods,
    ...sendMethods,
    simulateTransaction,
    ...historyMethods,
    ...localnetMethods,
  }),
)

/** Faults that hit every call spare these, or nobody could take the faults back. */
export function isPrivate(method: unknown): boolean {
  return typeof method === 'string' && method.startsWith('localnet_')
}
