import type pg from 'pg'
import { limits } from '../base/limits.js'
import { ConnectionLost, isConnectionLost, OutcomeUnknown, wasNeverSent } from './failures.js'
import type { Sql } from './sql.js'
import { type Statement, toStatement } from './statement.js'

export type Source<Row> = Sql<Row> | Statement<Row>

/** Anything that can run a query: the pool, or an open transaction. */
export type Queryable = {
  rows<Row>(source: Source<Row>): Promise<Row[]>
}

/**
 * An open transaction. Queries are awaited. Writes are sent immediately and checked at commit, so
 * a use case that decided in memory sends all of its writes and the commit in one flush.
 */
export class Tx implements Queryable {
  /** If false, stores throw `Busy` (busy.ts) instead of waiting for a row another one holds. */
  readonly waitsForLocks: boolean
  readonly #client: pg.ClientBase
  readonly #sent: Promise<void>[] = []
  readonly #afterCommit = new Set<() => void>()
  #failure: unknown
  #isCommitSent = false
  #hasNoTimeouts = false

  constructor(client: pg.ClientBase, { waitsForLocks }: { waitsForLocks: boolean }) {
    this.waitsForLocks = waitsForLocks
    this.#client = client
    this.write({ text: 'begin', values: [] })
  }

  async rows<Row>(source: Source<Row>): Promise<Row[]> {
    try {
      const result = await this.#client.query<Row & pg.QueryResultRow>(this.#toQuery(source))
      return result.rows
    } catch (error) {
      throw this.#fail(error)
    }
  }

  /** `onDone` gets the number of rows written, before the commit ends. */
  write(source: Source<unknown>, onDone?: (count: number) => void): void {
    const query = this.#client.query(this.#toQuery(source))
    this.#sent.push(
      query.then(
        (result) => onDone?.(result.rowCount ?? 0),
        (error) => {
          this.#fail(error)
        },
      ),
    )
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
    this.#hasNoTimeouts = true
    this.write({ text: 'set local statement_timeout = 0', values: [] })
  }

  #toQuery<Row>(source: Source<Row>) {
    const statement = toStatement(source)
    if (!this.#hasNoTimeouts) return statement
    return { ...statement, query_timeout: limits.postgres.proofStatementMs }
  }

  /** After a failed statement COMMIT answers with the tag ROLLBACK and no error. */
  async commit(): Promise<void> {
    this.#isCommitSent = true
    const committed = this.#client.query('commit').then(
      (result) => result.command,
      (error: unknown) => {
        this.#isCommitSent = !wasNeverSent(error)
        this.#fail(error)
      },
    )
    await Promise.all(this.#sent)
    const tag = await committed
    if (this.#failure !== undefined) throw this.#classify(this.#failure)
    if (tag !== 'COMMIT') throw new Error('the transaction was rolled back for an unknown reason')
    for (const action of this.#afterCommit) action()
  }

  async rollback(): Promise<void> {
    await Promise.all(this.#sent)
    await this.#client.query('rollback')
  }

  /** The first failure is the cause; later ones only report that the transaction was aborted. */
  #fail(error: unknown): unknown {
    this.#failure ??= error
    return this.#classify(this.#failure)
  }

  #classify(failure: unknown): unknown {
    if (!isConnectionLost(failure)) return failure
    const Kind = this.#isCommitSent ? OutcomeUnknown : ConnectionLost
    return new Kind('the connection to the database was lost', { cause: failure })
  }
}

/** Runs the work in one transaction on this connection. */
export async function inTransaction<Result>(
  client: pg.ClientBase,
  work: (tx: Tx) => Promise<Result>,
  options = { waitsForLocks: true },
): Promise<Result> {
  const tx = new Tx(client, options)
  let result: Result
  try {
    result = await work(tx)
  } catch (error) {
    await tx.rollback().catch(() => {}) // a lost connection has rolled back already
    throw error
  }
  await tx.commit()
  return result
}
