import type { BlockCommitment } from '../blocks.js'
import type { Node } from '../node.js'

/** The version of Agave whose dialect this is. */
export const apiVersion = '4.1.2'

export function withContext<T>(node: Node, commitment: BlockCommitment, value: T) {
  return { context: { apiVersion, slot: node.slotAt(commitment) }, value }
}

/** Stands for the largest 64-bit number, which JSON.stringify cannot write. */
export const largest = '[u64::MAX]'

/** Answers as text. No text of a caller can hold the quoted name: there, quotes are escaped. */
export function writeJson(answer: unknown): string {
  return JSON.stringify(answer).replaceAll(
    `"rentEpoch":"${largest}"`,
    '"rentEpoch":18446744073709551615',
  )
}
