import type { Journal } from './journal.js'
import type { Key } from './keys.js'
import { OneOrMany } from './one-or-many.js'
import { type Landed, readRecord } from './records.js'
import { readWire, type Wire } from './wire.js'

/** One transaction of the history, as far as it is known without reading the journal. */
export type HistoryEntry = { ordinal: number; slot: number; hasFailed: boolean }

export type Names = { signature: Key; keys: Key[] }

export type FoundTransaction = Landed & { transaction: Wire; keys: Key[] }

/**
 * Every transaction that ever landed, by signature and by address. Nothing is ever forgotten: a
 * signature that could land again would be money paid twice. Contents stay in the journal.
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

  add(landed: Pick<Landed, 'slot' | 'hasFailed'>, names: Names, offset: number): void {
    const ordinal = this.offsets.length
    this.ordinals.set(names.signature, ordinal)
    this.offsets.push(offset)
    this.slots.push(landed.slot)
    if (landed.hasFailed) this.failed.add(ordinal)
    for (const key of names.keys) this.addresses.add(key, ordinal)
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
    // Not spread: that would read the meta, which not everybody wants.
    return Object.assign(landed, { transaction, keys: keysOf(landed, transaction) })
  }
}

/** All addresses that a transaction names, itself or by lookup tables. */
export function keysOf({ loaded }: Pick<Landed, 'loaded'>, { keys }: Pick<Wire, 'keys'>): Key[] {
  const isPlain = loaded.writable.length + loaded.readonly.length === 0
  return isPlain ? keys : [...keys, ...loaded.writable, ...loaded.readonly]
}
