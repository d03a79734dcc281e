import type pg from 'pg'
import { postgresLimits } from '../limits.js'
import type { Sql } from '../sql.js'
import { type Statement, toStatement } from '../statement.js'
import {
  ConnectionLost,
  isConnectionLost,
  OutcomeUnknown,
  toConnectionLost,
  wasNeverSent,
} from '../wire/failures.js'
import { Flush, type Result, runAlone } from './flush.js'

export type Source<Row> = Sql<Row> | Statement<Row>

/** Anything that can run a query: the pool, or an open transaction. */
export type Queryable = {
  rows<Row>(source: Source<Row>): Promise<Row[]>
}

/** A statement of the transaction. No caller waits for a write, so it has no `reject`. */
type Queued = {
  statement: Statement<unknown>
  resolve?: ((result: Result) => void) | undefined
  reject?: (error: unknown) => void
}

const begin: Statement<never> = { name: 'begin', text: 'begin', values: [] }
const commit: Statement<never> = { name: 'commit', text: 'commit', values: [] }
const rollback: Statement<never> = { name: 'rollback', text: 'rollback', values: [] }

type TxOptions = { waitsForLocks: boolean; isFirstRun?: boolean }

/**
 * An open transaction. Statements are collected and leave in one write when a query needs its
 * result, or with the commit. So a use case that reads, decides in memory and writes waits twice.
 */
export class Tx implements Queryable {
  /** If false, stores throw `Busy` (busy.ts) instead of waiting for a row another one holds. */
  readonly waitsForLocks: boolean
  /**
   * In the first run of a lane's group: a row that must be unique is inserted without a query for
   * it. If it exists, the group is rolled back and runs again, with the query.
   */
  readonly isFirstRun: boolean
  readonly #client: pg.ClientBase
  #queue: Queued[] = [{ statement: begin }]
  readonly #afterCommit = new Set<() => void>()
  readonly #last: { lock: string; source: Source<unknown> }[] = []
  #isFlushScheduled = false
  #isFlushing = false
  #isBegun = false
  #isEnding = false
  #failure: { error: unknown } | undefined
  #isCommitSent = false
  #timeoutMs: number | undefined

  constructor(client: pg.ClientBase, { waitsForLocks, isFirstRun = false }: TxOptions) {
    this.waitsForLocks = waitsForLocks
    this.isFirstRun = isFirstRun
    this.#client = client
  }

