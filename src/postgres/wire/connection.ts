import pg from 'pg'
import { laneLimits, postgresLimits } from '../limits.js'
import { type ListenerName, nameListener } from '../migrations/running-processes.js'

/**
 * Parses int8 as bigint, because money is never a float, and leaves json as text, because
 * merchants get their metadata back unchanged.
 */
export const types: pg.CustomTypesConfig = {
  getTypeParser(oid: number, format?: 'text' | 'binary') {
    if (oid === pg.types.builtins.INT8) return (text: string) => BigInt(text)
    if (oid === pg.types.builtins.JSON) return (text: string) => text
    return pg.types.getTypeParser(oid, format as 'text')
  },
}

/**
 * For a pool that reads all rows by key, as `connect` explains: a plan of a prepared statement may
 * date from a time when the table was small. A bitmap reads all rows of a range and sorts them,
 * where a page needs the newest 20 in the order of the index.
 */
const withoutScans =
  '-c enable_seqscan=off -c enable_bitmapscan=off -c enable_hashjoin=off -c enable_mergejoin=off'

/**
 * The server notices a vanished client, and drops its locks, within half a minute. It does not
 * compile queries, which stock servers do above an estimated cost: without scans the estimates
 * exceed it, and each query would compile for seconds to read a few rows.
 */
const serverSettings =
  '-c tcp_keepalives_idle=10 -c tcp_keepalives_interval=5 -c tcp_keepalives_count=3 -c jit=off'

type Timeouts = { statementMs: number; lockMs: number; connectMs: number }

/**
 * Every connection has timeouts on both sides: the server cancels slow statements, and the client
 * gives up on a silent server (a failover without a reset).
 */
function connectionOptions(url: string, applicationName: string, timeouts: Timeouts) {
  const { statementMs, lockMs, connectMs } = timeouts
  return {
    connectionString: url,
    application_name: applicationName,
    types,
    keepAlive: true,
    keepAliveInitialDelayMillis: postgresLimits.keepAliveMs,
    options: serverSettings,
    connectionTimeoutMillis: connectMs,
    statement_timeout: statementMs,
    query_timeout: statementMs + postgresLimits.responseGraceMs,
    lock_timeout: lockMs,
    idle_in_transaction_session_timeout: postgresLimits.idleInTransactionMs,
  }
}

const standardTimeouts = {
  statementMs: postgresLimits.statementMs,
  lockMs: postgresLimits.lockMs,
  connectMs: postgresLimits.connectMs,
}

/**
 * For lanes. A plan is kept while its table grows, so it must not depend on the table's size:
 * reading a row costs much, finding it in an index little. By the default costs, a table of some
 * hundred rows is read as a whole for every list, and still is when it has a hundred thousand.
 */
export const costsOfReadingByKey = 'set cpu_tuple_cost = 10; set cpu_index_tuple_cost = 10'

/**
 * A dedicated connection, for work that reads all rows by key. Sequential scans are off: the
 * planner chooses them for tables that grew since the last ANALYZE, which made batches 30 times
 * slower. Running statements report a lost connection.
 */
export async function connect(
  url: string,
  applicationName: string,
  timeouts: Timeouts = standardTimeouts,
): Promise<pg.Client> {
  const client = new pg.Client(connectionOptions(url, applicationName, timeouts))
  client.on('error', () => {})
  await client.connect()
  await client.query(
    'set enable_seqscan = off; set enable_hashjoin = off; set enable_mergejoin = off',
  )
  return client
}

/** For a lane: short timeouts, because every call in the batch waits for the slowest statement. */
export async function connectLane(url: string, applicationName: string): Promise<pg.Client> {
  const { statementMs, lockMs, connectMs } = laneLimits
  const client = await connect(url, applicationName, { statementMs, lockMs, connectMs })
  await client.query(costsOfReadingByKey).catch((error: unknown) => {
    client.end().catch(() => {})
    throw error
  })
  return client
}

/**
 * For LISTEN: the timeouts of a lane, so that its heartbeat soon finds a silent server. By its name
 * `migrate` finds running processes.
 */
export async function connectListener(url: string, name: ListenerName): Promise<pg.Client> {
  return connectLane(url, await nameListener(name))
}

/** Closes the socket without telling the server, which may be gone. */
export function cutConnection(client: pg.Client): void {
  const { connection } = client as unknown as { connection: pg.Connection }
  connection.stream.destroy()
}

export type PoolOptions = {
  size?: number
  statementMs?: number
  /** Also limits the wait for a free connection. */
  connectMs?: number
  applicationName?: string
  /** Every statement has an index for what it reads. */
  readsByKey?: boolean
}

export function createPool(
  url: string,
  onIdleError: (error: Error) => void,
  options: PoolOptions = {},
): pg.Pool {
  const { size = postgresLimits.poolSize, applicationName = 'manilla' } = options
  const { statementMs = postgresLimits.statementMs, connectMs = postgresLimits.connectMs } = options
  const pool = new pg.Pool({
    ...connectionOptions(url, applicationName, { ...standardTimeouts, statementMs, connectMs }),
    ...(options.readsByKey && { options: `${serverSettings} ${withoutScans}` }),
    max: size,
  })
  pool.on('error', onIdleError)
  // The pool handles errors of idle connections only. On a connection in use, the running statement
  // reports the loss; without a listener the event would end the process.
  pool.on('connect', (client) => client.on('error', () => {}))
  return pool
}
