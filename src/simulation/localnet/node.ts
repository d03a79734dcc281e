import { type BlockCommitment, distances, slotOf } from './blocks.js'
import type { LocalnetChain } from './chain.js'
import { type FaultRule, Faults } from './faults.js'
import type { FoundTransaction, HistoryEntry } from './history.js'
import type { Key } from './keys.js'
import type { AccountState } from './vm.js'
import type { Wire } from './wire.js'

/** How a node sees the chain: honest, or with the faults that were set for it. */
export class Node {
  readonly faults: Faults

  constructor(
    readonly chain: LocalnetChain,
    lasting: FaultRule[],
  ) {
    this.faults = new Faults(lasting)
  }

  /** The newest block this node knows to be that sure. */
  heightAt(commitment: BlockCommitment): number {
    return this.chain.blocks.height - this.faults.lag - distances[commitment]
  }

  slotAt(commitment: BlockCommitment): number {
    return slotOf(this.heightAt(commitment))
  }

  readAccount(key: Key, commitment: BlockCommitment): AccountState | null {
    return this.chain.accounts.readAt(key, this.slotAt(commitment))
  }

  /** A transaction, if this node has seen it at that commitment and does not pretend otherwise. */
  find(signature: Key, commitment: BlockCommitment): HistoryEntry | undefined {
    const entry = this.chain.find(signature)
    return entry && this.sees(entry, commitment) ? entry : undefined
  }

  sees(entry: HistoryEntry, commitment: BlockCommitment): boolean {
    if (entry.slot > this.slotAt(commitment)) return false
    if (!this.faults.has('forget')) return true
    const { transaction, keys } = this.chain.read(entry.ordinal)
    const suspect = { signature: transaction.signature, keys, transaction }
    return this.faults.take(['forget'], suspect) === undefined
  }

  read(entry: HistoryEntry): FoundTransaction {
    return this.chain.read(entry.ordinal)
  }

  statusOf(slot: number): BlockCommitment {
    if (slot <= this.slotAt('finalized')) return 'finalized'
    return slot <= this.slotAt('confirmed') ? 'confirmed' : 'processed'
  }

  /** As far as this node has heard, may the transaction still land? */
  judge(transaction: Wire, commitment: BlockCommitment) {
    const known = this.chain.find(transaction.signature)
    if (known && known.slot <= this.slotAt('processed')) return 'AlreadyProcessed'
    const isRecent = this.chain.blocks.isRecent(transaction.blockhash, this.heightAt(commitment))
    return isRecent ? undefined : 'BlockhashNotFound'
  }
}
