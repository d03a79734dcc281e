import { join } from 'node:path'
import type { Clock } from '../../../base/clock.js'
import { localnetLimits } from '../limits.js'
import { readIndexKeys, type Wire } from '../server/wire.js'
import { Accounts } from './accounts.js'
import { Blocks, slotOf } from './blocks.js'
import { execute, type RefusedTransaction } from './execute.js'
import type { Genesis } from './genesis.js'
import { type FoundTransaction, History, type HistoryEntry, keysOf } from './history.js'
import { Journal } from './journal.js'
import type { Key } from './keys.js'
import { type Landed, readRecord, writeClaim, writeLanded } from './records.js'
import type { AccountState } from './vm.js'
import type { VmTransactionError } from './vm-errors.js'

export type LandOptions = {
  requestKey?: string
  /** Fails with this error instead of running. */
  failure?: VmTransactionError
  /** The signatures were already verified. */
  isVerified?: boolean
}

type DelayedTransaction = { height: number; transaction: Wire; options: LandOptions }

/**
 * The chain that all nodes of this process share. Every state change is a transaction that is in
 * the journal before any client can see it; a start reads the journal and executes nothing.
 */
export class LocalnetChain {
  readonly accounts = new Accounts()
  readonly blocks: Blocks
  /** Signatures of faucet requests by key: each is fulfilled once, also across restarts. */
  readonly fulfilled = new Map<string, Key>()
  private history = new History()
  private journal: Journal
  private claimed = 0
  private delayed = new Map<Key, DelayedTransaction>()
  private listeners = new Set<() => void>()

  constructor(
    readonly folder: string,
    readonly genesis: Genesis,
    private clock: Clock,
  ) {
    this.accounts.restore(genesis.accounts)
    let height: number = localnetLimits.firstHeight
    let states = new Map<Key, AccountState | null>()
    this.journal = Journal.open(join(folder, 'journal'), (body, offset) => {
      const record = readRecord(body)
      if (record.kind === 'claim') {
        height = record.height
        return
      }
      height = Math.max(height, record.slot - slotOf(0))
      this.restore(record, states, offset)
      if (states.size < localnetLimits.statesPerBatchMax) return
      this.accounts.restore(states)
      states = new Map()
    })
    this.accounts.restore(states)
    this.blocks = new Blocks(genesis.hash, height)
    this.advance()
  }

  /** Makes one block. Delayed transactions that are due land in it, or are lost if too old. */
  advance(): void {
    this.blocks.next()
    const { height, slot } = this.blocks
    if (height > this.claimed) {
      this.claimed = height + localnetLimits.heightsClaimed
      this.journal.append(writeClaim(this.claimed))
    }
    this.accounts.enterSlot(slot, this.now())
    for (const [signature, { height: due, transaction, options }] of this.delayed) {
      if (due > height) continue
      this.delayed.delete(signature)
      this.land(transaction, options)
    }
    this.commit()
  }

  /** Why a transaction cannot land in this block, without executing it. */
  rejectionOf({
    signature,
    blockhash,
  }: Wire): 'AlreadyProcessed' | 'BlockhashNotFound' | undefined {
    if (this.history.has(signature)) return 'AlreadyProcessed'
    return this.blocks.isRecent(blockhash) ? undefined : 'BlockhashNotFound'
  }

  /** Executes a transaction in the current block. Call `commit` before any client sees it. */
  land(transaction: Wire, options: LandOptions = {}): RefusedTransaction | undefined {
    const err = this.rejectionOf(transaction)
    if (err) return { err, logs: [], units: 0 }
    const executed = execute(this.accounts, transaction, options)
    if (!('changes' in executed)) return executed
    const { requestKey = '' } = options
    const { slot } = this.blocks
    const { loaded, changes, hasFailed, meta, keys, before } = executed
    const landed: Landed = {
      kind: 'transaction',
      slot,
      time: this.now(),
      wire: transaction.bytes,
      loaded,
      changes,
      requestKey,
      hasFailed,
      meta,
    }
    const offset = this.journal.append(writeLanded(landed))
    this.history.add(landed, { signature: transaction.signature, keys }, offset)
    for (const { index, state } of changes)
      this.accounts.recordChange(keys[index]!, slot, before[index]!, state)
    if (requestKey !== '' && !hasFailed) this.fulfilled.set(requestKey, transaction.signature)
    return undefined
  }

  /** Delays a transaction for some blocks, in memory only, like a mempool. */
  delay(transaction: Wire, blocks: number, options: LandOptions): void {
    if (this.delayed.has(transaction.signature)) return
    const height = this.blocks.height + blocks
    this.delayed.set(transaction.signature, { height, transaction, options })
  }

  /** Drops a delayed transaction. */
  dropDelayed(signature: Key): void {
    this.delayed.delete(signature)
  }

  /** Writes the journal, then notifies listeners. Call it before any response. */
  commit(): void {
    this.journal.flush()
    for (const listener of this.listeners) listener()
  }

  /** Calls the listener after every commit; returns a function that removes it. */
  onCommit(listener: () => void): () => void {
    this.listeners.add(listener)
    return () => this.listeners.delete(listener)
  }

  get transactionCount(): number {
    return this.history.size
  }

  find(signature: Key): HistoryEntry | undefined {
    return this.history.find(signature)
  }

  /** Oldest first. */
  ordinalsOf(address: Key): readonly number[] {
    return this.history.ordinalsOf(address)
  }

  entry(ordinal: number): HistoryEntry {
    return this.history.entry(ordinal)
  }

  read(ordinal: number): FoundTransaction {
    return this.history.read(this.journal, ordinal)
  }

  close(): void {
    this.journal.append(writeClaim(this.blocks.height))
    this.journal.close()
  }

  private restore(landed: Landed, states: Map<Key, AccountState | null>, offset: number): void {
    const { signature, keys: own } = readIndexKeys(landed.wire)
    const keys = keysOf(landed, { keys: own })
    this.history.add(landed, { signature, keys }, offset)
    const { requestKey, hasFailed } = landed
    if (requestKey !== '' && !hasFailed) this.fulfilled.set(requestKey, signature)
    for (const { index, state } of landed.changes) states.set(keys[index]!, state)
  }

  private now(): number {
    return Math.floor(this.clock.now().getTime() / 1_000)
  }
}
