import { type BlockCommitment, blocksBehind, slotOf } from '../chain/blocks.js'
import type { LocalnetChain } from '../chain/chain.js'
import type { FoundTransaction, HistoryEntry } from '../chain/history.js'
import type { Key } from '../chain/keys.js'
import type { AccountState } from '../chain/vm.js'
import { type FaultRule, Faults } from '../faults.js'
import type { Wire } from './wire.js'

/** A node's view of the chain, with the faults set for it. */
export class Node {
  readonly faults: Faults

  constructor(
    readonly chain: LocalnetChain,
    permanentRules: FaultRule[],
  ) {
    this.faults = new Faults(permanentRules)
  }

  heightAt(commitment: BlockCommitment): number {
    return this.chain.blocks.height - this.faults.lag - blocksBehind[commitment]
  }

  slotAt(commitment: BlockCommitment): number {
    return slotOf(this.heightAt(commitment))
  }

  readAccount(key: Key, commitment: BlockCommitment): AccountState | null {
    return this.chain.accounts.readAt(key, this.slotAt(commitment))
  }

  /** Undefined if this node has not seen the transaction at the commitment, or hides it. */
  find(signature: Key, commitment: BlockCommitment): HistoryEntry | undefined {
    const entry = this.chain.find(signature)
    return entry && this.sees(entry, commitment) ? entry : undefined
  }

  sees(entry: HistoryEntry, commitment: BlockCommitment): boolean {
    if (entry.slot > this.slotAt(commitment)) return false
    if (!this.faults.has('forget')) return true
    const { transaction, keys } = this.chain.read(entry.ordinal)
    const subject = { signature: transaction.signature, keys, transaction }
    return this.faults.take(['forget'], subject) === undefined
  }

  read(entry: HistoryEntry): FoundTransaction {
    return this.chain.read(entry.ordinal)
  }

  statusOf(slot: number): BlockCommitment {
    if (slot <= this.slotAt('finalized')) return 'finalized'
    return slot <= this.slotAt('confirmed') ? 'confirmed' : 'processed'
  }

  /** Why the transaction cannot land, as far as this node knows. */
  rejectionOf(transaction: Wire, commitment: BlockCommitment) {
    const known = this.chain.find(transaction.signature)
    if (known && known.slot <= this.slotAt('processed')) return 'AlreadyProcessed'
    const isRecent = this.chain.blocks.isRecent(transaction.blockhash, this.heightAt(commitment))
    return isRecent ? undefined : 'BlockhashNotFound'
  }
}
