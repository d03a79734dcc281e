import { errorCodes, type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify'
import createRouter from 'find-my-way'
import { limits } from '../../base/limits.js'
import { quoteInput, Refusal } from '../../base/refusal.js'
import { isForAnyPage, preflightHeaders } from './cors.js'
import { pathOf } from './path-of.js'
import type { Route } from './route.js'

/** A documented path and the methods that it supports. */
export type KnownPath = { path: string; allowed: string[]; isOpen: boolean }

export type WrongMethods = ReturnType<typeof createWrongMethods>

/**
 * Answers unsupported methods of known paths with the supported ones. The server's router only
 * knows the supported ones: a route for each other method would take a third of the start-up time.
 * Once it has found no route, a second router finds the path.
 */
export function createWrongMethods(app: FastifyInstance) {
  const registered: { parts: string[]; method: string | string[] }[] = []
  const known = new Map<string, KnownPath>()
  let knownPaths: ReturnType<typeof createKnownPaths> | undefined
  const used = new Set(['HEAD', 'OPTIONS'])
  app.addHook('onRoute', ({ url, method }) => {
    registered.push({ parts: url.split('/'), method })
  })

  /** A parameter that is too long is refused if nothing else fits. */
  function find(url: string): KnownPath | undefined {
    // Created for the first request that needs it: most processes start without.
    knownPaths ??= createKnownPaths(known)
    const match = knownPaths.find('GET', url)
    if (!match) return undefined
    const found = match.store as KnownPath | null
    if (!found) throw new errorCodes.FST_ERR_MAX_PARAM_LENGTH()
    return found
  }

  /** Throws for a known path, or answers a preflight request; false: the path is unknown. */
  function refuse(request: FastifyRequest, reply: FastifyReply): boolean {
    const found = find(request.url)
    // Its metrics and log lines do not count methods that no path supports.
    const isUsed = used.has(request.method)
    if (!found) {
      if (isUsed) return false
      throw noSuchEndpoint(request)
    }
    if (isUsed) request.refusedPath = found
    const { allowed } = found
    reply.header('allow', allowed.join(', '))
    if (request.method === 'OPTIONS' && isForAnyPage(request)) {
      reply.headers(preflightHeaders(allowed)).code(204).send()
      return true
    }
    throw new Refusal('method_not_allowed', {
      message: `${quoteInput(pathOf(request))} does not support ${request.method}. Use ${allowed.join(' or ')}.`,
    })
  }

  /**
   * After all routes. Where the router would take a wrong method to another path, as
   * `/payments/:reference` takes `/payments/counts`, that method needs a route.
   */
  function add(routes: Route[]): void {
    for (const { path, method, isStream, access } of routes) {
      const entry = known.get(path) ?? { path, allowed: [], isOpen: false }
      entry.allowed.push(method)
      if (method === 'GET' && !isStream) entry.allowed.push('HEAD')
      entry.isOpen ||= access === 'open'
      used.add(method)
      known.set(path, entry)
    }
    const taken = [...known.values()].map(({ path, allowed }) => {
      const parts = path.split('/')
      const beside = registered.filter((other) => canShareUrl(parts, other.parts))
      const methods = new Set(beside.flatMap(({ method }) => method))
      return { path, methods: [...methods].filter((method) => !allowed.includes(method)) }
    })
    for (const { path, methods } of taken)
      if (methods.length > 0)
        app.route({
          method: methods,
          url: path,
          exposeHeadRoute: false,
          schema: { hide: true },
          onRequest: (request, reply, done) => {
            if (!refuse(request, reply)) done()
          },
          handler: async () => {},
        })
  }

  return { add, refuse }
}

/** A router of the documented paths, all of them as GET. */
function createKnownPaths(known: Map<string, KnownPath>) {
  const router = createRouter({
    maxParamLength: limits.http.pathSegmentLengthMax,
    // Without it, `find` could not tell a long parameter from an unknown path.
    onMaxParamLength() {},
  })
  for (const entry of known.values()) router.on('GET', entry.path, () => {}, entry)
  return router
}

export function noSuchEndpoint(request: FastifyRequest): Refusal {
  return new Refusal('not_found', {
    message: `No such endpoint: ${request.method} ${quoteInput(pathOf(request))}. The API reference is at /docs.`,
  })
}

/** Whether some URL fits both a documented path and a route, which may take any rest of the URL. */
function canShareUrl(path: string[], route: string[]): boolean {
  const takesRest = route.at(-1) === '*'
  if (takesRest ? path.length < route.length : path.length !== route.length) return false
  const fixed = takesRest ? route.slice(0, -1) : route
  return fixed.every((part, index) => {
    const other = path[index]!
    return part === other || part.startsWith(':') || other.startsWith(':')
  })
}
