import { errorCodes, type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify'
import { limits } from '../../base/limits.js'
import { quoteInput, Refusal } from '../../base/refusal.js'
import { isForAnyPage, preflightHeaders } from './cors.js'
import { pathOf } from './path-of.js'
import type { Route } from './route.js'

/** A documented path and the methods that it supports. */
export type KnownPath = { path: string; allowed: string[]; isOpen: boolean }

/** One segment of a path and what may follow it. */
type Segment = {
  words: Map<string, Segment>
  parameter: Segment | undefined
  /** Methods of the routes that end here, and of those that take any rest of the path. */
  methods: Set<string>
  restMethods: Set<string>
  known: KnownPath | undefined
}

export type WrongMethods = ReturnType<typeof createWrongMethods>

/**
 * Answers unsupported methods of known paths with the supported ones. The router only knows the
 * supported ones: a route for each other method would take a third of the start-up time. So paths
 * are read here, as the router reads them, once it has found no route.
 */
export function createWrongMethods(app: FastifyInstance) {
  const root = newSegment()
  const used = new Set(['HEAD', 'OPTIONS'])
  app.addHook('onRoute', ({ url, method }) => {
    const isRest = url.endsWith('*')
    const end = place(root, isRest ? url.slice(0, -'/*'.length) : url)
    for (const one of [method].flat()) (isRest ? end.restMethods : end.methods).add(one)
  })

  /** Throws for a known path, or answers a preflight request; false: the path is unknown. */
  function refuse(request: FastifyRequest, reply: FastifyReply): boolean {
    const known = find(root, segmentsOf(request.url))
    // Its metrics and log lines do not count methods that no path supports.
    const isUsed = used.has(request.method)
    if (!known) {
      if (isUsed) return false
      throw noSuchEndpoint(request)
    }
    if (isUsed) request.refusedPath = known
    const { allowed } = known
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
    const ends = new Set<Segment>()
    for (const { path, method, isStream, access } of routes) {
      const end = place(root, path)
      end.known ??= { path, allowed: [], isOpen: false }
      end.known.allowed.push(method)
      if (method === 'GET' && !isStream) end.known.allowed.push('HEAD')
      end.known.isOpen ||= access === 'open'
      used.add(method)
      ends.add(end)
    }
    const taken = [...ends].map(({ known }) => ({
      path: known!.path,
      methods: [...methodsBeside(root, known!.path.split('/').slice(1))].filter(
        (method) => !known!.allowed.includes(method),
      ),
    }))
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

export function noSuchEndpoint(request: FastifyRequest): Refusal {
  return new Refusal('not_found', {
    message: `No such endpoint: ${request.method} ${quoteInput(pathOf(request))}. The API reference is at /docs.`,
  })
}

function newSegment(): Segment {
  return {
    words: new Map(),
    parameter: undefined,
    methods: new Set(),
    restMethods: new Set(),
    known: undefined,
  }
}

/** The end of a pattern, added if it is new. */
function place(root: Segment, pattern: string): Segment {
  let end = root
  for (const part of pattern.split('/').slice(1)) {
    if (part.startsWith(':')) {
      end.parameter ??= newSegment()
      end = end.parameter
    } else {
      const next = end.words.get(part) ?? newSegment()
      end.words.set(part, next)
      end = next
    }
  }
  return end
}

/** Words come before parameters. A parameter that is too long is refused if nothing else fits. */
function find(root: Segment, segments: string[]): KnownPath | undefined {
  let isTooLong = false
  const findFrom = (at: Segment, index: number): KnownPath | undefined => {
    const part = segments[index]
    if (part === undefined) return at.known
    const word = at.words.get(part)
    const found = word && findFrom(word, index + 1)
    if (found || !at.parameter) return found
    if (part.length <= limits.http.pathSegmentLengthMax) return findFrom(at.parameter, index + 1)
    isTooLong = true
    return undefined
  }
  const found = findFrom(root, 0)
  if (!found && isTooLong) throw new errorCodes.FST_ERR_MAX_PARAM_LENGTH()
  return found
}

/** Methods of every route that takes a request which this pattern takes, too. */
function methodsBeside(at: Segment, parts: string[]): Set<string> {
  const [part, ...rest] = parts
  if (part === undefined) return new Set([...at.methods])
  const isParameter = part.startsWith(':')
  const words = isParameter ? [...at.words.values()] : [at.words.get(part)]
  const next = [...words, at.parameter].filter((one) => one !== undefined)
  return new Set([...at.restMethods, ...next.flatMap((one) => [...methodsBeside(one, rest)])])
}

/** Without query and fragment, decoded; also of a URL with scheme and host. */
function segmentsOf(url: string): string[] {
  const [path = ''] = url.replace(/^https?:\/\/[^/?#]*/i, '').split(/[?#]/, 1)
  return path.split('/').slice(1).map(decodeURIComponent)
}
