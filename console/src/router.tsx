import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  redirect,
} from '@tanstack/react-router'
import { NotFound } from './frame/not-found'
import { Shell } from './frame/shell'
import { movedPaths, screenRoutes } from './routes'

const root = createRootRoute({ component: Shell, notFoundComponent: NotFound })

const children = screenRoutes.map((screen) =>
  createRoute({
    getParentRoute: () => root,
    path: screen.path,
    component: lazyRouteComponent(screen.load, 'Screen'),
    staticData: { screen },
  }),
)

const moved = movedPaths.map(({ from, to }) =>
  createRoute({
    getParentRoute: () => root,
    path: from,
    beforeLoad: () => {
      throw redirect({ to, replace: true })
    },
  }),
)

/** Filters are plain text in the URL, not JSON. */
export const router = createRouter({
  routeTree: root.addChildren([...children, ...moved]),
  basepath: '/console',
  defaultPreload: 'intent',
  scrollRestoration: true,
  parseSearch: (text) => Object.fromEntries(new URLSearchParams(text)),
  stringifySearch: (search) => {
    const given = Object.entries(search).filter(([, value]) => value !== undefined && value !== '')
    const text = new URLSearchParams(given.map(([name, value]) => [name, String(value)])).toString()
    return text === '' ? '' : `?${text}`
  },
})
