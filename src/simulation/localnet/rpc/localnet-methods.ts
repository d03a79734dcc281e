import { type MintOrder, mint, transfer } from '../faucet.js'
import { faults, type Match, type Rule } from '../faults.js'
import { textOf } from '../keys.js'
import { localnetLimits } from '../limits.js'
import type { Network } from '../network.js'
import type { Node } from '../node.js'
import { mints } from '../programs.js'
import { invalid } from './failure.js'
import {
  type Config,
  type Params,
  readAddress,
  readConfig,
  readCount,
  readList,
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
    const blocks = readCount(readConfig(options).blocks ?? 1, 'blocks')
    if (blocks > localnetLimits.advance)
      throw invalid(`Invalid params: at most ${localnetLimits.advance} blocks at once`)
    for (let made = 0; made < blocks; made++) chain.advance()
    return chain.blocks.height
  },

  /** Replaces the faults of this node. Those that the chain was started with stay. */
  localnet_setFaults({ faults }: Node, [rules]: Params) {
    faults.replace(readRules(rules))
    return true
  },

  /** Opens another node on this chain, {port?, rules?}, with faults of its own. */
  async localnet_openNode(_: Node, [options]: Params, network: Network) {
    const { port = 0, rules = [] } = readConfig(options)
    if (network.size >= localnetLimits.nodes) throw invalid('Invalid params: too many nodes')
    const listener = await network.open(readCount(port, 'port'))
    listener.node.faults.replace(readRules(rules))
    return { url: listener.url, wsUrl: listener.wsUrl, port: listener.port }
  },

  /** Closes a node that was opened so, {port}. */
  async localnet_closeNode(_: Node, [options]: Params, network: Network) {
    return network.close(readCount(readConfig(options).port, 'port'))
  },
}

function readOrders(orders: unknown, whose: 'owner' | 'to'): MintOrder[] {
  const list = Array.isArray(orders) ? readList(orders, localnetLimits.orders) : [orders]
  return list.map((order) => readOrder(order, whose))
}

function readOrder(value: unknown, whose: 'owner' | 'to'): MintOrder {
  const { [whose]: owner, mint, amount, key } = readConfig(value)
  if (!Object.values<unknown>(mints).includes(mint))
    throw invalid('Invalid params: mint must be that of USDC or USDT')
  if (typeof key !== 'string' || key === '' || key.length > localnetLimits.orderKeyLength)
    throw invalid(`Invalid params: key must have 1 to ${localnetLimits.orderKeyLength} letters`)
  const isAmount = /^[1-9]\d{0,18}$/.test(String(amount))
  if (!isAmount) throw invalid('Invalid params: amount must be a whole number above zero')
  const order = { mint: mint as string, amount: BigInt(amount as string), key }
  return { ...order, owner: textOf(readAddress(owner)) }
}

export function readRules(value: unknown): Rule[] {
  return readList(value, localnetLimits.rules).map((rule) => {
    const { match, fault, slots, times, error } = readConfig(rule)
    if (!faults.includes(fault as Rule['fault']))
      throw invalid(`Invalid params: fault must be one of ${faults.join(', ')}`)
    const isLag = fault === 'lag'
    if (isLag && readCount(slots, 'slots') > localnetLimits.lagSlots)
      throw invalid(`Invalid params: a node lags at most ${localnetLimits.lagSlots} slots`)
    return {
      match: readMatch(readConfig(match ?? (isLag ? { any: true } : undefined))),
      fault: fault as Rule['fault'],
      ...(slots !== undefined && { slots: readCount(slots, 'slots') }),
      ...(times !== undefined && { times: readCount(times, 'times') }),
      ...(error !== undefined && { error: error as NonNullable<Rule['error']> }),
    }
  })
}

function readMatch({ memo, account, signature, any }: Config): Match {
  if (account !== undefined) readAddress(account)
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
