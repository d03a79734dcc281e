import type pg from 'pg'
import { limits } from '../base/limits.js'
import { ConnectionLost, isConnectionLost, OutcomeUnknown, wasNeverSent } from './failures.js'
import type { Sql } from './sql.js'
import { type Statement, toStatement } from './statement.js'

export type Source<Row> = Sql<Row> | Statement<Row>

/** Anything that can answer a question: the pool, or a transaction under way. */
export type Reader = {
  rows<Row>(source: Source<Row>): Promise<Row[]>
}

/**
 * A transaction under way. Questions are awaited. Writes are sent at once and judged at commit, so
 * a use case that has decided in memory sends all of its writes and the commit in a single flush.
 */
export class Tx implements Reader {
  /** False in a lane: rows that another transaction holds are reported as `Busy` instead. */
  readonly waitsForLocks: boolean
  readonly #client: pg.ClientBase
  readonly #sent: Promise<void>[] = []
  #failure: unknown
  #isCommitSent = false
  #isUnhurried = false

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

  write(source: Source<unknown>): void {
    const query = this.#client.query(this.#toQuery(source))
    this.#sent.push(
      query.then(
        () => {},
        (error) => {
          this.#fail(error)
        },
      ),
    )
  }

  /**
   * Lifts the timeouts of the server and of the client for the rest of the transaction: proofs over
   * every row of large books take longer than any other statement may.
   */
  liftTimeouts(): void {
    this.#isUnhurried = true
    this.write({ text: 'set local statement_timeout = 0', values: [] })
  }

  #toQuery<Row>(source: Source<Row>) {
    const statement = toStatement(source)
    if (!this.#isUnhurried) return statement
    return { ...statement, query_timeout: limits.postgres.unhurriedMs }
  }

  /**
   * COMMIT after a failed statement answers ROLLBACK without an error, so its tag is the verdict.
   */
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
    if (this.#failure !== undefined) throw this.#told(this.#failure)
    if (tag !== 'COMMIT') throw new Error('the transaction was rolled back without saying why')
  }

  async rollback(): Promise<void> {
    await Promise.all(this.#sent)
    await this.#client.query('rollback')
  }

  /** The first failure is the cause; those after it only say that the transaction is lost. */
  #fail(error: unknown): unknown {
    this.#failure ??= error
    return this.#told(this.#failure)
  }

  #told(failure: unknown): unknown {
    if (!isConnectionLost(failure)) return failure
    const Kind = this.#isCommitSent ? OutcomeUnknown : ConnectionLost
    return new Kind('the connection to the database was lost', { cause: failure })
  }
}

/** Runs the work in one transaction on this connection: all of it is committed, or none. */
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
