import { randomBytes } from 'node:crypto'

export const requestIdPattern = '^[A-Za-z0-9_.:-]{1,100}$'
const valid = new RegExp(requestIdPattern)

/** A random prefix and a counter: unique and cheap. It need not be unguessable. */
const processName = randomBytes(8).toString('hex')
let requestCount = 0

/** A caller's own request id is used if it is safe to log and to send back. */
export function toRequestId(inbound?: string | string[]): string {
  if (isRequestId(inbound)) return inbound
  return `req_${processName}${(requestCount++).toString(36).padStart(6, '0')}`
}

export function isRequestId(text: unknown): text is string {
  return typeof text === 'string' && valid.test(text)
}
