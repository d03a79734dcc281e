/** Database failures, by what the caller may conclude from them. */

/** The connection was lost after COMMIT was sent: the work may or may not be committed. */
export class OutcomeUnknown extends Error {
  override name = 'OutcomeUnknown'
}

/** The connection was lost or refused before COMMIT was sent: nothing was written. */
export class ConnectionLost extends Error {
  override name = 'ConnectionLost'
}

type Failure = { code?: string; message?: string }

const lostCodes = new Set([
  // Read-only: the server was demoted to a standby. A new connection finds the primary.
  '25006',
  '08000',
  '08001',
  '08003',
  '08004',
  '08006',
  '57P01',
  '57P02',
  '57P03',
  '57P05',
  '25P03',
  '53300',
  'EAI_AGAIN',
  'ECONNABORTED',
  'ECONNREFUSED',
  'ECONNRESET',
  'EHOSTUNREACH',
  'ENETDOWN',
  'ENETUNREACH',
  'ENOENT',
  'ENOTFOUND',
  'EPIPE',
  'ETIMEDOUT',
])
const lostMessages =
  /Connection (terminated|ended)|not queryable|timeout (expired|exceeded)|read timeout/i

export function isConnectionLost(error: unknown): boolean {
  const { code, message } = error as Failure
  return (code !== undefined && lostCodes.has(code)) || lostMessages.test(message ?? '')
}

/** Statements outside a transaction only read, or may safely run again: no unknown outcome. */
export function toConnectionLost(error: unknown): unknown {
  if (!isConnectionLost(error)) return error
  return new ConnectionLost('the connection to the database was lost', { cause: error })
}

/** The client gave up on a server that did not answer. */
export function isSilence(error: unknown): boolean {
  return /Query read timeout/.test((error as Failure | undefined)?.message ?? '')
}

/** pg knew that the connection was lost and did not send the statement. */
export function wasNeverSent(error: unknown): boolean {
  return /not queryable/.test((error as Failure).message ?? '')
}

/**
 * Deadlocks and serialization failures: the server rolled back, and a retry may succeed. A unique
 * violation is one too: the retry finds the other row and refuses with a proper message.
 */
export function isTransient(error: unknown): boolean {
  const { code } = error as Failure
  return code === '40P01' || code === '40001' || code === '23505'
}

export function isLockTimeout(error: unknown): boolean {
  return (error as Failure).code === '55P03'
}

/** No space left for a table or index. A full WAL disk stops the server instead. */
export function isDiskFull(error: unknown): boolean {
  return (error as Failure).code === '53100'
}

/** Includes a full lock table: a smaller batch needs fewer locks. */
export function isOutOfMemory(error: unknown): boolean {
  return (error as Failure).code === '53200'
}

/**
 * The server cannot run any such statement now: it is out of disk or memory, cannot read a file,
 * or cancelled the statement for taking too long. Nothing was written.
 */
export function isServerTrouble(error: unknown): boolean {
  const { code = '' } = error as Failure
  return code.startsWith('53') || code.startsWith('58') || code === '57014'
}

/** A database outage, as opposed to a bug in the work that met it. */
export function isDatabaseAway(error: unknown): boolean {
  const isLost = error instanceof ConnectionLost || error instanceof OutcomeUnknown
  return isLost || isConnectionLost(error) || isServerTrouble(error)
}
