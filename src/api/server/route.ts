import type { IncomingHttpHeaders } from 'node:http'
import type { Readable } from 'node:stream'
import Type, { type Static, type TSchema } from 'typebox'
import type { EnvironmentTime, RealTime } from '../../base/clock.js'
import type { Environment } from '../../base/environment.js'
import type { Code, Reason } from '../../base/refusals.js'
import type { Answer, KeyedAnswer } from '../../idempotency/answer.js'
import type { IdempotencyKey } from '../../idempotency/key.js'
import type { AuthenticatedKey } from '../../merchants/keys/key-ring.js'
import type { Actor } from '../../team/actor.js'
import type { Permission } from '../../team/permissions.js'
import type { Permissions, ResourceKind } from '../../team/seen-with.js'
import type { SignedIn } from '../../team/sessions.js'
import type { AuditedCall } from '../auth/audit-call.js'
import type { Tag } from '../openapi/tags.js'

/**
 * Who may call. `secret` and `any_key`: holders of an API key, and members of the merchant who are
 * signed in to the console. `user`: such members only. `key_only`: holders of an API key only,
 * however restricted. `any_user`: every user who is signed in. `operator`: operators who are
 * signed in. `open`: everyone. `signed`: a bank that signs.
 */
export type RouteAccess =
  | 'secret'
  | 'any_key'
  | 'key_only'
  | 'user'
  | 'any_user'
  | 'operator'
  | 'open'
  | 'signed'

/** Routes of the console that no API key can call. */
export function isForUsersOnly(access: RouteAccess): boolean {
  return access === 'user' || access === 'any_user' || access === 'operator'
}

/** A refusal that an operation can answer with. */
export type RefusalText = { code: Code; reason?: Reason }

/** What a handler receives, validated. */
export type RouteRequest<Body, Query, Params> = {
  environment: Environment
  body: Body
  /** The body as sent. */
  bodyText: string
  query: Query
  params: Params
  /** Not validated. */
  headers: IncomingHttpHeaders
  key: IdempotencyKey | undefined
  requestId: string
  actor: Actor
  /** What the caller may do: everything, if it is a secret key that is not restricted. */
  permissions: Permissions
  /** The user who is signed in; undefined for API keys. */
  signedIn: SignedIn | undefined
  /** What the audit log records if a member of the merchant calls; undefined for API keys. */
  audited: AuditedCall | undefined
  /** The API key of the caller; null for users, and on routes that need none. */
  keyId: string | null
  /** The sub-account that the API key of the caller is bound to; null for all others. */
  boundTo: string | null
  /** What is known of that key. */
  apiKey: AuthenticatedKey | null
  /** The caller's IP address. */
  address: string
  protocol: 'http' | 'https'
  /** Network of the caller's address, for limits; see network-of.ts. */
  network: string
  /** By the clock of the caller's environment; `realNow` if the route needs no key. */
  now: EnvironmentTime
  realNow: RealTime
  wantsCsv: boolean
  /** CSV that Excel opens as it is: `excel=1`. */
  forExcel: boolean
}

/** An answer that is not an envelope, such as a statement as CSV. */
export type Document = {
  status: number
  body: string | Readable | Buffer
  contentType: string
  headers?: Headers
}
/** An answer in pages, each read when the caller has received the one before. */
export type Export = {
  status: number
  pages: AsyncGenerator<string>
  contentType: string
  headers: Headers
}
/** Undefined removes a default header. */
type Headers = Record<string, string | string[] | undefined>

export type RouteAnswer = Answer | KeyedAnswer | Document | Export

/** Properties that most routes do not have. */
type Traits = {
  isTestOnly: boolean
  /** Creates something or pays money out, which a suspended merchant may not. */
  stopsWhenSuspended: boolean
  /** Requests without an `Idempotency-Key` are refused. */
  requiresIdempotencyKey: boolean
  /**
   * Until its commit the handler changes nothing outside, so it may run before an earlier answer is
   * looked up: the commit finds it. Without this, every request looks it up first.
   */
  replaysAtCommit: boolean
  /** A POST that changes nothing, such as a quote: it takes no `Idempotency-Key`. */
  isRead: boolean
  hasCsv: boolean
  /** Members need `exports.make`, as for lists as CSV. */
  isExport: boolean
  /** Always answers with CSV, whatever the request accepts. */
  isCsvOnly: boolean
  /** Answers with a PDF. */
  isPdf: boolean
  /** Answers with a stream of server-sent events. */
  isStream: boolean
  /** Is for browsers, not for programs: left out of the OpenAPI document. */
  isPage: boolean
  /** Accepts a form instead of JSON: an empty one, or the fields of its body schema. */
  takesForm: boolean
  /** A form that opens an account at a bank for anyone: its use is limited per address. */
  isLimitedForm: boolean
  /** The body is a file of at most so many bytes; `body` is its content. 0: it is JSON. */
  fileBytesMax: number
  /** Size limit of the body. 0: the default of 64 kB. */
  bodyBytesMax: number
  /** The request log keeps none of its bodies. */
  hidesBodies: boolean
  /** Reads as much as a list does, so it counts against the limit on lists. */
  isHeavy: boolean
}

