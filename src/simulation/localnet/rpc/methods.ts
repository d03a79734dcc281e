import type { LocalnetNetwork } from '../server/network.js'
import type { Node } from '../server/node.js'
import { accountMethods } from './accounts.js'
import { clusterMethods } from './cluster.js'
import { historyMethods } from './history.js'
import { localnetMethods } from './localnet-methods.js'
import type { Params } from './params.js'
import { sendMethods } from './send.js'
import { simulateTransaction } from './simulate.js'

export type RpcMethod = (node: Node, params: Params, network: LocalnetNetwork) => unknown

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

/** Exempt from faults that hit every call: otherwise those faults could not be removed. */
export function isLocalnetMethod(method: unknown): boolean {
  return typeof method === 'string' && method.startsWith('localnet_')
}
