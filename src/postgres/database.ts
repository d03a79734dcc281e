import pg from 'pg'
import { postgresLimits } from './limits.js'
import { toStatement } from './statement.js'
import {
  commitAlone,
  databaseNameOf,
  inTransaction,
  type Queryable,
  type Source,
  type Tx,
} from './transactions/tx.js'
import { createPool, type PoolOptions } from './wire/connection.js'
import { ConnectionLost, isSilence, OutcomeUnknown, toConnectionLost } from './wire/failures.js'

/** The pool: for single statements, and for transactions outside of lanes. */
export class Database implements Queryable {
  readonly url: string
  readonly #createPool: () => pg.Pool
  readonly #sizeMax: number
  #pool: pg.Pool

  constructor(url: string, onIdleError: (error: Error) => void, options?: PoolOptions) {
    this.url = url
    this.#sizeMax = options?.size ?? postgresLimits.poolSize
    this.#createPool = () => createPool(url, onIdleError, options)
    this.#pool = this.#createPool()
  }

  async rows<Row>(source: Source<Row>): Promise<Row[]> {
    const { rows } = await this.#withClient((client) => commitAlone(client, toStatement(source)))
    return rows as Row[]
  }

  transaction<Result>(work: (tx: Tx) => Promise<Result>): Promise<Result> {
    return this.#withClient((client) => inTransaction(client, work))
  }

  /** As `databaseName` of its transactions. */
  get name(): string {
    return databaseNameOf(new pg.Client(this.url))
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

  async #withClient<Result>(use: (client: pg.ClientBase) => Promise<Result>): Promise<Result> {
    const pool = this.#pool
    const client = await pool.connect().catch((error: unknown) => {
      throw toConnectionLost(error)
    })
    let isBroken = false
    try {
      return await use(client)
    } catch (error) {
      isBroken = error instanceof ConnectionLost || error instanceof OutcomeUnknown
      if (isBroken) this.#replaceIfSilent(pool, (error as Error).cause)
      throw error
    } finally {
      client.release(isBroken)
    }
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