const ordinary: Traits = {
  isTestOnly: false,
  stopsWhenSuspended: false,
  requiresIdempotencyKey: false,
  replaysAtCommit: false,
  isRead: false,
  hasCsv: false,
  isExport: false,
  isCsvOnly: false,
  isPdf: false,
  isStream: false,
  isPage: false,
  takesForm: false,
  isLimitedForm: false,
  fileBytesMax: 0,
  bodyBytesMax: 0,
  hidesBodies: false,
  isHeavy: false,
}

export type Route = Traits & {
  method: 'GET' | 'POST' | 'PATCH' | 'DELETE'
  /** Path in Fastify's syntax: parameters start with a colon. */
  path: string
  access: RouteAccess
  /** What a member of the merchant needs; required wherever members may call. */
  permission?: Permission
  /** Further permissions, if the answer shows more than the first one covers. */
  alsoNeeds?: readonly Permission[]
  /**
   * The resources in its bodies, if its permissions do not name them. The request log shows the
   * bodies to callers who may see all of them.
   */
  shows?: readonly ResourceKind[]
  /** Users must have proven a factor in the last minutes: always, or in live mode only. */
  stepUp?: 'always' | 'live'
  operation: string
  summary: string
  description: string
  /** Its section of the OpenAPI document, which leaves routes of the console out. */
  tag: Tag | 'Console'
  body?: TSchema
  /** Also accepts CSV: converts it to the JSON body. Throws refusals. */
  readCsv?: (text: string, environment: Environment) => Promise<object>
  /** Example of the CSV that it accepts or, if `isCsvOnly`, answers with. */
  csvSample?: string
  query?: TSchema
  params?: TSchema
  /** The schema of `data`, by status. */
  answers: Record<number, TSchema>
  /** Refusals beyond those of every operation of its kind. */
  refusals: (Code | RefusalText)[]
  /** Fields that the example of its answer overrides. */
  example?: object
  handle: (request: RouteRequest<never, never, never>) => Promise<RouteAnswer>
}

export type RouteDefinition<
  Body extends TSchema,
  Query extends TSchema,
  Params extends TSchema,
> = Omit<Route, keyof Traits | 'body' | 'query' | 'params' | 'handle' | 'refusals'> &
  Partial<Traits> & {
    refusals?: (Code | RefusalText)[]
    body?: Body
    query?: Query
    params?: Params
    handle: (
      request: RouteRequest<Static<Body>, Static<Query>, Static<Params>>,
    ) => Promise<RouteAnswer>
  }

/** Defines a route; its schemas type the handler. A POST without a body schema accepts `{}`. */
export function route<Body extends TSchema, Query extends TSchema, Params extends TSchema>(
  definition: RouteDefinition<Body, Query, Params>,
): Route {
  const isBare = definition.method === 'POST' && !definition.body
  const body = isBare
    ? { body: Type.Optional(Type.Object({}, { additionalProperties: false })) }
    : {}
  const made = { ...ordinary, refusals: [], ...body, ...definition }
  return { ...made, ...(isExport(made) && { query: withExcel(made.query) }) }
}

/** A CSV that reads no data, such as a template, is not an export. */
export function isExport({ hasCsv, isCsvOnly, isHeavy }: Traits): boolean {
  return hasCsv || (isCsvOnly && isHeavy)
}

/** Added to every export here, so that none lacks it. */
function withExcel(query: TSchema | undefined): TSchema {
  const { properties = {} } = (query ?? {}) as { properties?: Record<string, TSchema> }
  const excel = Type.Optional(
    Type.Enum(['1'], {
      type: 'string',
      description:
        'Writes CSV that Excel opens without changing it: with a byte order mark, and with a tab before account numbers and other digits that are text.',
      examples: ['1'],
    }),
  )
  return Type.Object({ ...properties, excel }, { additionalProperties: false })
}
