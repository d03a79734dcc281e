import { join } from 'node:path'
import type { Clock } from '../../base/clock.js'
import { Accounts } from './accounts.js'
import { Blocks, slotOf } from './blocks.js'
import { execute, type Refused } from './execute.js'
import type { Genesis } from './genesis.js'
import { type FoundTransaction, History, type HistoryEntry, keysOf } from './history.js'
import { Journal } from './journal.js'
import type { Key } from './keys.js'
import { localnetLimits } from './limits.js'
import { type Landed, readRecord, writeClaim, writeLanded } from './records.js'
import type { AccountState } from './vm.js'
import type { VmTransactionError } from './vm-errors.js'
import { readNames, type Wire } from './wire.js'

export type LandOptions = {
  orderKey?: string
  /** It shall fail so, whatever it would do. */
  failure?: VmTransactionError
  /** Its signatures were checked already. */
  isVerified?: boolean
}

type Held = { height: number; transaction: Wire; options: LandOptions }

/**
 * The one chain that all nodes of this process look at. Every change of state is a transaction, in
 * the journal before anybody is told of it; a start reads the journal and executes nothing.
 */
export class LocalnetChain {
  readonly accounts = new Accounts()
  readonly blocks: Blocks
  /** Mint orders by their key: each is fulfilled once, ever. */
  readonly orders = new Map<string, Key>()
  private history = new History()
  private journal: Journal
  private claimed = 0
  private held = new Map<Key, Held>()
  private watchers = new Set<() => void>()

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
      this.remember(record, states, offset)
      if (states.size < localnetLimits.statesAtOnce) return
      this.accounts.restore(states)
      states = new Map()
    })
    this.accounts.restore(states)
    this.blocks = new Blocks(genesis.hash, height)
    this.advance()
  }

  /** Makes one block. What was delayed until now lands in it, or is lost if it is too old. */
  advance(): void {
    this.blocks.next()
    const { height, slot } = this.blocks
    if (height > this.claimed) {
      this.claimed = height + localnetLimits.heightsClaimed
      this.journal.append(writeClaim(this.claimed))
    }
    this.accounts.enterSlot(slot, this.now())
    for (const [signature, { height: due, transaction, options }] of this.held) {
      if (due > height) continue
      this.held.delete(signature)
      this.land(transaction, options)
    }
    this.settle()
  }

  /** Why a transaction cannot land in the next block, before anything is executed. */
  judge({ signature, blockhash }: Wire): 'AlreadyProcessed' | 'BlockhashNotFound' | undefined {
    if (this.history.has(signature)) return 'AlreadyProcessed'
    return this.blocks.isRecent(blockhash) ? undefined : 'BlockhashNotFound'
  }

  /** Executes a transaction in the current block. Nobody may hear of it before `settle`. */
  land(transaction: Wire, options: LandOptions = {}): Refused | undefined {
    const err = this.judge(transaction)
    if (err) return { err, logs: [], units: 0 }
    const executed = execute(this.accounts, transaction, options)
    if (!('changes' in executed)) return executed
    const { orderKey = '' } = options
    const { slot } = this.blocks
    const { loaded, changes, hasFailed, meta, keys, before } = executed
    const landed: Landed = {
      kind: 'transaction',
      slot,
      time: this.now(),
      wire: transaction.bytes,
      loaded,
      changes,
      orderKey,
      hasFailed,
      meta,
    }
    const offset = this.journal.append(writeLanded(landed))
    this.history.add(landed, { signature: transaction.signature, keys }, offset)
    for (const { index, state } of changes)
      this.accounts.noteChange(keys[index]!, slot, before[index]!, state)
    if (orderKey !== '' && !hasFailed) this.orders.set(orderKey, transaction.signature)
    return undefined
  }

  /** Keeps a transaction for some blocks before it lands; like a mempool, it dies with us. */
  hold(transaction: Wire, blocks: number, options: LandOptions): void {
    if (this.held.has(transaction.signature)) return
    const height = this.blocks.height + blocks
    this.held.set(transaction.signature, { height, transaction, options })
  }

  /** Gives up a transaction that is kept so. */
  forget(signature: Key): void {
    this.held.delete(signature)
  }

  /** Writes down what happened, then tells those who wait. To be called before any answer. */
  settle(): void {
    this.journal.flush()
    for (const tell of this.watchers) tell()
  }

  /** Called after every change that may be told; returns how to stop listening. */
  watch(tell: () => void): () => void {
    this.watchers.add(tell)
    return () => this.watchers.delete(tell)
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

  private remember(landed: Landed, states: Map<Key, AccountState | null>, offset: number): void {
    const { signature, keys: own } = readNames(landed.wire)
    const keys = keysOf(landed, { keys: own })
    this.history.add(landed, { signature, keys }, offset)
    const { orderKey, hasFailed } = landed
    if (orderKey !== '' && !hasFailed) this.orders.set(orderKey, signature)
    for (const { index, state } of landed.changes) states.set(keys[index]!, state)
  }

  private now(): number {
    return Math.floor(this.clock.now().getTime() / 1_000)
  }
}
