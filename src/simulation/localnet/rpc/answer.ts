import type { BlockCommitment } from '../chain/blocks.js'
import type { Node } from '../server/node.js'

/** The Agave version whose format is used. */
export const apiVersion = '4.1.2'

export function withContext<T>(node: Node, commitment: BlockCommitment, value: T) {
  return { context: { apiVersion, slot: node.slotAt(commitment) }, value }
}

/** Placeholder for 2^64 - 1, which JSON.stringify cannot write. */
export const u64Max = '[u64::MAX]'

/** Caller input cannot contain the replaced text: its quotes are escaped. */
export function writeJson(answer: unknown): string {
  return JSON.stringify(answer).replaceAll(
    `"rentEpoch":"${u64Max}"`,
    '"rentEpoch":18446744073709551615',
  )
}
