import { type Permissions, resourceKinds, sees, seesResult } from '../../team/seen-with.js'
import type { Route } from '../server/route.js'

export type SeesLogged = (
  permissions: Permissions,
  request: { method: string; path: string },
) => boolean

type RouteOfLog = Pick<Route, 'method' | 'path' | 'permission' | 'alsoNeeds' | 'shows'>

/**
 * Whether a caller may see query and bodies of a logged request: what its operation shows. A path
 * that several operations may have needs the permissions of all of them, and one of no operation
 * needs every permission.
 */
export function createSeesLogged(routes: RouteOfLog[]): SeesLogged {
  const parsed = routes.map((route) => ({ route, parts: route.path.split('/') }))
  return (permissions, { method, path }) => {
    const asked = path.split('/')
    const verb = method === 'HEAD' ? 'GET' : method
    const matching = parsed.filter(
      ({ route, parts }) => route.method === verb && isMatch(parts, asked),
    )
    if (matching.length === 0) return resourceKinds.every((kind) => sees(permissions, kind))
    return matching.every(({ route }) => seesBodies(permissions, route))
  }
}

function isMatch(parts: string[], asked: string[]): boolean {
  return (
    parts.length === asked.length &&
    parts.every((part, index) => part.startsWith(':') || part === asked[index])
  )
}

function seesBodies(permissions: Permissions, { permission, alsoNeeds, shows }: RouteOfLog) {
  if (shows) return shows.every((kind) => sees(permissions, kind))
  return [permission, ...(alsoNeeds ?? [])].every(
    (needed) => needed === undefined || seesResult(permissions, needed),
  )
}
