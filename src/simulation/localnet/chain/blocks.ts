import { createHash } from 'node:crypto'
import { localnetLimits } from '../limits.js'
import { type Key, keyBytesOf, keyOf } from './keys.js'

export type BlockCommitment = 'processed' | 'confirmed' | 'finalized'

const { blockhashAge, confirmedAfter, finalizedAfter, slotsAhead, lagSlots } = localnetLimits

/** How many blocks old a block is at each commitment. */
export const blocksBehind: Record<BlockCommitment, number> = {
  processed: 0,
  confirmed: confirmedAfter,
  finalized: finalizedAfter,
}

/** Age of the oldest block that can be queried: the finalized block of a lagging node. */
export const oldestReadable = finalizedAfter + lagSlots

export function slotOf(height: number): number {
  return height + slotsAhead
}

/**
 * Blocks of the chain and their hashes. Hashes derive from genesis and height: heights never
 * repeat, so hashes never repeat, and none needs to be stored.
 */
export class Blocks {
  private heights = new Map<Key, number>()

  constructor(
    private genesis: Key,
    public height: number,
  ) {
    for (let past = height - this.kept; past <= height; past++)
      this.heights.set(this.hashAt(past), past)
  }

  private readonly kept = blockhashAge + oldestReadable

  next(): void {
    this.height += 1
    this.heights.set(this.hashAt(this.height), this.height)
    this.heights.delete(this.hashAt(this.height - this.kept - 1))
  }

  get slot(): number {
    return slotOf(this.height)
  }

  hashAt(height: number): Key {
    return keyOf(createHash('sha256').update(keyBytesOf(this.genesis)).update(`${height}`).digest())
  }

  /** Whether a transaction with this hash may land in a block of this height. */
  isRecent(hash: Key, height = this.height): boolean {
    const created = this.heights.get(hash)
    return created !== undefined && created <= height && height - created <= blockhashAge
  }
}
