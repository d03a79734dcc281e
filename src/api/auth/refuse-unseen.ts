import { Refusal } from '../../base/refusal.js'
import { type Permission, rolesWith } from '../../team/permissions.js'
import type { RouteRequest } from '../server/route.js'

type CallerOf = Pick<RouteRequest<never, never, never>, 'actor' | 'environment'>

export function refuseKey(missing: Permission | undefined): Refusal {
  return new Refusal('forbidden', describeKeyLack(`${missing}`))
}

/** Refuses a request that would show or send what its caller may not see. */
export function refuseUnseen(caller: CallerOf, missing: Permission): Refusal {
  return new Refusal('forbidden', describeLack(caller, [missing]))
}

export function describeLack({ actor, environment: { mode } }: CallerOf, missing: Permission[]) {
  if (actor.kind !== 'user') return describeKeyLack(missing.join(', '))
  const may = missing
    .map((permission) => rolesWith(permission, mode))
    .reduce((all, roles) => all.filter((role) => roles.includes(role)))
  const message = `Your role lacks ${missing.join(', ')} in ${mode} mode. It is for: ${may.join(', ')}.`
  return { reason: 'role', message } as const
}

function describeKeyLack(missing: string) {
  const message = `This API key is restricted and lacks the permission ${missing}.`
  return { reason: 'key_permission', message } as const
}
