import pg from 'pg'
import { limits } from '../limits.js'

/**
 * How values come back: whole numbers of eight bytes as bigint, because money is never a float, and
 * json as the text it was stored as, because the keys inside it are the merchant's.
 */
const types: pg.CustomTypesConfig = {
  getTypeParser(oid: number, format?: 'text' | 'binary') {
    if (oid === pg.types.builtins.INT8) return (text: string) => BigInt(text)
    if (oid === pg.types.builtins.JSON) return (text: string) => text
    return pg.types.getTypeParser(oid, format as 'text')
  },
}

/**
 * Timeouts on every connection: one stuck process must not stall the others. Pipelining lets
 * statements leave without waiting for the answer to the one before.
 */
function connectionOptions(url: string, applicationName: string) {
  return {
    connectionString: url,
    application_name: applicationName,
    types,
    pipeline: true,
    keepAlive: true,
    connectionTimeoutMillis: limits.postgres.connectMs,
    statement_timeout: limits.postgres.statementMs,
    lock_timeout: limits.postgres.lockMs,
    idle_in_transaction_session_timeout: limits.postgres.idleInTransactionMs,
  }
}

/**
 * A connection of one's own, for work whose every statement names its rows by key. A table that has
 * grown since it was last analysed, or never was, must not tempt the planner to read it whole: that
 * made batches thirty times slower. Its loss is reported by the statements under way, not by an
 * event.
 */
export async function connect(url: string, applicationName: string): Promise<pg.Client> {
  const client = new pg.Client(connectionOptions(url, applicationName))
  client.on('error', () => {})
  await client.connect()
  await client.query(
    'set enable_seqscan = off; set enable_hashjoin = off; set enable_mergejoin = off',
  )
  return client
}

export function createPool(
  url: string,
  onIdleError: (error: Error) => void,
  size: number = limits.postgres.poolSize,
): pg.Pool {
  const pool = new pg.Pool({ ...connectionOptions(url, 'manilla'), max: size })
  pool.on('error', onIdleError)
  return pool
}
