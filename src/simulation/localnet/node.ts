import { type Commitment, distances, slotOf } from './blocks.js'
import type { Chain } from './chain.js'
import { Faults, type Rule } from './faults.js'
import type { Entry, Found } from './history.js'
import type { Key } from './keys.js'
import type { AccountState } from './vm.js'
import type { Wire } from './wire.js'

/** How a node sees the chain: honest, or with the faults that were set for it. */
export class Node {
  readonly faults: Faults

  constructor(
    readonly chain: Chain,
    lasting: Rule[],
  ) {
    this.faults = new Faults(lasting)
  }

  /** The newest block this node knows to be that sure. */
  heightAt(commitment: Commitment): number {
    return this.chain.blocks.height - this.faults.lag - distances[commitment]
  }

  slotAt(commitment: Commitment): number {
    return slotOf(this.heightAt(commitment))
  }

  readAccount(key: Key, commitment: Commitment): AccountState | null {
    return this.chain.accounts.readAt(key, this.slotAt(commitment))
  }

  /** A transaction, if this node has seen it at that commitment and does not pretend otherwise. */
  find(signature: Key, commitment: Commitment): Entry | undefined {
    const entry = this.chain.find(signature)
    return entry && this.sees(entry, commitment) ? entry : undefined
  }

  sees(entry: Entry, commitment: Commitment): boolean {
    if (entry.slot > this.slotAt(commitment)) return false
    if (!this.faults.has('forget')) return true
    const { transaction, keys } = this.chain.read(entry.ordinal)
    const suspect = { signature: transaction.signature, keys, transaction }
    return this.faults.take(['forget'], suspect) === undefined
  }

  read(entry: Entry): Found {
    return this.chain.read(entry.ordinal)
  }

  statusOf(slot: number): Commitment {
    if (slot <= this.slotAt('finalized')) return 'finalized'
    return slot <= this.slotAt('confirmed') ? 'confirmed' : 'processed'
  }

  /** As far as this node has heard, may the transaction still land? */
  judge(transaction: Wire, commitment: Commitment) {
    const known = this.chain.find(transaction.signature)
    if (known && known.slot <= this.slotAt('processed')) return 'AlreadyProcessed'
    const isRecent = this.chain.blocks.isRecent(transaction.blockhash, this.heightAt(commitment))
    return isRecent ? undefined : 'BlockhashNotFound'
  }
}
