import type { BlockCommitment } from '../chain/blocks.js'
import type { HistoryEntry } from '../chain/history.js'
import { textOf } from '../chain/keys.js'
import { showMemos } from '../chain/memo.js'
import type { VmTransactionError } from '../chain/vm-errors.js'
import { localnetLimits } from '../limits.js'
import type { Node } from '../server/node.js'
import { withContext } from './answer.js'
import { invalid, RpcFailure, rpcErrorCodes } from './failure.js'
import {
  type Params,
  type RpcConfig,
  readAddressParam,
  readCommitment,
  readContext,
  readCountParam,
  readList,
  readRpcConfig,
  readSignature,
  requireConfirmed,
} from './params.js'
import { showTransaction } from './transaction-json.js'

/** Methods about past transactions. */
export const historyMethods = {
  getSignatureStatuses(node: Node, [signatures, options]: Params) {
    const keys = readList(signatures, localnetLimits.statuses).map(readSignature)
    const isSearch = readRpcConfig(options).searchTransactionHistory === true
    const oldest = node.slotAt('processed') - localnetLimits.recentStatusSlots
    const statuses = keys.map((key) => {
      const entry = node.find(key, 'processed')
      return entry && (isSearch || entry.slot >= oldest) ? showStatus(node, entry) : null
    })
    return withContext(node, 'processed', statuses)
  },

  getSignaturesForAddress(node: Node, [address, options]: Params) {
    const key = readAddressParam(address)
    const config = readRpcConfig(options)
    const commitment = readContext(node, config)
    requireConfirmed(commitment)
    const limit = readCountParam(config.limit ?? localnetLimits.signatures, 'limit')
    if (limit < 1 || limit > localnetLimits.signatures)
      throw invalid(`Invalid limit; max ${localnetLimits.signatures}`)
    const ordinals = node.chain.ordinalsOf(key)
    const found: HistoryEntry[] = []
    const [newest, oldest] = readRange(node, config)
    for (let index = ordinals.length - 1; index >= 0 && found.length < limit; index--) {
      const ordinal = ordinals[index]!
      if (ordinal <= oldest) break
      if (ordinal >= newest) continue
      const entry = node.chain.entry(ordinal)
      if (node.sees(entry, commitment)) found.push(entry)
    }
    return found.map((entry) => showLine(node, entry))
  },

  getTransaction(node: Node, [signature, options]: Params) {
    const key = readSignature(signature)
    // Old clients pass only the encoding.
    const config = typeof options === 'string' ? { encoding: options } : readRpcConfig(options)
    const commitment = readCommitment(config.commitment)
    requireConfirmed(commitment)
    const entry = node.find(key, commitment)
    if (!entry) return null
    const found = node.read(entry)
    const { version } = found.transaction
    if (version !== 'legacy' && typeof config.maxSupportedTransactionVersion !== 'number')
      throw unsupportedVersion(version)
    return showTransaction(found, config)
  },
}

/** Exclusive bounds of the ordinals. An unknown `before` excludes everything. */
function readRange({ chain }: Node, { before, until }: RpcConfig): [number, number] {
  const ordinalOf = (value: unknown) => chain.find(readSignature(value))?.ordinal ?? -1
  const isGiven = (value: unknown) => value !== undefined && value !== null
  const newest = isGiven(before) ? ordinalOf(before) : Number.POSITIVE_INFINITY
  return [newest, isGiven(until) ? ordinalOf(until) : -1]
}

function errorOf(node: Node, entry: HistoryEntry): VmTransactionError | null {
  return entry.hasFailed ? node.read(entry).meta.err : null
}

export function showStatus(node: Node, entry: HistoryEntry) {
  const err = errorOf(node, entry)
  const confirmationStatus: BlockCommitment = node.statusOf(entry.slot)
  const isFinal = confirmationStatus === 'finalized'
  return {
    slot: entry.slot,
    confirmations: isFinal ? null : node.slotAt('processed') - entry.slot,
    err,
    status: err ? { Err: err } : { Ok: null },
    confirmationStatus,
  }
}

function showLine(node: Node, entry: HistoryEntry) {
  const { transaction, slot, time } = node.read(entry)
  return {
    signature: textOf(transaction.signature),
    slot,
    err: errorOf(node, entry),
    memo: showMemos(transaction),
    blockTime: time,
    confirmationStatus: node.statusOf(slot),
  }
}

function unsupportedVersion(version: number): RpcFailure {
  return new RpcFailure(
    rpcErrorCodes.version,
    `Transaction version (${version}) is not supported by the requesting client. ` +
      'Please try the request again with the following configuration parameter: ' +
      `"maxSupportedTransactionVersion": ${version}`,
  )
}
