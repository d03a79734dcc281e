import { textOf } from '../chain/keys.js'
import { mints } from '../chain/programs.js'
import { type FaucetRequest, mint, transfer } from '../faucet.js'
import { type FaultRule, faults, type Match } from '../faults.js'
import { localnetLimits } from '../limits.js'
import type { LocalnetNetwork } from '../server/network.js'
import type { Node } from '../server/node.js'
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

/** Methods that exist only here, for tests and for the service that runs the localnet. */
export const localnetMethods = {
  /** Mints {owner, mint, amount, key}, one or a list, at most once per key. */
  async localnet_mint({ chain }: Node, [requests]: Params) {
    return mint(chain, readFaucetRequests(requests, 'owner'))
  },

  /** Pays {to, mint, amount, key}, one or a list, at most once per key. */
  async localnet_transfer({ chain }: Node, [requests]: Params) {
    return transfer(chain, readFaucetRequests(requests, 'to'))
  },

  /** Makes {blocks} blocks and returns the new height. */
  localnet_advance({ chain }: Node, [options]: Params) {
    const blocks = readCountParam(readRpcConfig(options).blocks ?? 1, 'blocks')
    if (blocks > localnetLimits.blocksPerAdvanceMax)
      throw invalid(`Invalid params: at most ${localnetLimits.blocksPerAdvanceMax} blocks at once`)
    for (let made = 0; made < blocks; made++) chain.advance()
    return chain.blocks.height
  },

  /** Replaces the faults of this node, except the permanent ones. */
  localnet_setFaults({ faults }: Node, [rules]: Params) {
    faults.replace(readFaultRules(rules))
    return true
  },

  /** Opens another node {port?, rules?} on this chain, with its own faults. */
  async localnet_openNode(_: Node, [options]: Params, network: LocalnetNetwork) {
    const { port = 0, rules = [] } = readRpcConfig(options)
    if (network.size >= localnetLimits.nodesMax) throw invalid('Invalid params: too many nodes')
    const listener = await network.open(readCountParam(port, 'port'))
    listener.node.faults.replace(readFaultRules(rules))
    return { url: listener.url, wsUrl: listener.wsUrl, port: listener.port }
  },

  /** Closes the node on {port}. */
  async localnet_closeNode(_: Node, [options]: Params, network: LocalnetNetwork) {
    return network.close(readCountParam(readRpcConfig(options).port, 'port'))
  },
}

type OwnerField = 'owner' | 'to'

function readFaucetRequests(value: unknown, ownerField: OwnerField): FaucetRequest[] {
  const list = Array.isArray(value) ? readList(value, localnetLimits.faucetRequestsMax) : [value]
  return list.map((item) => readFaucetRequest(item, ownerField))
}

function readFaucetRequest(value: unknown, ownerField: OwnerField): FaucetRequest {
  const { [ownerField]: owner, mint, amount, key } = readRpcConfig(value)
  if (!Object.values<unknown>(mints).includes(mint))
    throw invalid('Invalid params: mint must be USDC or USDT')
  if (typeof key !== 'string' || key === '' || key.length > localnetLimits.requestKeyLengthMax)
    throw invalid(
      `Invalid params: key must have 1 to ${localnetLimits.requestKeyLengthMax} characters`,
    )
  const isAmount = /^[1-9]\d{0,18}$/.test(String(amount))
  if (!isAmount) throw invalid('Invalid params: amount must be a positive integer')
  return {
    owner: textOf(readAddressParam(owner)),
    mint: mint as string,
    amount: BigInt(amount as string),
    key,
  }
}

export function readFaultRules(value: unknown): FaultRule[] {
  return readList(value, localnetLimits.rulesMax).map((rule) => {
    const { match, fault, slots, times, error } = readRpcConfig(rule)
    if (!faults.includes(fault as FaultRule['fault']))
      throw invalid(`Invalid params: fault must be one of ${faults.join(', ')}`)
    const isLag = fault === 'lag'
    if (isLag && readCountParam(slots, 'slots') > localnetLimits.lagSlots)
      throw invalid(`Invalid params: lag must be at most ${localnetLimits.lagSlots} slots`)
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
