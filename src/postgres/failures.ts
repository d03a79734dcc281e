/** How the database can fail us, told apart by what the caller may conclude. */

/** The connection was lost after commit was sent: the work may or may not be there. */
export class OutcomeUnknown extends Error {
  override name = 'OutcomeUnknown'
}

/** The connection was lost, or never made, before commit was sent: nothing happened. */
export class ConnectionLost extends Error {
  override name = 'ConnectionLost'
}

type Failure = { code?: string; message?: string }

const lostCodes = new Set([
  // Read-only: the server was demoted to a standby, so the connection leads to the wrong one.
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

/** The server answered nothing until the client gave up. */
export function isSilence(error: unknown): boolean {
  return /Query read timeout/.test((error as Failure | undefined)?.message ?? '')
}

/** pg knows that the connection is gone and keeps the statement to itself: it never left. */
export function wasNeverSent(error: unknown): boolean {
  return /not queryable/.test((error as Failure).message ?? '')
}

/**
 * Deadlocks and serialization failures: the server rolled back and says "try again". A unique value
 * that somebody else wrote first is another: whoever looks again finds it, and refuses in words.
 */
export function isTransient(error: unknown): boolean {
  const { code } = error as Failure
  return code === '40P01' || code === '40001' || code === '23505'
}

export function isLockTimeout(error: unknown): boolean {
  return (error as Failure).code === '55P03'
}

/** No space left for a table or an index. The disk of the log itself being full ends the server. */
export function isDiskFull(error: unknown): boolean {
  return (error as Failure).code === '53100'
}

/** Among others, the table of locks is full: a smaller batch takes fewer. */
export function isOutOfMemory(error: unknown): boolean {
  return (error as Failure).code === '53200'
}

/**
 * The server cannot do this now, whatever the statement was: it is out of disk or memory, a file
 * cannot be read, or the statement took too long and was cancelled. Nothing was done.
 */
export function isServerTrouble(error: unknown): boolean {
  const { code = '' } = error as Failure
  return code.startsWith('53') || code.startsWith('58') || code === '57014'
}

/** The database is lost or in trouble: an outage, and no bug of the work that met it. */
export function isDatabaseAway(error: unknown): boolean {
  const isLost = error instanceof ConnectionLost || error instanceof OutcomeUnknown
  return isLost || isConnectionLost(error) || isServerTrouble(error)
}
