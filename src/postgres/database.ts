import type pg from 'pg'
import { createPool } from './connection.js'
import { ConnectionLost, isConnectionLost, OutcomeUnknown } from './failures.js'
import { toStatement } from './statement.js'
import { inTransaction, type Reader, type Source, type Tx } from './tx.js'

/** The pool: for single questions, and for transactions that no lane gathers. */
export class Database implements Reader {
  readonly url: string
  readonly #pool: pg.Pool

  constructor(url: string, onIdleError: (error: Error) => void, size?: number) {
    this.url = url
    this.#pool = createPool(url, onIdleError, size)
  }

  async rows<Row>(source: Source<Row>): Promise<Row[]> {
    try {
      const result = await this.#pool.query<Row & pg.QueryResultRow>(toStatement(source))
      return result.rows
    } catch (error) {
      throw toldLost(error)
    }
  }

  async transaction<Result>(work: (tx: Tx) => Promise<Result>): Promise<Result> {
    const client = await this.#pool.connect().catch((error: unknown) => {
      throw toldLost(error)
    })
    let isBroken = false
    try {
      return await inTransaction(client, work)
    } catch (error) {
      isBroken = error instanceof ConnectionLost || error instanceof OutcomeUnknown
      throw error
    } finally {
      client.release(isBroken)
    }
  }

  async close(): Promise<void> {
    await this.#pool.end()
  }
}

/** A single question changes nothing, so losing the connection leaves nothing unknown. */
function toldLost(error: unknown): unknown {
  if (!isConnectionLost(error)) return error
  return new ConnectionLost('the connection to the database was lost', { cause: error })
}
