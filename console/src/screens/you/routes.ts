import type { ScreenRoute } from '../screen-route'

export const youRoutes: ScreenRoute[] = [{ path: '/you', load: () => import('./you') }]