  get databaseName(): string {
    return databaseNameOf(this.#client as pg.Client)
  }

  /** Queries that are not awaited one by one leave together. */
  async rows<Row>(source: Source<Row>): Promise<Row[]> {
    const { rows } = await this.#run(toStatement(source))
    return rows as Row[]
  }

  /** Runs a statement without a result and returns how many rows it changed. */
  async count(source: Source<unknown>): Promise<number> {
    return countOf(await this.#run(toStatement(source)))
  }

  /**
   * Its failure is reported by the next query or by the commit. `onDone` gets the number of rows
   * written, and those the statement returns, before the commit ends.
   */
  write<Row>(source: Source<Row>, onDone?: (done: { count: number; rows: Row[] }) => void): void {
    const resolve =
      onDone && ((result: Result) => onDone({ count: countOf(result), rows: result.rows as Row[] }))
    this.#enqueue({ statement: toStatement(source), resolve })
  }

  /**
   * Writes right before the commit, in the order of `lock`: for rows that lock something of this
   * name, which therefore is the last lock of every transaction and held for the commit only.
   */
  writeLast(lock: string, source: Source<unknown>): void {
    this.#last.push({ lock, source })
  }

  /** Runs the action once if the transaction commits. It must not throw. */
  afterCommit(action: () => void): void {
    this.#afterCommit.add(action)
  }

  /**
   * Lifts the timeouts of server and client for the rest of the transaction, for proofs that read
   * every row of the ledger.
   */
  liftTimeouts(): void {
    this.#timeoutMs = postgresLimits.proofStatementMs
    this.write({ text: 'set local statement_timeout = 0', values: [] })
  }

  /** After a failed statement COMMIT answers with the tag ROLLBACK and no error. */
  async commit(): Promise<void> {
    if (this.#last.length > 0) this.#writeLast()
    this.#isEnding = true
    const { tag } = await this.#run(commit)
    if (tag !== 'COMMIT') throw new Error('the transaction was rolled back for an unknown reason')
    for (const action of this.#afterCommit) action()
  }

  async rollback(): Promise<void> {
    this.#isEnding = true
    this.#queue = []
    if (this.#isBegun) await this.#run(rollback)
  }

  #writeLast(): void {
    this.#last.sort((left, right) => (left.lock < right.lock ? -1 : left.lock > right.lock ? 1 : 0))
    for (const { source } of this.#last) this.write(source)
  }

  async #run(statement: Statement<unknown>): Promise<Result> {
    try {
      return await new Promise<Result>((resolve, reject) => {
        this.#enqueue({ statement, resolve, reject })
        this.#schedule()
      })
    } catch (error) {
      throw withOwnStack(error)
    }
  }

  /** After the end a statement would run, and be committed, on its own. */
  #enqueue(queued: Queued): void {
    const { statement } = queued
    if (this.#isEnding && statement !== commit && statement !== rollback)
      throw new Error('the transaction has ended')
    this.#queue.push(queued)
  }

  /** In a microtask, so that queries started together leave together. */
  #schedule(): void {
    if (this.#isFlushScheduled || this.#isFlushing) return
    this.#isFlushScheduled = true
    queueMicrotask(() => this.#flush())
  }

  #flush(): void {
    this.#isFlushScheduled = false
    const sent = this.#queue
    this.#queue = []
    if (sent.length === 0) return // rolled back before anything was sent
    if (this.#failure && sent[0]!.statement !== rollback) {
      this.#rejectAll(sent)
      return
    }
    this.#isFlushing = true
    this.#isBegun = true
    this.#isCommitSent = sent.at(-1)!.statement === commit
    const flush = new Flush(
      sent.map(({ statement }) => statement),
      { timeoutMs: this.#timeoutMs, callback: (error) => this.#receive(sent, flush, error) },
    )
    this.#client.query(flush)
  }

  #receive(sent: Queued[], { results }: Flush, error: unknown): void {
    this.#isFlushing = false
    for (const [index, result] of results.entries()) sent[index]!.resolve?.(result)
    if (error !== undefined) {
      if (wasNeverSent(error)) this.#isCommitSent = false
      this.#failure ??= { error: this.#classify(error) }
      this.#rejectAll(sent.slice(results.length))
    }
    if (this.#queue.length > 0) this.#schedule()
  }

  /** The first failure is the cause; what follows fails because the transaction was aborted. */
  #rejectAll(queued: Queued[]): void {
    for (const { reject } of queued) reject?.(this.#failure!.error)
  }

  #classify(error: unknown): unknown {
    if (!isConnectionLost(error)) return error
    const Kind = this.#isCommitSent ? OutcomeUnknown : ConnectionLost
    return new Kind('the connection to the database was lost', { cause: error })
  }
}

/** The same for all connections to a database. */
export function databaseNameOf({ host, port, database }: pg.Client): string {
  return `${host}:${port}/${database}`
}

/**
 * Thrown by work that needs a statement to be committed first. The transaction is rolled back, so
 * that nothing is locked meanwhile, the statement is committed alone, and the work runs again.
 */
export class CommitFirst extends Error {
  override name = 'CommitFirst'

  constructor(readonly statement: Source<unknown>) {
    super('a statement must be committed first')
  }
}

/** The stack of an error from the server leads to the socket; this one leads to the caller. */
function withOwnStack(error: unknown): unknown {
  if (error instanceof Error) Error.captureStackTrace(error, withOwnStack)
  return error
}

/** The last word of a tag such as `INSERT 0 3`. */
function countOf({ tag }: Result): number {
  return Number(tag.slice(tag.lastIndexOf(' ')))
}

/** Runs the work in one transaction on this connection. */
export async function inTransaction<Result>(
  client: pg.ClientBase,
  work: (tx: Tx) => Promise<Result>,
  options: TxOptions = { waitsForLocks: true },
): Promise<Result> {
  const tx = new Tx(client, options)
  try {
    const result = await work(tx)
    await tx.commit()
    return result
  } catch (error) {
    const isLost = error instanceof OutcomeUnknown || error instanceof ConnectionLost
    if (!isLost) await tx.rollback().catch(() => {}) // a lost connection has rolled back already
    if (!(error instanceof CommitFirst)) throw error
    await commitAlone(client, toStatement(error.statement))
    return inTransaction(client, work, options)
  }
}

/** A lost connection is never `OutcomeUnknown` here: running the statement twice does no harm. */
export async function commitAlone(
  client: pg.ClientBase,
  statement: Statement<unknown>,
): Promise<Result> {
  try {
    return await runAlone(client, statement)
  } catch (error) {
    throw toConnectionLost(withOwnStack(error))
  }
}
