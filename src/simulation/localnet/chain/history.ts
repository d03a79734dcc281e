import { OneOrMany } from '../server/one-or-many.js'
import { readWire, type Wire } from '../server/wire.js'
import type { Journal } from './journal.js'
import type { Key } from './keys.js'
import { type Landed, readRecord } from './records.js'

/** A transaction as indexed in memory. */
export type HistoryEntry = { ordinal: number; slot: number; hasFailed: boolean }

export type IndexKeys = { signature: Key; keys: Key[] }

export type FoundTransaction = Landed & { transaction: Wire; keys: Key[] }

/**
 * Every transaction that ever landed, by signature and by address; contents stay in the journal.
 * Signatures are never dropped: one that could land again would pay twice.
 */
export class History {
  private ordinals = new Map<Key, number>()
  private addresses = new OneOrMany<Key, number>()
  private offsets: number[] = []
  private slots: number[] = []
  private failed = new Set<number>()

  get size(): number {
    return this.offsets.length
  }

  add(landed: Pick<Landed, 'slot' | 'hasFailed'>, index: IndexKeys, offset: number): void {
    const ordinal = this.offsets.length
    this.ordinals.set(index.signature, ordinal)
    this.offsets.push(offset)
    this.slots.push(landed.slot)
    if (landed.hasFailed) this.failed.add(ordinal)
    for (const key of index.keys) this.addresses.add(key, ordinal)
  }

  has(signature: Key): boolean {
    return this.ordinals.has(signature)
  }

  find(signature: Key): HistoryEntry | undefined {
    const ordinal = this.ordinals.get(signature)
    return ordinal === undefined ? undefined : this.entry(ordinal)
  }

  /** Oldest first. */
  ordinalsOf(address: Key): readonly number[] {
    return this.addresses.get(address)
  }

  entry(ordinal: number): HistoryEntry {
    return { ordinal, slot: this.slots[ordinal]!, hasFailed: this.failed.has(ordinal) }
  }

  read(journal: Journal, ordinal: number): FoundTransaction {
    const landed = readRecord(journal.read(this.offsets[ordinal]!)) as Landed
    const transaction = readWire(landed.wire)
    // Not a spread: that would parse the lazy meta.
    return Object.assign(landed, { transaction, keys: keysOf(landed, transaction) })
  }
}

/** All addresses of a transaction, including those from lookup tables. */
export function keysOf({ loaded }: Pick<Landed, 'loaded'>, { keys }: Pick<Wire, 'keys'>): Key[] {
  const isPlain = loaded.writable.length + loaded.readonly.length === 0
  return isPlain ? keys : [...keys, ...loaded.writable, ...loaded.readonly]
}
