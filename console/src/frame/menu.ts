import { useLocation } from '@tanstack/react-router'
import { usePermissions, useSession } from '../api/session'
import { isOperatorPath, mayOpen, screenRoutes } from '../routes'
import type { ScreenRoute } from '../screens/screen-route'

export type MenuRoute = ScreenRoute & { menu: NonNullable<ScreenRoute['menu']> }

/** Path below /console. */
export function usePath(): string {
  return useLocation({ select: ({ pathname }) => pathname.replace(/^\/console/, '') || '/' })
}

export const useIsOperatorArea = () => isOperatorPath(usePath())

/** The entries that this user sees in this area. */
export function useMenu(): MenuRoute[] {
  const permissions = usePermissions()
  const { isOperator } = useSession().user
  const isOperatorArea = useIsOperatorArea()
  return screenRoutes.filter((route): route is MenuRoute => {
    const isHere = route.menu?.group.startsWith('operator') === isOperatorArea
    return route.menu !== undefined && isHere && mayOpen(route, { permissions, isOperator })
  })
}

/** The entry that a path belongs to: the longest one that it begins with. */
export function isCurrent(path: string, entry: string, entries: string[]): boolean {
  const fits = (one: string) => path === one || (one !== '/' && path.startsWith(`${one}/`))
  const longest = entries.filter(fits).sort((a, b) => b.length - a.length)[0]
  return longest === entry
}
