import { slotOf } from '../chain/blocks.js'
import { textOf } from '../chain/keys.js'
import { transactionFeeOf } from '../fees.js'
import { localnetLimits } from '../limits.js'
import type { Node } from '../server/node.js'
import { MalformedTransaction, readMessage } from '../server/wire.js'
import { apiVersion, withContext } from './answer.js'
import { invalid, nodeBehind } from './failure.js'
import {
  type Params,
  readAddressParam,
  readContext,
  readCountParam,
  readList,
  readRpcConfig,
} from './params.js'

const { blockhashAge, healthySlots, slotsPerEpoch } = localnetLimits

/** Methods about the node and its blocks. */
export const clusterMethods = {
  getHealth(node: Node) {
    if (node.faults.lag > healthySlots) throw nodeBehind(node.faults.lag)
    return 'ok'
  },

  getVersion: () => ({ 'feature-set': 0, 'solana-core': apiVersion }),

  getGenesisHash: ({ chain }: Node) => textOf(chain.genesis.hash),

  getSlot: (node: Node, [config]: Params) => node.slotAt(readContext(node, readRpcConfig(config))),

  /** Like a node with the full history. */
  getFirstAvailableBlock: () => 0,

  getBlockHeight: (node: Node, [config]: Params) =>
    node.heightAt(readContext(node, readRpcConfig(config))),

  getEpochInfo(node: Node, [config]: Params) {
    const commitment = readContext(node, readRpcConfig(config))
    const absoluteSlot = node.slotAt(commitment)
    return {
      absoluteSlot,
      blockHeight: node.heightAt(commitment),
      epoch: Math.floor(absoluteSlot / slotsPerEpoch),
      slotIndex: absoluteSlot % slotsPerEpoch,
      slotsInEpoch: slotsPerEpoch,
      transactionCount: node.chain.transactionCount,
    }
  },

  getLatestBlockhash(node: Node, [config]: Params) {
    const commitment = readContext(node, readRpcConfig(config))
    const height = node.heightAt(commitment)
    const blockhash = textOf(node.chain.blocks.hashAt(height))
    return withContext(node, commitment, {
      blockhash,
      lastValidBlockHeight: height + blockhashAge,
    })
  },

  isBlockhashValid(node: Node, [hash, config]: Params) {
    const commitment = readContext(node, readRpcConfig(config))
    const isRecent = node.chain.blocks.isRecent(readAddressParam(hash), node.heightAt(commitment))
    return withContext(node, commitment, isRecent)
  },

  getMinimumBalanceForRentExemption: ({ chain }: Node, [size]: Params) =>
    Number(chain.accounts.vm.rentFor(readCountParam(size, 'size'))),

  /** Blocks are never full, so no fee is needed. */
  getRecentPrioritizationFees(node: Node, [addresses = []]: Params) {
    readList(addresses, localnetLimits.statuses).forEach(readAddressParam)
    const { prioritizationFees: count } = localnetLimits
    const first = node.heightAt('processed') - count + 1
    return Array.from({ length: count }, (_, index) => {
      return { slot: slotOf(first + index), prioritizationFee: 0 }
    })
  },

  getFeeForMessage(node: Node, [text, config]: Params) {
    const commitment = readContext(node, readRpcConfig(config))
    const message = decodeMessage(text)
    const isRecent = node.chain.blocks.isRecent(message.blockhash, node.heightAt(commitment))
    return withContext(node, commitment, isRecent ? Number(transactionFeeOf(message)) : null)
  },
}

function decodeMessage(text: unknown) {
  if (typeof text !== 'string') throw invalid('Invalid params: expected a string')
  try {
    return readMessage(Buffer.from(text, 'base64'), 0)
  } catch (error) {
    if (!(error instanceof MalformedTransaction)) throw error
    throw invalid(`failed to deserialize solana_message::VersionedMessage: ${error.message}`)
  }
}
