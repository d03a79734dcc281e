import type pg from 'pg'
import { createPool } from './connection.js'
import { isConnectionLost } from './failures.js'
import { toStatement } from './statement.js'
import { inTransaction, type Reader, type Source, type Tx } from './tx.js'

/** The pool: for single questions, and for transactions that no lane gathers. */
export class Database implements Reader {
  readonly url: string
  readonly #pool: pg.Pool

  constructor(url: string, onIdleError: (error: Error) => void = () => {}, size?: number) {
    this.url = url
    this.#pool = createPool(url, onIdleError, size)
  }

  async rows<Row>(source: Source<Row>): Promise<Row[]> {
    const result = await this.#pool.query<Row & pg.QueryResultRow>(toStatement(source))
    return result.rows
  }

  async transaction<Result>(work: (tx: Tx) => Promise<Result>): Promise<Result> {
    const client = await this.#pool.connect()
    let failure: unknown
    try {
      return await inTransaction(client, work)
    } catch (error) {
      failure = error
      throw error
    } finally {
      const isBroken =
        failure !== undefined && isConnectionLost((failure as Error).cause ?? failure)
      client.release(isBroken)
    }
  }

  async close(): Promise<void> {
    await this.#pool.end()
  }
}
