import { createHash } from 'node:crypto'
import { type Key, keyBytesOf, keyOf } from './keys.js'
import { localnetLimits } from './limits.js'

export type BlockCommitment = 'processed' | 'confirmed' | 'finalized'

const { blockhashAge, confirmedAfter, finalizedAfter, slotsAhead, lagSlots } = localnetLimits

/** So many blocks old is a block before it counts as that sure. */
export const distances: Record<BlockCommitment, number> = {
  processed: 0,
  confirmed: confirmedAfter,
  finalized: finalizedAfter,
}

/** The oldest block that anybody may still ask about: a node that lags, at its finalized block. */
export const oldestAsked = finalizedAfter + lagSlots

export function slotOf(height: number): number {
  return height + slotsAhead
}

/**
 * The blocks of the chain and their hashes. A hash is derived from the genesis and the height, so
 * that heights which never repeat give hashes which never repeat, and none must be stored.
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

  private readonly kept = blockhashAge + oldestAsked

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
    const made = this.heights.get(hash)
    return made !== undefined && made <= height && height - made <= blockhashAge
  }
}
