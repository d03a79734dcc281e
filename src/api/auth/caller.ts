import type { Clock } from '../../base/clock.js'
import type { Environment } from '../../base/environment.js'
import type { AuthenticatedKey } from '../../merchants/keys/key-ring.js'
import type { Actor } from '../../team/actor.js'
import type { Permission } from '../../team/permissions.js'
import { hasStepUp, type SignedIn } from '../../team/sessions.js'

/** A user who acts for a merchant. */
export type UserCaller = {
  kind: 'user'
  id: string
  name: string
  environment: Environment
  permissions: ReadonlySet<Permission>
}

/** Who acts for an environment: the holder of an API key, or a user. */
export type Caller = AuthenticatedKey | UserCaller

const noActor: Actor = { kind: 'none' }

export function toActor(
  caller: Caller | undefined,
  signedIn: SignedIn | undefined,
  clock: Clock,
): Actor {
  if (signedIn)
    return {
      kind: 'user',
      userId: signedIn.userId,
      sessionId: signedIn.sessionId,
      name: signedIn.name,
      email: signedIn.email,
      permissions: caller?.kind === 'user' ? caller.permissions : new Set(),
      hasStepUp: hasStepUp(signedIn, clock.now()),
    }
  return caller ? { kind: 'key', keyId: caller.id, name: caller.name } : noActor
}
