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
const lostMessages = /Connection (terminated|ended)|not queryable|timeout (expired|exceeded)/i

export function isConnectionLost(error: unknown): boolean {
  const { code, message } = error as Failure
  return (code !== undefined && lostCodes.has(code)) || lostMessages.test(message ?? '')
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
