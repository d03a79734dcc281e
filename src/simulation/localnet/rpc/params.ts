import { decodeBase58 } from '../../../money/solana-address.js'
import type { BlockCommitment } from '../chain/blocks.js'
import { type Key, keyOf } from '../chain/keys.js'
import type { Node } from '../server/node.js'
import { invalid, RpcFailure, rpcErrorCodes } from './failure.js'

/** Parsed strictly: anything unexpected is an error of the caller. */
export type Params = readonly unknown[]
export type RpcConfig = Readonly<Record<string, unknown>>

export function readAddressParam(value: unknown): Key {
  return readBytes(value, 32)
}

export function readSignature(value: unknown): Key {
  return readBytes(value, 64)
}

function readBytes(value: unknown, length: number): Key {
  if (typeof value !== 'string') throw invalid('Invalid params: expected a string')
  const bytes = decodeBase58(value)
  if (!bytes) throw invalid('Invalid param: Invalid')
  if (bytes.length !== length) throw invalid('Invalid param: WrongSize')
  return keyOf(bytes)
}

export function readRpcConfig(value: unknown): RpcConfig {
  if (value === undefined || value === null) return {}
  if (typeof value !== 'object' || Array.isArray(value))
    throw invalid('Invalid params: expected a configuration object')
  return value as RpcConfig
}

/** Agave's default is `finalized` in every method. */
export function readCommitment(
  value: unknown,
  fallback: BlockCommitment = 'finalized',
): BlockCommitment {
  if (value === undefined || value === null) return fallback
  if (value === 'processed' || value === 'confirmed' || value === 'finalized') return value
  throw invalid('Invalid params: unknown commitment level')
}

export function readCountParam(value: unknown, name: string): number {
  if (!Number.isSafeInteger(value) || (value as number) < 0)
    throw invalid(`Invalid params: ${name} must be a whole number`)
  return value as number
}

export function readList(value: unknown, lengthMax: number): unknown[] {
  if (!Array.isArray(value)) throw invalid('Invalid params: expected a list')
  if (value.length > lengthMax) throw invalid(`Too many inputs provided; max ${lengthMax}`)
  return value
}

/** The requested commitment. Refuses if the node has not reached `minContextSlot`. */
export function readContext(node: Node, config: RpcConfig): BlockCommitment {
  const commitment = readCommitment(config.commitment)
  requireSlot(node, config, commitment)
  return commitment
}

export function requireSlot(node: Node, config: RpcConfig, commitment: BlockCommitment): void {
  if (config.minContextSlot === undefined || config.minContextSlot === null) return
  const contextSlot = node.slotAt(commitment)
  if (contextSlot >= readCountParam(config.minContextSlot, 'minContextSlot')) return
  const message = 'Minimum context slot has not been reached'
  throw new RpcFailure(rpcErrorCodes.minContextSlot, message, { contextSlot })
}

/** History methods need at least `confirmed`. */
export function requireConfirmed(commitment: BlockCommitment): void {
  if (commitment === 'processed')
    throw invalid('Method does not support commitment below `confirmed`')
}
