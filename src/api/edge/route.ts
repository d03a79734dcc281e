import type { IncomingHttpHeaders } from 'node:http'
import type { Readable } from 'node:stream'
import Type, { type Static, type TSchema } from 'typebox'
import type { Environment } from '../../base/environment.js'
import type { Code } from '../../base/refusals.js'
import type { Answer, Answered } from '../../idempotency/answer.js'
import type { IdempotencyKey } from '../../idempotency/key.js'
import type { RefusalText } from './refusals-of.js'
import type { Tag } from './tags.js'

/** Who may ask: holders of a secret key, of any key, everyone, or who signs what it sends. */
export type Access = 'secret' | 'any_key' | 'open' | 'signed'

/** What a handler is given: everything checked, nothing raw. */
export type RouteRequest<Body, Query, Params> = {
  environment: Environment
  body: Body
  /** The body as it came. */
  bodyText: string
  query: Query
  params: Params
  /** Raw: only who checks a signature looks at them. */
  headers: IncomingHttpHeaders
  key: IdempotencyKey | undefined
  requestId: string
  /** Network of the caller's address, for limits; see network-of.ts. */
  network: string
  /** In the time of the environment: the world's, and as far ahead as its clock was moved. */
  now: Date
  wantsCsv: boolean
}

/** An answer that is not an envelope, such as a statement as CSV. */
export type Document = {
  status: number
  body: string | Readable | Buffer
  contentType: string
  headers?: Headers
}
/** Undefined takes away one that every answer has. */
type Headers = Record<string, string | undefined>

export type RouteAnswer = Answer | Answered | Document

/** What sets a route apart; none of it holds unless it is said. */
type Traits = {
  isTestOnly: boolean
  /** Without an `Idempotency-Key` it is refused. */
  needsKey: boolean
  hasCsv: boolean
  /** Answers with hints for as long as somebody listens. */
  isStream: boolean
  /** For people with a browser, not for programs: the document of the API leaves it out. */
  isPage: boolean
  /** Takes an empty form where others take JSON. */
  takesForm: boolean
  /** The log of requests keeps none of its bodies. */
  hidesBodies: boolean
  /** Reads as much as a list does, and is counted with the lists of its environment. */
  isHeavy: boolean
}

const ordinary: Traits = {
  isTestOnly: false,
  needsKey: false,
  hasCsv: false,
  isStream: false,
  isPage: false,
  takesForm: false,
  hidesBodies: false,
  isHeavy: false,
}

export type Route = Traits & {
  method: 'GET' | 'POST' | 'PATCH' | 'DELETE'
  /** As Fastify writes it: parameters start with a colon. */
  path: string
  access: Access
  operation: string
  summary: string
  description: string
  tag: Tag
  body?: TSchema
  query?: TSchema
  params?: TSchema
  /** The schema of `data`, by status. */
  answers: Record<number, TSchema>
  /** What it can refuse with, beyond what any operation of its kind can. */
  refusals: (Code | RefusalText)[]
  /** What sets its answer apart from others of the same shape, for the example of it. */
  example?: object
  handle: (ask: RouteRequest<never, never, never>) => Promise<RouteAnswer>
}

type Definition<Body extends TSchema, Query extends TSchema, Params extends TSchema> = Omit<
  Route,
  keyof Traits | 'body' | 'query' | 'params' | 'handle' | 'refusals'
> &
  Partial<Traits> & {
    refusals?: (Code | RefusalText)[]
    body?: Body
    query?: Query
    params?: Params
    handle: (ask: RouteRequest<Static<Body>, Static<Query>, Static<Params>>) => Promise<RouteAnswer>
  }

/**
 * A row of the table of routes; the schemas give its handler their types. A POST that needs no body
 * takes an empty one.
 */
export function route<Body extends TSchema, Query extends TSchema, Params extends TSchema>(
  definition: Definition<Body, Query, Params>,
): Route {
  const isBare = definition.method === 'POST' && !definition.body
  const body = isBare
    ? { body: Type.Optional(Type.Object({}, { additionalProperties: false })) }
    : {}
  return { ...ordinary, refusals: [], ...body, ...definition }
}
