import type { Permission } from './permissions.js'

/** A user who is signed in to the console. */
export type UserActor = {
  kind: 'user'
  userId: string
  sessionId: string
  name: string
  email: string
  /** For the merchant and mode of the request. */
  permissions: ReadonlySet<Permission>
  /** Proved a factor in the last minutes. */
  hasStepUp: boolean
}

/** The sender of a request: an API key, a user, or a client that needs neither. */
export type Actor = { kind: 'key'; keyId: string; name: string } | UserActor | { kind: 'none' }

/** Whether answers and searches hide who paid. API keys see everything. */
export function hidesPayers(actor: Actor): boolean {
  return actor.kind === 'user' && !actor.permissions.has('payers.see')
}
