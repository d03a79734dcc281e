import { type MintOrder, mint, transfer } from '../faucet.js'
import { type FaultRule, faults, type Match } from '../faults.js'
import { textOf } from '../keys.js'
import { localnetLimits } from '../limits.js'
import type { LocalnetNetwork } from '../network.js'
import type { Node } from '../node.js'
import { mints } from '../programs.js'
import { invalid } from './failure.js'
import {
  type Params,
  type RpcConfig,
  readAddressParam,
  readCountParam,
  readList,
  readRpcConfig,
  readSignature,
} from './params.js'

/** What no other chain can do: for tests, and for the service that this chain belongs to. */
export const localnetMethods = {
  /** One order or a list of them: {owner, mint, amount, key}. At most once per key, for ever. */
  async localnet_mint({ chain }: Node, [orders]: Params) {
    return mint(chain, readOrders(orders, 'owner'))
  },

  /** A customer pays: one order or a list of them, {to, mint, amount, key}, as of mints. */
  async localnet_transfer({ chain }: Node, [orders]: Params) {
    return transfer(chain, readOrders(orders, 'to'))
  },

  /** Makes blocks, {blocks}, and answers the new height. */
  localnet_advance({ chain }: Node, [options]: Params) {
    const blocks = readCountParam(readRpcConfig(options).blocks ?? 1, 'blocks')
    if (blocks > localnetLimits.advance)
      throw invalid(`Invalid params: at most ${localnetLimits.advance} blocks at once`)
    for (let made = 0; made < blocks; made++) chain.advance()
    return chain.blocks.height
  },

  /** Replaces the faults of this node. Those that the chain was started with stay. */
  localnet_setFaults({ faults }: Node, [rules]: Params) {
    faults.replace(readFaultRules(rules))
    return true
  },

  /** Opens another node on this chain, {port?, rules?}, with faults of its own. */
  async localnet_openNode(_: Node, [options]: Params, network: LocalnetNetwork) {
    const { port = 0, rules = [] } = readRpcConfig(options)
    if (network.size >= localnetLimits.nodes) throw invalid('Invalid params: too many nodes')
    const listener = await network.open(readCountParam(port, 'port'))
    listener.node.faults.replace(readFaultRules(rules))
    return { url: listener.url, wsUrl: listener.wsUrl, port: listener.port }
  },

  /** Closes a node that was opened so, {port}. */
  async localnet_closeNode(_: Node, [options]: Params, network: LocalnetNetwork) {
    return network.close(readCountParam(readRpcConfig(options).port, 'port'))
  },
}

function readOrders(orders: unknown, whose: 'owner' | 'to'): MintOrder[] {
  const list = Array.isArray(orders) ? readList(orders, localnetLimits.orders) : [orders]
  return list.map((order) => readOrder(order, whose))
}

function readOrder(value: unknown, whose: 'owner' | 'to'): MintOrder {
  const { [whose]: owner, mint, amount, key } = readRpcConfig(value)
  if (!Object.values<unknown>(mints).includes(mint))
    throw invalid('Invalid params: mint must be that of USDC or USDT')
  if (typeof key !== 'string' || key === '' || key.length > localnetLimits.orderKeyLength)
    throw invalid(`Invalid params: key must have 1 to ${localnetLimits.orderKeyLength} letters`)
  const isAmount = /^[1-9]\d{0,18}$/.test(String(amount))
  if (!isAmount) throw invalid('Invalid params: amount must be a whole number above zero')
  const order = { mint: mint as string, amount: BigInt(amount as string), key }
  return { ...order, owner: textOf(readAddressParam(owner)) }
}

export function readFaultRules(value: unknown): FaultRule[] {
  return readList(value, localnetLimits.rules).map((rule) => {
    const { match, fault, slots, times, error } = readRpcConfig(rule)
    if (!faults.includes(fault as FaultRule['fault']))
      throw invalid(`Invalid params: fault must be one of ${faults.join(', ')}`)
    const isLag = fault === 'lag'
    if (isLag && readCountParam(slots, 'slots') > localnetLimits.lagSlots)
      throw invalid(`Invalid params: a node lags at most ${localnetLimits.lagSlots} slots`)
    return {
      match: readMatch(readRpcConfig(match ?? (isLag ? { any: true } : undefined))),
      fault: fault as FaultRule['fault'],
      ...(slots !== undefined && { slots: readCountParam(slots, 'slots') }),
      ...(times !== undefined && { times: readCountParam(times, 'times') }),
      ...(error !== undefined && { error: error as NonNullable<FaultRule['error']> }),
    }
  })
}

function readMatch({ memo, account, signature, any }: RpcConfig): Match {
  if (account !== undefined) readAddressParam(account)
  if (signature !== undefined) readSignature(signature)
  const isEmpty = memo === undefined && account === undefined && signature === undefined && !any
  if (isEmpty) throw invalid('Invalid params: a rule must match something')
  return {
    ...(memo !== undefined && { memo: String(memo) }),
    ...(account !== undefined && { account: account as string }),
    ...(signature !== undefined && { signature: signature as string }),
    ...(any === true && { any }),
  }
}
