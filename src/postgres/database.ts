import type pg from 'pg'
import { limits } from '../base/limits.js'
import { createPool, type PoolOptions } from './connection.js'
import { ConnectionLost, isConnectionLost, isSilence, OutcomeUnknown } from './failures.js'
import { toStatement } from './statement.js'
import { inTransaction, type Queryable, type Source, type Tx } from './tx.js'

/** The pool: for single statements, and for transactions outside of lanes. */
export class Database implements Queryable {
  readonly url: string
  readonly #createPool: () => pg.Pool
  readonly #sizeMax: number
  #pool: pg.Pool

  constructor(url: string, onIdleError: (error: Error) => void, options?: PoolOptions) {
    this.url = url
    this.#sizeMax = options?.size ?? limits.postgres.poolSize
    this.#createPool = () => createPool(url, onIdleError, options)
    this.#pool = this.#createPool()
  }

  async rows<Row>(source: Source<Row>): Promise<Row[]> {
    const pool = this.#pool
    try {
      const result = await pool.query<Row & pg.QueryResultRow>(toStatement(source))
      return result.rows
    } catch (error) {
      this.#replaceIfSilent(pool, error)
      throw toConnectionLost(error)
    }
  }

  async transaction<Result>(work: (tx: Tx) => Promise<Result>): Promise<Result> {
    const pool = this.#pool
    const client = await pool.connect().catch((error: unknown) => {
      throw toConnectionLost(error)
    })
    let isBroken = false
    try {
      return await inTransaction(client, work)
    } catch (error) {
      isBroken = error instanceof ConnectionLost || error instanceof OutcomeUnknown
      if (isBroken) this.#replaceIfSilent(pool, (error as Error).cause)
      throw error
    } finally {
      client.release(isBroken)
    }
  }

  get connections(): { used: number; idle: number; waiting: number; max: number } {
    const { totalCount, idleCount, waitingCount } = this.#pool
    return {
      used: totalCount - idleCount,
      idle: idleCount,
      waiting: waitingCount,
      max: this.#sizeMax,
    }
  }

  async close(): Promise<void> {
    await this.#pool.end()
  }

  /**
   * When one connection is silent, the others probably lead to the same dead server. Waiting for
   * each of them to time out would fail one request per connection.
   */
  #replaceIfSilent(pool: pg.Pool, error: unknown): void {
    if (!isSilence(error) || pool !== this.#pool) return
    this.#pool = this.#createPool()
    pool.end().catch(() => {})
  }
}

/** Statements outside a transaction only read, or may safely run again: no unknown outcome. */
function toConnectionLost(error: unknown): unknown {
  if (!isConnectionLost(error)) return error
  return new ConnectionLost('the connection to the database was lost', { cause: error })
}
